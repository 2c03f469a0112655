// Fact lines as text, and what a report makes of them.

import EvalogFacts
import EvalogText
import VendorSink

/// Lines of facts. Seconds count from the start of 2020.
enum Lines {
    static func uuid(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count)
            + digits
    }

    /// In µs since 1970.
    static let start: Int64 = 1_577_836_800_000_000

    static func time(_ second: Double) -> String {
        var bytes: [UInt8] = []
        Timestamp.append(start + Int64(second * 1_000_000), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A time of whole seconds as tables have it.
    static func seconds(_ time: Int64) -> String {
        var bytes: [UInt8] = []
        Timestamp.appendSeconds(time, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func line(_ type: String, _ id: Int, _ second: Double, _ rest: String) -> String
    {
        #"{"v":1,"type":"\#(type)","id":"\#(uuid(id))","time":"\#(time(second))",\#(rest)}"#
    }

    static func suppression(
        _ id: Int, at second: Double = 0, message: String = "welcome", session: Int = 1,
        evaluation: Int? = nil, missBehavior: String = "skip"
    ) -> String {
        line(
            "ai_suppressed", id, second,
            #""evaluation":"\#(uuid(evaluation ?? 1_000_000 + id))","subject":"\#(message)","#
                + #""session":"\#(uuid(session))","miss_behavior":"\#(missBehavior)""#)
    }

    static func inference(
        _ id: Int, at second: Double = 0, field: String = "support/text", session: Int = 1,
        evaluation: Int? = nil, status: String = "success", report: String? = nil
    ) -> String {
        line(
            "form_inference", id, second,
            #""evaluation":"\#(uuid(evaluation ?? 1_000_000 + id))","subject":"\#(field)","#
                + #""session":"\#(uuid(session))","status":"\#(status)""#
                + (report.map { #","report":\#($0)"# } ?? ""))
    }

    static func catalog(
        _ id: Int, at second: Double = 0, field: String = "support/text", _ report: String
    ) -> String {
        line("catalog", id, second, #""subject":"\#(field)","report":\#(report)"#)
    }

    static func gate(_ id: Int, at second: Double, isOn: Bool) -> String {
        line("gate", id, second, #""on_device_ai":\#(isOn)"#)
    }

    /// Lines that the log did not take.
    static func refusal(_ id: Int, at second: Double, since: Double) -> String {
        line(
            "log_gap", id, second,
            #""stream":"facts","since":"\#(time(since))","refused":1,"cause":"buffer_full""#)
    }

    static func evaluation(_ id: Int, usage: String) -> String {
        line("evaluation", id, 0, #""usage":"\#(usage)","outcome":"completed","attempts":1"#)
    }

    /// An evaluation that the gate stopped.
    static func stopped(_ id: Int, at second: Double, session: Int) -> String {
        line(
            "evaluation", id, second,
            #""usage":"scene_text_input","session":"\#(uuid(session))","outcome":"skipped","#
                + #""reason":"ai_disabled","duration_us":0,"attempts":0"#)
    }

    /// Lines that one writer wrote at a time.
    struct Block {
        var writer = 1
        var appended = 0.0
        /// The number of the first line; nil: they follow the writer's last block.
        var sequence: UInt64?
        /// Whether lines of the writer before these are gone.
        var isBehindGap = false
        /// When what the lines tell happened, by the block's header.
        var since = 0.0
        var until: Double?
        var lines: [String]
    }

    /// Blocks of one line each, which keep their places in whatever order they are read.
    static func blocks(_ lines: [String], since: Double = 0) -> [Block] {
        lines.enumerated().map { Block(sequence: UInt64($0) + 1, since: since, lines: [$1]) }
    }

    /// Screens the lines of one writer, spread over as many collectors as asked.
    static func screen(
        _ lines: [String], reviewed: ReviewedCatalog? = nil, collectors count: Int = 1
    ) -> Screened {
        screen(blocks(lines), reviewed: reviewed, collectors: count)
    }

    /// Screens blocks, spread over as many collectors as asked.
    static func screen(
        _ blocks: [Block], reviewed: ReviewedCatalog? = nil, collectors count: Int = 1
    ) -> Screened {
        Screening.screen(collect(blocks, collectors: count), reviewed: reviewed)
    }

    /// What is collected of blocks, spread over as many collectors as asked.
    static func collect(_ blocks: [Block], collectors count: Int = 1) -> VendorCollector {
        let collectors = (0..<count).map { _ in VendorCollector() }
        var next: [Int: UInt64] = [:]
        for (index, var block) in blocks.enumerated() {
            block.sequence = block.sequence ?? next[block.writer] ?? 1
            next[block.writer] = (block.sequence ?? 1) + UInt64(block.lines.count)
            collect(block, with: collectors[index % count])
        }
        for other in collectors.dropFirst() { collectors[0].absorb(other) }
        return collectors[0]
    }

    /// What a thread that reads the lines collects.
    static func collect(_ lines: [String], writer: Int = 1) -> VendorCollector {
        let collector = VendorCollector()
        collect(Block(writer: writer, lines: lines), with: collector)
        return collector
    }

    private static func collect(_ block: Block, with collector: VendorCollector) {
        let writer = UniqueID(high: 0, low: UInt64(block.writer))
        let sequence = block.sequence ?? 1
        collector.begin(
            FactOrigin(
                writer: writer, sequence: sequence,
                appendTime: Int64(block.appended * 1_000_000),
                eventTimes: start + Int64(block.since * 1_000_000)...start
                    + Int64((block.until ?? block.since) * 1_000_000)))
        if block.isBehindGap { collector.miss(linesBefore: sequence, of: writer) }
        var decoder = FactDecoder()
        for line in block.lines {
            Array(line.utf8).withUnsafeBytes { bytes in
                if let view = try? decoder.decode(bytes) {
                    collector.add(view, line: bytes)
                } else {
                    collector.countUnreadable()
                }
            }
        }
    }

    /// The numbers that the events' ids were made of.
    static func numbers(_ screened: Screened) -> [Int] { screened.events.map(number) }

    static func number(_ event: VendorEvent) -> Int { Int(event.id.id.low & 0xFFFF) }

    /// The lines of `events.ndjson`.
    static func events(_ screened: Screened) -> [String] {
        String(decoding: EventLines(screened.events).bytes, as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    /// What was withheld, by name.
    static func withheld(_ screened: Screened) -> [String: Int] {
        Dictionary(
            uniqueKeysWithValues: screened.withheld.occurring.map {
                ("\($0.reason.name)", $0.count)
            })
    }
}
