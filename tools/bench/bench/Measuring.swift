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

    let appended = middle(appending)
    print(
        "\(arguments.count) lines, \(text.count) bytes of text, seed \(arguments.seed), \(arguments.threads) threads, median of \(roundCount)"
    )
    row("deflate, zlib alone", deflating, text.count)
    row("append and close", appended, text.count)
    row("inflate, zlib alone", inflating, text.count)
    row("replay to tables", replaying, text.count)
    print("append: \(ratio(appended.wall, deflating.wall)) of the time of zlib's own deflate")
    print(
        "replay: \(ratio(replaying.processor, inflating.processor)) of the processor time of zlib's own inflate"
    )
}

private func append(_ lines: [Workload.Line], to folder: String) throws {
    let writer = try LogWriter(LogDirectory(path: folder))
    for line in lines {
        _ = writer.appendWaiting(line.bytes, to: .facts, eventTime: line.fact?.time ?? 0)
    }
    try writer.close()
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
