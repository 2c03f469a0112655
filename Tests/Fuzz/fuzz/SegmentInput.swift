// A segment of any bytes: read, followed, asked for its last lines, maintained and read again.

@testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A log of one segment, in a folder of this process's own.
final class SegmentInput {
    nonisolated(unsafe) static let shared = SegmentInput()
    static let writer = WriterID(high: 0x6f1c_2a7e_9b3d_4c55, low: 0x0a1b_2c3d_4e5f_6071)

    /// The first byte of an input says what is done with the others.
    struct Choices: OptionSet {
        let rawValue: UInt8
        /// Puts checksums right, without which hardly anything gets past the headers.
        static let repaired = Self(rawValue: 1)
        /// Under the name of a merged file.
        static let merged = Self(rawValue: 2)
        static let maintained = Self(rawValue: 4)
    }

    /// Everybody who wrote anything is long dead.
    private struct LaterClock: LogClock {
        func wallTime() -> Int64 { SystemClock().wallTime() + 3_600_000_000 }
        func monotonicTime() -> Int64 { SystemClock().monotonicTime() }
    }

    private let directory: LogDirectory

    private init() {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        directory = LogDirectory(path: "\(base)/evalog-fuzz-\(getpid())")
    }

    func feed(_ bytes: UnsafeRawBufferPointer) throws {
        guard let first = bytes.first else { return }
        let choices = Choices(rawValue: first)
        var file = Array(bytes.dropFirst())
        if choices.contains(.repaired) { Checksums.repair(&file) }
        try put(file, number: choices.contains(.merged) ? "0000" : "0001")
        let lines = try read()
        try expectSame(lines)
        guard choices.contains(.maintained), try tellsOfFew(),
            let lock = try MaintenanceLock(directory)
        else { return }
        let disputed = try disputed()
        var rules = MaintenanceRules()
        // Times are anything here, and what has had its time goes.
        rules.retention = [:]
        let maintainer = LogMaintainer(
            lock, .facts, rules: rules, timing: MaintenanceTiming(clock: LaterClock()))
        let report = maintainer.run()
        demand(report.failure == nil, "maintenance failed")
        let after = Self.own(try read())
        let before = Self.own(lines)
        demand(Set(after.keys) == Set(before.keys), "maintenance lost or found lines")
        demand(
            after.allSatisfy { disputed.contains($0) || before[$0] == $1 },
            "maintenance changed lines")
    }

    /// One line of a log.
    private struct Place: Hashable {
        let writer: WriterID
        let sequence: UInt64
    }

    /// Lines that two blocks of one generation hold with different texts, which no writer and, tombstones aside,
    /// no maintenance makes: which of them counts is nowhere said.
    private func disputed() throws -> Set<Place> {
        let catalog = try LogCatalog.scan(directory, .facts)
        let reader = BlockReader(directory, .facts)
        var texts: [UInt8: [Place: String]] = [:]
        var disputed: Set<Place> = []
        for (index, entry) in catalog.blocks.enumerated() {
            let header = entry.header
            let task = ReadTask(block: index, wanted: SequenceSet(header.sequences))
            guard case .lines(let lines) = try reader.read(task, of: catalog) else { continue }
            lines.forEachLine { sequence, line in
                let place = Place(writer: header.writer, sequence: sequence)
                let text = String(decoding: line, as: UTF8.self)
                let known = texts[header.generation, default: [:]].updateValue(text, forKey: place)
                if known.map({ $0 != text }) ?? false { disputed.insert(place) }
            }
        }
        return disputed
    }

    /// Without tombstones, which stand in for replaced lines that cannot be read.
    private static func own(_ lines: [Place: String]) -> [Place: String] {
        let tombstones = Tombstone.allCases.map { String(decoding: $0.line, as: UTF8.self) }
        return lines.filter { !tombstones.contains($0.value) }
    }

    /// Whether no header claims so many lines that tombstones for them would take all the time.
    private func tellsOfFew() throws -> Bool {
        let catalog = try LogCatalog.scan(directory, .facts)
        return (catalog.headers.map(\.header) + catalog.marks.map(\.header)).allSatisfy {
            $0.count <= 1_000
        }
    }

    private func put(_ file: [UInt8], number: String) throws {
        try directory.make()
        let disk = directory.disk
        let root = try disk.openFolder(directory.path)
        defer { disk.close(root) }
        for name in ["facts", "aside"] {
            guard let folder = try? disk.openFolder(name, in: root) else { continue }
            defer { disk.close(folder) }
            for left in try disk.list(folder) { try disk.unlink(left, in: folder) }
        }
        let folder = try disk.openFolder("facts", in: root)
        defer { disk.close(folder) }
        let segment = try disk.createFile(
            "20261129T101530Z-\(Self.writer)-\(number).facts.ndjson.gz", in: folder)
        defer { disk.close(segment) }
        try file.withUnsafeBytes { try disk.writeFully(segment, at: 0, from: $0) }
    }

