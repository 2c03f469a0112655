// Lines that wait in memory while no file may be open.

import EvalogLog

/// Holds as much of each stream as a writer's own buffer would.
struct HeldLines: Sendable {
    struct Line: Sendable {
        let bytes: [UInt8]
        let stream: LogStream
        let eventTime: Int64
    }

    private var lines: [Line] = []
    private var byteCounts: [StreamKind: Int] = [:]

    var isEmpty: Bool { lines.isEmpty }
    var count: Int { lines.count }

    /// False where there is no room for the line.
    mutating func hold(_ bytes: [UInt8], for stream: LogStream, eventTime: Int64) -> Bool {
        let limit =
            switch stream.kind {
            case .facts: LogLimits.factsBufferByteCount
            case .content: LogLimits.contentBufferByteCount
            }
        let byteCount = byteCounts[stream.kind, default: 0] + bytes.count + 1
        guard byteCount <= limit else { return false }
        byteCounts[stream.kind] = byteCount
        lines.append(Line(bytes: bytes, stream: stream, eventTime: eventTime))
        return true
    }

    /// Forgets a stream's lines and returns how many there were.
    mutating func removeAll(of stream: LogStream) -> Int {
        let count = lines.count
        lines.removeAll { $0.stream.kind == stream.kind }
        byteCounts[stream.kind] = nil
        return count - lines.count
    }

    /// All of them, in the order in which they came.
    mutating func take() -> [Line] {
        defer { self = HeldLines() }
        return lines
    }
}
