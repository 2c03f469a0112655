// The inputs to begin with, made by our own encoders: tools/fuzz/corpus writes them.

import EvalogContent
import EvalogFacts
import EvalogText
import Workload

@testable import Commands
@testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

enum Corpus {
    private static let time: Int64 = 1_796_033_730_123_456

    static func write(to folder: String) throws {
        for target in FuzzTarget.allCases {
            mkdir("\(folder)/\(target)", 0o755)
            for (index, input) in try inputs(of: target).enumerated() {
                guard let file = fopen("\(folder)/\(target)/\(target)-\(index + 1)", "wb") else {
                    throw DiskError(operation: .create, path: folder, code: errno)
                }
                fwrite(input, 1, input.count, file)
                fclose(file)
            }
        }
    }

    private static func inputs(of target: FuzzTarget) throws -> [[UInt8]] {
        switch target {
        case .segment: try segments()
        case .inflate: deflated()
        case .fact: Workload(seed: 1, count: 24).lines.map(\.bytes)
        case .record: records.map { Array($0.utf8) }
        case .content: contents()
        case .trace: traces.map { Array($0.utf8) }
        case .position: [position()]
        case .arguments: commandLines()
        }
    }

    // MARK: Logs

    private static func segments() throws -> [[UInt8]] {
        let plain = run([[1, 2], [3]], of: 1, flags: [.seal, .final])
        let open = run([[1]], of: 1, flags: nil)
        let rolled = run([[1], [4, 5]], of: 1, flags: .seal)
        let pack = packed()
        return [
            [1] + plain, [5] + plain, [5] + open, [5] + rolled, [7] + plain + rolled, [7] + pack,
            [7] + plain + pack, [0] + plain,
        ]
    }

    private static func header(_ flags: BlockHeader.Flags, _ lines: ClosedRange<Int>, of id: UInt64)
        -> BlockHeader
    {
        BlockHeader(
            flags: flags, stream: 0,
            writer: id == 1 ? SegmentInput.writer : WriterID(high: id, low: id),
            first: UInt64(lines.lowerBound), count: UInt32(lines.count), leastEventTime: time,
            greatestEventTime: time, appendTime: time)
    }

    private static func text(_ lines: ClosedRange<Int>) -> [UInt8] {
        lines.flatMap { Array("{\"line\":\($0)}\n".utf8) }
    }

    private static func run(_ blocks: [[Int]], of id: UInt64, flags: BlockHeader.Flags?) -> [UInt8]
    {
        let deflater = Deflater(level: 6)
        var bytes: [UInt8] = []
        var chain: UInt32 = 0
        func add(_ header: BlockHeader, _ text: [UInt8]) {
            var block = text.withUnsafeBytes { EncodedBlock(header, text: $0, deflater: deflater) }
            chain = block.link(toChain: chain)
            bytes += block.bytes
        }
        for block in blocks {
            let lines = block[0]...block[block.count - 1]
            add(header([], lines, of: id), text(lines))
        }
        if let flags, let last = blocks.last?.last { add(header(flags, 1...last, of: id), []) }
        return bytes
    }

    private static func packed() -> [UInt8] {
        let runs = (2...4).map { header([.seal, .final], 1...2, of: $0) }
        var member = header([.packed, .mergedEnd], 1...6, of: 1)
        member.count = 6
        let lines = (0..<3).flatMap { _ in text(1...2) }
        return lines.withUnsafeBytes {
            EncodedBlock(
                member, text: $0, subfields: Pack.encode(runs), deflater: Deflater(level: 6))
        }.bytes
    }

    private static func deflated() -> [[UInt8]] {
        let texts = [text(1...3), text(1...60), [UInt8](repeating: 0x61, count: 3_000)]
        return texts.flatMap { text in
            [1, 6, 9].map { level in
                let deflater = Deflater(level: level)
                var data = [UInt8](repeating: 0, count: deflater.bound(of: text.count))
                let count = text.withUnsafeBytes { source in
                    data.withUnsafeMutableBytes { deflater.deflate(source, into: $0) }
                }
                return [UInt8(text.count & 0xFF), UInt8(text.count >> 8)] + data[..<count]
            }
        }
    }

