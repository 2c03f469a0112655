// What a file in a stream's folder is that nobody reads for its name.

import Testing

@testable import EvalogLog

@Suite("Files under names that are none of a segment's") struct ForeignFilesTests {
    private let log = LogFixture()

    private func meaning(of bytes: [UInt8], at name: String = "x.gz") throws -> ForeignFile.Meaning?
    {
        try log.put(name, bytes)
        let report = try log.read().report
        return try log.directory.explain(
            report.ignored, among: report.segments, of: .facts,
            present: [.facts: report.position[.facts]]
        ).first { $0.name == name }?.meaning
    }

    private func name(_ id: UInt64, _ number: Int) throws -> SegmentName {
        try #require(SegmentName(SegmentBuilder.name(id, number)))
    }

    @Test("a segment is known by its first header, also one that is torn behind it")
    func segment() throws {
        var builder = SegmentBuilder()
        builder.block(1, 1...10)
        builder.block(1, 11...15)
        let proper = try name(1, 1)
        #expect(
            try meaning(of: builder.bytes)
                == .segment(as: proper, lineCount: 15, missingCount: 15))
        #expect(
            try meaning(of: Array(builder.bytes.dropLast(9)))
                == .segment(as: proper, lineCount: 10, missingCount: 10))
        // What another segment has is not missing.
        var copy = SegmentBuilder()
        copy.block(1, 4...8)
        try log.put(SegmentBuilder.name(1, 1), copy.bytes)
        #expect(
            try meaning(of: builder.bytes)
                == .segment(as: try name(1, 2), lineCount: 15, missingCount: 10))
    }

    @Test("one that does not begin with the first line, and a merged file, get names that say so")
    func names() throws {
        var later = SegmentBuilder()
        later.block(1, 11...20)
        #expect(
            try meaning(of: later.bytes)
                == .segment(as: try name(1, 2), lineCount: 10, missingCount: 10))
        var merged = SegmentBuilder()
        merged.block(1, 1...3)
        merged.seal(1, 1...3, [.seal, .final])
        merged.block(2, 1...4)
        merged.seal(2, 1...4, [.seal, .final, .mergedEnd])
        let found = try meaning(of: merged.bytes)
        #expect(found == .segment(as: try name(1, 0), lineCount: 7, missingCount: 7))
        try log.put(SegmentBuilder.name(1, 0), merged.bytes)
        #expect(try log.read().report.isClean)
        guard case .segment(let free, 7, 0)? = try meaning(of: merged.bytes) else {
            Issue.record("it is a copy")
            return
        }
        #expect(free.isMerged && free.description != SegmentBuilder.name(1, 0))
    }

    @Test("what begins with anything else is no segment")
    func others() throws {
        var block = SegmentBuilder()
        block.block(1, 1...10)
        var later = block.bytes
        later[16] = 2
        for bytes in [[], [0x1F], Array("text".utf8), Array(block.bytes.prefix(60)), later] {
            #expect(try meaning(of: bytes) == .other)
        }
        #expect(try meaning(of: block.bytes, at: ".tmp-x") == .temporary)
    }

    @Test("one of the other stream is told its name there")
    func otherStream() throws {
        var builder = SegmentBuilder()
        builder.block(1, 1...10, stream: StreamKind.content.rawValue)
        // Nobody has looked what is in that one.
        #expect(
            try meaning(of: builder.bytes)
                == .otherStream(
                    as: SegmentName(
                        wallTime: 0, writer: WriterID(high: 0, low: 1), number: 1, kind: .content),
                    missingCount: nil))
    }
}
