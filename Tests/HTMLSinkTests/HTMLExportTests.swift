// The page as bytes. What a browser makes of it: tools/browser.

import EvalogFacts
import EvalogMetrics
import Foundation
import HTMLSink
import Testing

@Suite("The page") struct HTMLExportTests {
    private static let hour = TimeWindow(start: 1_795_946_400_000_000, end: 1_795_950_000_000_000)
    private static let later = TimeWindow(start: 1_795_950_000_000_000, end: 1_795_953_600_000_000)

    private static func tables(model: String = "m", durations values: [UInt64] = [])
        -> MetricsTables
    {
        var durations = Histogram()
        for value in values { durations.add(value) }
        var outcomes = OutcomeCounts()
        outcomes.completed = 3
        outcomes.failed = 1
        return MetricsTables(
            rules: MetricsRules(), groups: [[Name("u"), Name(model), .absent]],
            evaluations: [
                EvaluationRow(
                    window: later, group: 0, outcomes: outcomes, retried: 2, attempts: 6,
                    durations: durations, latest: 0)
            ],
            impressions: [
                ImpressionRow(
                    window: hour, group: 0, outcomes: outcomes, reEvaluations: 5, suppression: nil)
            ],
            outcomes: [
                OutcomeRow(
                    window: later, group: 0, outcomeClass: OutcomeClass(.failed, error: .timeout),
                    evaluations: 1)
            ],
            inferences: [], inferenceValues: [], quality: [QualityRow("lines", 4)],
            timeRange: hour.start...later.start, refused: 0)
    }

    private static func page(_ tables: MetricsTables) -> String {
        var bytes: [UInt8] = []
        HTMLExport(tables, exportTime: later.end, version: "1", refreshSeconds: 7).write {
            bytes += $0
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What the page's script reads.
    private static func data(_ page: String) throws -> [String: Any] {
        let begin = try #require(page.range(of: "<script type=\"application/json\" id=\"data\">"))
        let end = try #require(page[begin.upperBound...].range(of: "</script>"))
        let text = page[begin.upperBound..<end.lowerBound]
        return try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test(
        "a name ends no script, however it is written, and is read back as it was",
        arguments: ["</script><b>", "<!--", "a\u{2028}b\"\\", "@@data@@", "]]>"])
    func hostile(model: String) throws {
        let page = Self.page(Self.tables(model: model))
        let groups = try #require(try Self.data(page)["groups"] as? [[String]])
        #expect(groups == [["u", model, ""]])
        let plain = Self.page(Self.tables())
        for tag in ["<script", "</script>", "<!--", "<b>"] {
            #expect(
                page.components(separatedBy: tag).count == plain.components(separatedBy: tag).count)
        }
    }

    @Test("the page refers to nothing outside of itself, and its parts are all there")
    func selfContained() {
        let page = Self.page(Self.tables())
        for outside in ["src=", "href=\"http", "url(", "@import", "fetch(", "XMLHttpRequest"] {
            #expect(!page.contains(outside), "\(outside)")
        }
        #expect(!page.contains("@@"))
        #expect(page.contains("class Chart") && page.contains("class Sum"))
        #expect(page.contains(".tile {"))
    }

    @Test("rows are columns, their windows those of all tables in order")
    func rows() throws {
        let data = try Self.data(Self.page(Self.tables()))
        #expect(
            data["windows"] as? [String: [Int]] == [
                "start": [1_795_946_400_000, 1_795_950_000_000],
                "end": [1_795_950_000_000, 1_795_953_600_000],
            ])
        let evaluations = try #require(data["evaluations"] as? [String: Any])
        #expect(evaluations["window"] as? [Int] == [1])
        #expect(evaluations["completed"] as? [Int] == [3])
        #expect(evaluations["retried"] as? [Int] == [2])
        let impressions = try #require(data["impressions"] as? [String: Any])
        #expect(impressions["window"] as? [Int] == [0])
        #expect(impressions["re_evaluations"] as? [Int] == [5])
        #expect(data["causes"] as? [[String]] == [["failed", "timeout", ""]])
        #expect(data["refresh"] as? Int == 7)
        #expect(data["range"] as? [Int] == [1_795_946_400_000, 1_795_950_000_000])
    }

    @Test("bins are told by their distance, and give the histogram back")
    func bins() throws {
        let values: [UInt64] = [0, 0, 3, 511, 512, 1_000_000, 86_400_000_000]
        let tables = Self.tables(durations: values)
        let evaluations = try #require(
            try Self.data(Self.page(tables))["evaluations"] as? [String: Any])
        let pairs = try #require((evaluations["bins"] as? [[Int]])?.first)
        var bin = 0
        var found: [Int: Int] = [:]
        for place in stride(from: 0, to: pairs.count, by: 2) {
            bin += pairs[place]
            found[bin] = pairs[place + 1]
        }
        let expected = Dictionary(
            values.map { (HistogramBins.bin(of: $0), 1) }, uniquingKeysWith: +)
        #expect(found == expected)
        #expect(evaluations["max_us"] as? [Int] == [86_400_000_000])
    }

    @Test("equal tables give equal pages")
    func equal() {
        #expect(Self.page(Self.tables(durations: [5])) == Self.page(Self.tables(durations: [5])))
    }
}
