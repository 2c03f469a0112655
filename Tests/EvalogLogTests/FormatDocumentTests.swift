// The page that defines the format, decoded: its example is what the code reads and writes.

import TestSupport
import Testing

@testable import EvalogLog

@Suite("The page schemas/log-format-v1.md")
struct FormatDocumentTests {
    private let page: String

    init() throws {
        // Tests/EvalogLogTests/this file: the page lies two folders up.
        let folders = #filePath.split(separator: "/").dropLast(3)
        let path = "/" + folders.joined(separator: "/") + "/schemas/log-format-v1.md"
        page = String(decoding: try readFile(path), as: UTF8.self)
    }

    private func fenced(_ language: String) throws -> String {
        let start = try #require(page.firstRange(of: "```\(language)\n"))
        let rest = page[start.upperBound...]
        return String(rest[..<(try #require(rest.firstRange(of: "```")).lowerBound)])
    }

    private func bytes(_ language: String = "hex") throws -> [UInt8] {
        try fenced(language).split(whereSeparator: \.isWhitespace).map {
            try #require(UInt8($0, radix: 16))
        }
    }

    @Test(
        "each example is a clean segment with the lines printed below it",
        arguments: [("", LogCatalog.State.closed), ("pack-", .merged)])
    func lines(kind: String, state: LogCatalog.State) throws {
        let log = LogFixture()
        let hex = try #require(page.firstRange(of: "```\(kind)hex\n"))
        // The last name before the bytes is theirs.
        let start = try #require(page[..<hex.lowerBound].ranges(of: "`20261129T").last)
        let name = "20261129T" + page[start.upperBound...].prefix { $0 != "`" }
        try log.put(name, try bytes("\(kind)hex"))
        let found = Monitor<String>("")
        let report = try readLog(log.directory, .facts) { _, block in
            found.withLock { $0 += String(decoding: block.text, as: UTF8.self) }
        }
        #expect(report.isClean)
        #expect(report.segments.map(\.name.description) == [name])
        #expect(report.segments.map(\.state) == [state])
        #expect(found.withLock { $0 } == (try fenced("\(kind)ndjson")))
    }

    @Test("the members are the ones described field by field")
    func members() throws {
        let log = LogFixture()
        try log.put(SegmentBuilder.name(1, 1), try bytes())
        let catalog = try LogCatalog.scan(log.directory, .facts)
        var offset = 0
        var described = ""
        for header in catalog.headers.map(\.header) + catalog.marks.map(\.header) {
            described += describe(header, at: offset)
            offset += Int(header.memberByteCount)
            #expect(header.writer.description == "6f1c2a7e9b3d4c550a1b2c3d4e5f6071")
        }
        #expect(described == (try fenced("members")))
    }

    private func describe(_ header: BlockHeader, at offset: Int) -> String {
        func hex(_ value: UInt32) -> String {
            let digits = String(value, radix: 16)
            return String(repeating: "0", count: 8 - digits.utf8.count) + digits
        }
        return "offset \(offset): version \(header.version), flags \(header.flags.rawValue),"
            + " stream \(header.stream), generation \(header.generation),"
            + " length \(header.memberByteCount), first \(header.first),"
            + " count \(header.count), data \(hex(header.dataChecksum)),"
            + " chain \(hex(header.chain))\n"
    }

    @Test("the pack has the runs described, and encoding them gives the same bytes")
    func pack() throws {
        let bytes = try bytes("pack-hex")
        let (header, runs) = try bytes.withUnsafeBytes { raw in
            let header = try #require(
                BlockHeader(decoding: UnsafeRawBufferPointer(rebasing: raw[16..<88])))
            #expect(raw[88..<90].elementsEqual(Pack.mark))
            let subfield = UnsafeRawBufferPointer(rebasing: raw[92..<208])
            return (header, try #require(Pack.decode(subfield, of: header)))
        }
        let described = runs.map { run in
            "\(run.writer): first \(run.first), count \(run.count), flags \(run.flags.rawValue),"
                + " generation \(run.generation), events \(run.leastEventTime) to"
                + " \(run.greatestEventTime), appended \(run.appendTime)\n"
        }
        #expect(describe(header, at: 0) + described.joined() == (try fenced("pack-members")))
        let encoded = Array(try fenced("pack-ndjson").utf8).withUnsafeBytes {
            EncodedBlock(
                header, text: $0, subfields: Pack.encode(runs), deflater: Deflater(level: 6))
        }
        #expect(encoded.bytes == bytes)
    }

    @Test("encoding the described members gives the same bytes")
    func encodes() throws {
        let log = LogFixture()
        let page = try bytes()
        try log.put(SegmentBuilder.name(1, 1), page)
        let catalog = try LogCatalog.scan(log.directory, .facts)
        let text = Array(try fenced("ndjson").utf8)
        let deflater = Deflater(level: 6)
        var encoded: [UInt8] = []
        var chain: UInt32 = 0
        for header in catalog.headers.map(\.header) + catalog.marks.map(\.header) {
            var block = (header.isBlock ? text : []).withUnsafeBytes {
                EncodedBlock(header, text: $0, deflater: deflater)
            }
            chain = block.link(toChain: chain)
            encoded += block.bytes
        }
        #expect(encoded == page)
    }

    @Test("every reason of damage is in the table")
    func reasons() {
        for reason in Damage.Reason.allCases { #expect(page.contains("`\(reason.rawValue)`")) }
    }
}
