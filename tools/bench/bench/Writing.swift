// Workloads as text and as logs.

import EvalogFacts
import EvalogLog
import Workload

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A line that could not be written, and why.
struct BenchFailure: Error {
    let what: String
}

func workload(_ arguments: BenchArguments) -> Workload {
    var options = Workload.Options()
    options.hasFaults = !arguments.isClean
    return Workload(seed: arguments.seed, count: arguments.count, options: options)
}

func printFacts(_ arguments: BenchArguments) throws {
    var pending: [UInt8] = []
    try workload(arguments).forEachLine { line in
        pending += line.bytes + [0x0A]
        if pending.count >= 1 << 20 { try writeOut(&pending) }
    }
    try writeOut(&pending)
}

/// Writes everything to standard output, or another descriptor, and empties the buffer.
func writeOut(_ bytes: inout [UInt8], to descriptor: Int32 = 1) throws {
    var offset = 0
    while offset < bytes.count {
        let count = bytes.withUnsafeBytes {
            write(descriptor, $0.baseAddress.map { $0 + offset }, $0.count - offset)
        }
        guard count > 0 || errno == EINTR else {
            throw BenchFailure(what: "cannot write what it found")
        }
        offset += max(0, count)
    }
    bytes.removeAll(keepingCapacity: true)
}

/// Appends the lines with one writer; returns their bytes, newlines included.
@discardableResult
func writeLog(_ arguments: BenchArguments, to path: String) throws -> Int {
    let writer = try LogWriter(LogDirectory(path: path))
    var byteCount = 0
    try workload(arguments).forEachLine { line in
        let outcome = writer.appendWaiting(line.bytes, to: .facts, eventTime: line.fact?.time ?? 0)
        guard case .accepted = outcome else { throw BenchFailure(what: "the log refused a line") }
        byteCount += line.bytes.count + 1
    }
    try writer.close()
    return byteCount
}

/// Appends the lines with one writer for every ten of them, each of which ends its segment.
func writeManySegments(_ arguments: BenchArguments, to path: String) throws {
    let directory = LogDirectory(path: path)
    var writer: LogWriter?
    var count = 0
    try workload(arguments).forEachLine { line in
        if count % 10 == 0 {
            try writer?.close()
            writer = try LogWriter(directory)
        }
        _ = writer?.appendWaiting(line.bytes, to: .facts, eventTime: line.fact?.time ?? 0)
        count += 1
    }
    try writer?.close()
}

/// Appends each line of standard input as it is; an import would leave out or repair what is no fact.
func writeInput(to path: String) throws {
    let writer = try LogWriter(LogDirectory(path: path))
    while let line = readLine() {
        let outcome = writer.appendWaiting(Array(line.utf8), to: .facts, eventTime: 0)
        guard case .accepted = outcome else { throw BenchFailure(what: "the log refused a line") }
    }
    try writer.close()
}