    private func read() throws -> [Place: String] {
        let found = Monitor<[Place: String]>([:])
        let report = try readLog(directory, .facts) { _, block in
            found.withLock { Self.add(block, to: &$0) }
        }
        let lines = found.withLock { $0 }
        demand(report.lineCount == UInt64(lines.count), "the report counts other lines")
        let again = try readLog(directory, .facts, from: report.position) { _, block in
            demand(block.wanted.isEmpty, "a position gives lines again")
        }
        demand(again.lineCount == 0, "a position gives lines again")
        return lines
    }

    private static func add(_ block: LineBlock, to lines: inout [Place: String]) {
        block.forEachLine { sequence, line in
            demand(!line.contains(0x0A), "a line holds a newline")
            let place = Place(writer: block.header.writer, sequence: sequence)
            let known = lines.updateValue(String(decoding: line, as: UTF8.self), forKey: place)
            demand(known == nil, "a line comes twice")
        }
    }

    private func expectSame(_ lines: [Place: String]) throws {
        var followed: [Place: String] = [:]
        _ = try LogFollower(directory, .facts).poll { block in Self.add(block, to: &followed) }
        demand(followed == lines, "a follower gives other lines")
    }
}

/// Makes the sums in a mangled segment right again.
enum Checksums {
    private static let mark: [UInt8] = [0x45, 0x4C, 0x48, 0x00]
    private static let textByteCountMax = 1 << 20

    static func repair(_ file: inout [UInt8]) {
        let inflater = Inflater()
        var chain: UInt32 = 0
        var place = 12
        while place + 76 <= file.count {
            guard file[place..<place + 4].elementsEqual(mark) else {
                place += 1
                continue
            }
            file.withUnsafeMutableBytes { bytes in
                let field = UnsafeMutableRawBufferPointer(
                    rebasing: bytes[(place + 4)..<(place + 76)])
                repair(field, in: bytes, at: place - 12, &chain, inflater)
            }
            place += 76
        }
    }

    private static func repair(
        _ field: UnsafeMutableRawBufferPointer, in file: UnsafeMutableRawBufferPointer,
        at start: Int, _ chain: inout UInt32, _ inflater: Inflater
    ) {
        let length = Int(field.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        let extra = Int(file.loadUnaligned(fromByteOffset: start + 10, as: UInt16.self))
        let dataStart = start + 12 + extra
        let end = start + length
        let isWhole = dataStart <= end - 8 && end <= file.count
        if isWhole {
            let data = UnsafeRawBufferPointer(rebasing: file[dataStart..<(end - 8)])
            store(checksum(data), in: field, at: 36)
            let size = Int(file.loadUnaligned(fromByteOffset: end - 4, as: UInt32.self))
            var text = [UInt8](repeating: 0, count: min(size, textByteCountMax))
            text.withUnsafeMutableBytes { target in
                if inflater.inflate(data, into: target) {
                    store(checksum(UnsafeRawBufferPointer(target)), in: file, at: end - 8)
                }
            }
        }
        // A byte of the flags that nobody uses chooses whether the chain is put right as well.
        if field[1] & 1 == 0 || chain != 0 { store(chain, in: field, at: 64) }
        store(checksum(UnsafeRawBufferPointer(rebasing: field[..<68])), in: field, at: 68)
        guard isWhole else { return }
        let isRunEnd = field[1] & 17 != 0
        chain =
            isRunEnd
            ? 0
            : BlockHeader.chain(
                after: UnsafeRawBufferPointer(field),
                trailer: UnsafeRawBufferPointer(rebasing: file[(end - 8)..<end]))
    }

    private static func store(
        _ value: UInt32, in bytes: UnsafeMutableRawBufferPointer, at offset: Int
    ) {
        bytes.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
    }
}

/// Deflate data of any bytes: what our decoder takes, zlib takes, with the same text.
enum InflateInput {
    nonisolated(unsafe) private static let straight = StraightInflater()
    nonisolated(unsafe) private static let inflater = Inflater()

    /// The first two bytes are the text's length, of at most 64 KiB.
    static func feed(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 2 else { return }
        let count = Int(bytes.loadUnaligned(as: UInt16.self))
        let slack = LogLimits.slackByteCount
        let data = UnsafeRawBufferPointer(rebasing: bytes[2...])
        // Of exactly this size, so that the sanitizer sees whoever goes beyond.
        let source = UnsafeMutableRawBufferPointer.allocate(
            byteCount: data.count + slack, alignment: 1)
        let ours = UnsafeMutableRawBufferPointer.allocate(byteCount: count + slack, alignment: 1)
        let theirs = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { for buffer in [source, ours, theirs] { buffer.deallocate() } }
        source.initializeMemory(as: UInt8.self, repeating: 0)
        source.copyMemory(from: data)
        let target = UnsafeMutableRawBufferPointer(rebasing: ours[..<count])
        let input = UnsafeRawBufferPointer(rebasing: source[..<data.count])
        guard straight.inflate(input, into: target) else { return }
        demand(inflater.inflate(input, into: theirs), "zlib does not take it")
        demand(target.elementsEqual(theirs), "zlib reads another text")
    }
}
