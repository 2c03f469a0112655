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

    private func bytes() throws -> [UInt8] {
        try fenced("hex").split(whereSeparator: \.isWhitespace).map {
            try #require(UInt8($0, radix: 16))
        }
    }

    @Test("the example is a clean segment with the lines printed below it")
    func lines() throws {
        let log = LogFixture()
        let start = try #require(page.firstRange(of: "`20261129T"))
        let name = "20261129T" + page[start.upperBound...].prefix { $0 != "`" }
        try log.put(name, try bytes())
        let found = Monitor<String>("")
        let report = try readLog(log.directory, .facts) { _, block in
            found.withLock { $0 += String(decoding: block.text, as: UTF8.self) }
        }
        #expect(report.isClean)
        #expect(report.segments.map(\.name.description) == [name])
        #expect(report.segments.map(\.state) == [.closed])
        #expect(found.withLock { $0 } == (try fenced("ndjson")))
    }

    @Test("the members are the ones described field by field")
    func members() throws {
        let log = LogFixture()
        try log.put(SegmentBuilder.name(1, 1), try bytes())
        let catalog = try LogCatalog.scan(log.directory, .facts)
        func hex(_ value: UInt32) -> String {
            let digits = String(value, radix: 16)
            return String(repeating: "0", count: 8 - digits.utf8.count) + digits
        }
        var offset = 0
        var described = ""
        for header in catalog.headers.map(\.header) + catalog.marks.map(\.header) {
            described +=
                "offset \(offset): version \(header.version), flags \(header.flags.rawValue),"
            described += " stream \(header.stream), generation \(header.generation),"
            described += " length \(header.memberByteCount), first \(header.first),"
            described += " count \(header.count), data \(hex(header.dataChecksum)),"
            described += " chain \(hex(header.chain))\n"
            offset += Int(header.memberByteCount)
            #expect(header.writer.description == "6f1c2a7e9b3d4c550a1b2c3d4e5f6071")
        }
        #expect(described == (try fenced("members")))
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