    private static func position() -> [UInt8] {
        var position = Position()
        position.insert(SequenceSet(1..<10), of: SegmentInput.writer, in: .facts)
        position.insert(SequenceSet(4..<6), of: WriterID(high: 1, low: 2), in: .content)
        return Array(position.text.utf8)
    }

    // MARK: Lines

    private static let records = [
        #"{"usage":"embedded_selection","request":{"instructions":"Which banner first?","schema":{"type":"object"},"context":{"items":[{"content":"name: spring sale","priority":0},{"content":"é\u00e9\ud83d\ude00","priority":1.5e3}]}},"outcome":{"completed":{"output":{"allow":true}}},"duration":0.182345,"attempts":1}"#,
        #"{"usage":"scene_text_input","outcome":"failed","error":"timeout","duration":30.000112,"attempts":2,"id":"0193f0a0-0000-7000-8000-000000000001","time":"2026-11-29T10:15:30.123456Z","session":"6f1c2a7e-9b3d-4c55-8a1b-2c3d4e5f6071","subject":"contact/topic","model":"smollm2-135m","os":"iOS 26.1","device":"iPhone17,1","app":"4.2.0"}"#,
        #"{"usage":"x","outcome":"skipped","reason":"model_unavailable","detail":"not_enabled","duration":0,"attempts":0}"#,
        #"{"usage":"x","outcome":"completed","output":"\ud800 half a pair","duration":1e-7}"#,
    ]

    private static let traces = [
        #"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.version","value":{"stringValue":"1.2"}}]},"scopeSpans":[{"spans":[{"traceId":"t","spanId":"a","parentSpanId":"","startTimeUnixNano":"1796016742886787783","endTimeUnixNano":1796016744005867711,"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.request.model","value":{"stringValue":"m-1"}},{"key":"gen_ai.input.messages","value":{"arrayValue":{"values":[{"stringValue":"hello"}]}}},{"key":"gen_ai.usage.input_tokens","value":{"intValue":"3"}}],"status":{"code":2,"message":"timed out"}}]}]}]}"#,
        #"{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"t","spanId":"a","attributes":[{"key":"ai.usage","value":{"stringValue":"mood"}}],"status":{}},{"traceId":"t","spanId":"b","parentSpanId":"a","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}}]}]}]}]}"#,
        #"{"trace":{"id":"t","sessionId":"s","release":"1.2"},"observations":[{"id":"o","type":"GENERATION","name":"mood","startTime":"2026-11-29T10:15:30.123Z","endTime":"2026-11-29T10:15:31Z","model":"m-1","input":[{"role":"system","content":"Be short."},{"role":"user","content":"hello"}],"output":{"a":[1,2.5,null,true]},"level":"DEFAULT"},{"id":"p","parentObservationId":"o","type":"SPAN","level":"ERROR","statusMessage":"rate limited"}]}"#,
    ]

    private static func contents() -> [[UInt8]] {
        var record = ContentRecord(id: UniqueID(high: 1, low: 2), time: time)
        record.instructions = "Does it fit? \"é\" \u{1}"
        record.subject = "home_banner"
        record.schema = RawJSON(string: "any")
        record.context = [.init(content: "one", priority: 0), .init(content: "", priority: -1.5)]
        let lines: [ContentLine] = [.record(record), .erased(id: record.id), .erased(id: nil)]
        return lines.map { line in
            var bytes: [UInt8] = []
            line.encode(into: &bytes)
            return bytes
        }
    }

    /// The examples of the help, without the program's name.
    private static func commandLines() -> [[UInt8]] {
        CommandSpec.all.flatMap { spec in
            spec.examples.map { example in
                Array(example.line.split(separator: " ").dropFirst().joined(separator: "\n").utf8)
            }
        }
    }
}
