// What most tests of the log need: lines that can be told apart, files as bytes, collected reads.

import TestSupport

@testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A log in a scratch folder.
struct LogFixture {
    let scratch = ScratchFolder()
    let directory: LogDirectory
    var factsPath: String { scratch.path("log/facts") }

    init(disk: any Disk = PosixDisk()) {
        directory = LogDirectory(path: scratch.path("log"), disk: disk)
    }

    /// A writer that does its work before each call returns.
    func writer(
        _ id: UInt64 = 1, durability: Durability = .buffered, segments: SegmentPolicy = .init(),
        clock: any LogClock = ManualClock()
    ) throws -> LogWriter {
        try LogWriter(directory, options: Self.options(id, durability, segments, clock))
    }

    static func options(
        _ id: UInt64 = 1, _ durability: Durability = .buffered, _ segments: SegmentPolicy = .init(),
        _ clock: any LogClock = ManualClock()
    ) -> WriterOptions {
        let identities = IdentitySequence(id)
        return WriterOptions(
            durability: durability, segments: segments, clock: clock,
            makeWriterID: { identities.next() }, hasThread: false)
    }

    /// Writes blocks of so many lines each, one flush per block, and closes unless told not to.
    @discardableResult
    func write(
        _ blocks: [Int], id: UInt64 = 1, closing: Bool = true, segments: SegmentPolicy = .init()
    ) throws -> LogWriter {
        let writer = try writer(id, segments: segments)
        var number: UInt64 = 0
        for count in blocks {
            for _ in 0..<count {
                number += 1
                _ = writer.append(Self.line(id, number), to: .facts, eventTime: Int64(number))
            }
            try writer.flush()
        }
        if closing { try writer.close() }
        return writer
    }

    /// A line that names its writer and sequence, of varying length.
    static func line(_ id: UInt64, _ sequence: UInt64) -> [UInt8] {
        let filler = String(
            repeating: "x\(sequence &* 2_654_435_761 % 97)", count: Int(sequence % 7))
        return Array("{\"w\":\(id),\"n\":\(sequence),\"f\":\"\(filler)\"}".utf8)
    }

    /// Every line, by writer id and sequence, proven to be the one written there.
    func read(
        from position: Position = .init(), threads: Int = 1, trustsChain: Bool = false
    ) throws -> (lines: [LineKey], report: ReadReport) {
        let collector = LineCollector()
        let report = try readLog(
            directory, .facts, from: position, threads: threads, trustsChain: trustsChain
        ) { _, block in collector.add(block) }
        return (collector.lines, report)
    }

    // MARK: Files

    func segmentNames() throws -> [String] {
        try directory.list(.facts).segments.map(\.name.description)
    }

    func bytes(of name: String) throws -> [UInt8] {
        try readFile("\(factsPath)/\(name)")
    }

    /// Deletes everything in the folder of facts, if there is one.
    func clear() throws {
        guard let folder = try? directory.openFolder(of: .facts) else { return }
        defer { directory.disk.close(folder) }
        for name in try directory.disk.list(folder) {
            try directory.disk.unlink(name, in: folder)
        }
    }

    func replace(_ name: String, by bytes: [UInt8]) throws {
        try writeFile("\(factsPath)/\(name)", bytes)
    }
}

/// A line's writer and sequence.
struct LineKey: Hashable, Comparable {
    var writer: UInt64
    var sequence: UInt64

    static func < (left: Self, right: Self) -> Bool {
        (left.writer, left.sequence) < (right.writer, right.sequence)
    }
}

func keys(_ writer: UInt64, _ sequences: ClosedRange<UInt64>) -> [LineKey] {
    sequences.map { LineKey(writer: writer, sequence: $0) }
}

/// Collects lines from several threads; a line that is not the one written counts as wrong.
final class LineCollector: Sendable {
    private let state = Monitor<(lines: [LineKey], wrong: Int)>((lines: [], wrong: 0))

    func add(_ block: LineBlock) {
        let id = block.header.writer.low
        block.forEachLine { sequence, line in
            let isRight = line.elementsEqual(LogFixture.line(id, sequence))
            state.withLock { state in
                state.lines.append(LineKey(writer: id, sequence: sequence))
                if !isRight { state.wrong += 1 }
            }
        }
    }

    var lines: [LineKey] { state.withLock { $0.lines.sorted() } }
    var unsorted: [LineKey] { state.withLock { $0.lines } }
    var wrongCount: Int { state.withLock { $0.wrong } }
}

/// Writer ids that tests can name: (0, id), (1, id), …
final class IdentitySequence: Sendable {
    private let state: Monitor<UInt64>
    private let low: UInt64

    init(_ low: UInt64) {
        self.low = low
        state = Monitor(0)
    }

    func next() -> WriterID {
        state.withLock { high in
            defer { high += 1 }
            return WriterID(high: high, low: low)
        }
    }
}

/// A clock that moves when told.
final class ManualClock: LogClock {
    private let state = Monitor<(wall: Int64, monotonic: Int64)>(
        (wall: 1_795_947_330_123_456, monotonic: 0))

    func wallTime() -> Int64 { state.withLock { $0.wall } }
    func monotonicTime() -> Int64 { state.withLock { $0.monotonic } }
    func advance(by microseconds: Int64) {
        state.withLock { state in
            state.wall += microseconds
            state.monotonic += microseconds
        }
    }
    func setWall(_ time: Int64) { state.withLock { $0.wall = time } }
}

func readFile(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "rb") else {
        throw DiskError(operation: .open, path: path, code: errno)
    }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: ftell(file))
    rewind(file)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
}

func writeFile(_ path: String, _ bytes: [UInt8]) throws {
    guard let file = fopen(path, "wb") else {
        throw DiskError(operation: .create, path: path, code: errno)
    }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
}
