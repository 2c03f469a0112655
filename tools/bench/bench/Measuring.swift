// Append and replay, each against what zlib alone takes for the same bytes in the same run.

import CZlib
import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogMetrics
import EvalogReplay
import Workload

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Wall and processor seconds of one piece of work.
struct Cost {
    var wall: Double
    var processor: Double

    static func of(_ body: () throws -> Void) rethrows -> Self {
        let start = (seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID))
        try body()
        return Self(
            wall: seconds(CLOCK_MONOTONIC) - start.0,
            processor: seconds(CLOCK_PROCESS_CPUTIME_ID) - start.1)
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Rounds of each piece of work; the middle one counts.
private let roundCount = 5

func measure(_ arguments: BenchArguments) throws {
    let lines = workload(arguments).lines
    var text: [UInt8] = []
    for line in lines {
        text += line.bytes
        text.append(0x0A)
    }
    let folder = try scratchFolder()
    defer { removeLog(folder) }

    let deflating = median { Cost.of { deflateBlocks(text) } }
    var appending: [Cost] = []
    for round in 0..<roundCount {
        if round > 0 { removeLog(folder) }
        appending.append(try Cost.of { try append(lines, to: folder) })
    }
    let inflating = try median { try Cost.of { try inflateSegments(in: folder) } }
    let replay = Replay(LogDirectory(path: folder), threads: arguments.threads)
    let replaying = try median {
        try Cost.of { _ = try replay.tables(MetricsRules()) }
    }

    let callers = try CallerTimes(lines)
    let appended = middle(appending)
    print(
        "\(arguments.count) lines, \(text.count) bytes of text, seed \(arguments.seed), \(arguments.threads) threads, median of \(roundCount)"
    )
    row("deflate, zlib alone", deflating, text.count)
    row("encode, append, close", appended, text.count)
    row("inflate, zlib alone", inflating, text.count)
    row("replay to tables", replaying, text.count)
    print("append: \(ratio(deflating.wall, appended.wall)) of the throughput of zlib's own deflate")
    print("append: takes its caller \(callers.text)")
    print(
        "replay: \(ratio(replaying.processor, inflating.processor)) of the processor time of zlib's own inflate"
    )
}

/// Encodes the facts and appends them, as a recorder does, and waits where the buffer is full.
private func append(_ lines: [Workload.Line], to folder: String) throws {
    let writer = try LogWriter(LogDirectory(path: folder))
    var bytes: [UInt8] = []
    for line in lines {
        guard let fact = line.fact else { continue }
        bytes.removeAll(keepingCapacity: true)
        fact.encode(into: &bytes)
        _ = writer.appendWaiting(bytes, to: .facts, eventTime: fact.time)
    }
    try writer.close()
}

/// What single calls of `append` take while the writer compresses and writes on its own thread.
private struct CallerTimes {
    /// Lines that the buffer holds, whatever the writer's thread is doing.
    private static let burst = 3_000
    private static let burstCount = 50

    private var nanoseconds: [Int64] = []

    init(_ lines: [Workload.Line]) throws {
        let folder = try scratchFolder()
        defer { removeLog(folder) }
        let writer = try LogWriter(LogDirectory(path: folder))
        for number in 0..<Self.burstCount {
            let start = number * Self.burst % max(1, lines.count - Self.burst)
            for line in lines[start...].prefix(Self.burst) {
                let begin = ContinuousClock.now
                let outcome = writer.append(
                    line.bytes, to: .facts, eventTime: line.fact?.time ?? 0)
                nanoseconds.append(begin.duration(to: .now).nanoseconds)
                guard case .accepted = outcome else {
                    throw BenchFailure(what: "the log refused a line")
                }
            }
            try writer.flush()
        }
        try writer.close()
        nanoseconds.sort()
    }

    var text: String {
        func share(_ part: Double) -> String {
            microseconds(nanoseconds[Int(Double(nanoseconds.count - 1) * part)])
        }
        return "\(share(0.5)) µs, in 99 of 100 calls at most \(share(0.99)), at most \(share(1))"
    }
}

private func median(_ body: () throws -> Cost) rethrows -> Cost {
    var costs: [Cost] = []
    for _ in 0..<roundCount { costs.append(try body()) }
    return middle(costs)
}

private func middle(_ costs: [Cost]) -> Cost {
    costs.sorted { $0.wall < $1.wall }[costs.count / 2]
}

private func row(_ name: String, _ cost: Cost, _ byteCount: Int) {
    let rate = Double(byteCount) / 1e6 / cost.wall
    print(
        "  \(name)\(String(repeating: " ", count: 22 - name.count)) \(milliseconds(cost.wall)) wall  \(milliseconds(cost.processor)) cpu  \(Int(rate)) MB/s"
    )
}

private func milliseconds(_ seconds: Double) -> String { "\(Int((seconds * 1000).rounded())) ms" }

private func ratio(_ left: Double, _ right: Double) -> String {
    let hundredths = Int((left / right * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
}

/// Compresses the text in pieces of a block's size at the writer's level.
private func deflateBlocks(_ text: [UInt8]) {
    var stream = z_stream()
    czlib_deflate_init_raw(&stream, 6)
    defer { deflateEnd(&stream) }
    var output = [UInt8](repeating: 0, count: 512 << 10)
    var input = text
    input.withUnsafeMutableBufferPointer { bytes in
        var offset = 0
        while offset < bytes.count {
            let count = min(LogLimits.blockTextByteCount, bytes.count - offset)
            deflateReset(&stream)
            stream.next_in = bytes.baseAddress.map { $0 + offset }
            stream.avail_in = UInt32(count)
            output.withUnsafeMutableBufferPointer { room in
                stream.next_out = room.baseAddress
                stream.avail_out = UInt32(room.count)
                _ = deflate(&stream, Z_FINISH)
            }
            offset += count
        }
    }
}

/// Inflates every segment as the plain gzip that it is, on one thread.
private func inflateSegments(in folder: String) throws {
    var room = [UInt8](repeating: 0, count: 1 << 20)
    for entry in try LogDirectory(path: folder).list(.facts).segments {
        guard let file = gzopen("\(folder)/facts/\(entry.name)", "rb") else {
            throw BenchFailure(what: "cannot open a segment")
        }
        defer { gzclose(file) }
        while gzread(file, &room, UInt32(room.count)) > 0 {}
    }
}

/// An empty folder.
func scratchFolder() throws -> String {
    var template = Array("/tmp/evalog-bench-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
        throw BenchFailure(what: "cannot make a folder in /tmp")
    }
    return String(cString: made)
}

/// Deletes a log that the benchmark wrote, and nothing else.
func removeLog(_ folder: String) {
    let directory = LogDirectory(path: folder)
    for stream in [LogStream.facts, ContentAccess.stream] {
        let path = "\(folder)/\(stream.kind.name)"
        for entry in (try? directory.list(stream))?.segments ?? [] {
            unlink("\(path)/\(entry.name)")
        }
        unlink("\(path)/key")
        rmdir(path)
    }
    rmdir(folder)
}
