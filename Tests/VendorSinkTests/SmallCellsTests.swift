// Rows of few sessions: hidden, and not to be had by subtraction either.

import TestSupport
import Testing
import VendorSink

@Suite("Small cells") struct SmallCellsTests {
    private static let window = ReportWindow(
        start: 1_577_836_800_000_000, end: 1_577_840_400_000_000)

    /// The rows after the window's columns, and how many were hidden.
    private func summary(
        _ lines: [String], fewerThan count: Int = 5
    ) -> (rows: [String], hiddenCount: Int) {
        let events = Lines.screen(lines).events.map { (window: Self.window, event: $0) }
        let (summary, hiddenCount) = SmallCells.summary(of: events, fewerThan: count)
        let text = String(decoding: summary.bytes, as: UTF8.self)
        let rows = text.split(separator: "\r\n").dropFirst()
        return (
            rows.map { String($0.dropFirst("2020-01-01T00:00:00Z,2020-01-01T01:00:00Z,".count)) },
            hiddenCount
        )
    }

    /// So many inferences of sessions of their own that report a topic.
    private func inferences(_ count: Int, from id: Int, topic: String?) -> [String] {
        (id..<id + count).map { id in
            Lines.inference(
                id, at: 1, session: id, report: topic.map { #"{"topic":"\#($0)"}"# })
        }
    }

    private let catalog = Lines.catalog(1, #"{"topic":["a","b","c","d"]}"#)

    @Test("a row of fewer sessions than asked is hidden, however many events it has")
    func sessions() {
        let few = (10..<30).map { Lines.suppression($0, at: 1, message: "few", session: $0 % 4) }
        let enough = (30..<35).map { Lines.suppression($0, at: 1, message: "enough", session: $0) }
        let (rows, hiddenCount) = summary(few + enough)
        #expect(rows == ["in_app_resolution,enough,skip,,,,,,5"])
        #expect(hiddenCount == 1)
        #expect(summary(few + enough, fewerThan: 6).rows.isEmpty)
        #expect(summary(few + enough, fewerThan: 1).rows.count == 2)
    }

    @Test("a small value takes the smallest other one with it, so that the total does not tell it")
    func secondary() {
        let lines =
            [catalog] + inferences(20, from: 10, topic: "a") + inferences(9, from: 40, topic: "b")
            + inferences(7, from: 60, topic: "c") + inferences(2, from: 80, topic: "d")
        let (rows, hiddenCount) = summary(lines)
        let field = "in_app_form_result,,,support,text,success,"
        #expect(rows == [field + ",,38", field + "topic,a,20", field + "topic,b,9"])
        #expect(hiddenCount == 2)
    }

    @Test("small values that together have enough sessions take no other with them")
    func together() {
        let lines =
            [catalog] + inferences(20, from: 10, topic: "a") + inferences(3, from: 40, topic: "b")
            + inferences(2, from: 60, topic: "c")
        let (rows, hiddenCount) = summary(lines)
        #expect(rows.count == 2 && hiddenCount == 2)
        #expect(rows.last?.hasSuffix("topic,a,20") == true)
    }

    @Test("successes that report nothing of a property count as a value that is never shown")
    func unreported() {
        let lines =
            [catalog] + inferences(20, from: 10, topic: "a") + inferences(9, from: 40, topic: "b")
        #expect(summary(lines).rows.count == 3)
        #expect(summary(lines + inferences(1, from: 60, topic: nil)).rows.count == 2)
        #expect(summary(lines + inferences(5, from: 60, topic: nil)).rows.count == 3)
    }

    @Test("with one value and a small rest only the total is left")
    func onlyTotal() {
        let lines =
            [catalog] + inferences(20, from: 10, topic: "a") + inferences(2, from: 60, topic: "b")
        #expect(summary(lines).rows == ["in_app_form_result,,,support,text,success,,,22"])
    }

    @Test("few failures cannot be had from another field of the form, which was submitted as often")
    func fieldsOfForm() {
        func form(_ field: String, failures: Range<Int>, from id: Int) -> [String] {
            (0..<30).map { number in
                Lines.inference(
                    id + number, at: 1, field: "support/\(field)", session: 100 + number,
                    status: failures.contains(number) ? "failure" : "success",
                    report: field == "text" ? #"{"topic":"a"}"# : nil)
            }
        }
        let whole = form("name", failures: 0..<0, from: 500)
        let row = "in_app_form_result,,,support,name,success,,,30"
        let few = [catalog] + form("text", failures: 0..<2, from: 200)
        #expect(summary(few + whole).rows == [row])
        #expect(summary(few + whole).hiddenCount == 3)
        #expect(summary(few).rows.count == 2, "alone it adds up to nothing that is shown")
        let enough = [catalog] + form("text", failures: 0..<6, from: 200)
        #expect(summary(enough + whole).rows.count == 4)
        let other = form("name", failures: 0..<0, from: 500).map {
            $0.replacing("support/name", with: "contact/name")
        }
        #expect(summary(few + other).rows.count == 3)
    }

    /// Whatever is shown, what it leaves open of each property stands for enough sessions or for none.
    @Test("no subtraction ever leaves fewer sessions", arguments: FuzzSeeds.first(60))
    func subtraction(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let least = Int.random(in: 2...6, using: &random)
        var lines = [Lines.catalog(1, #"{"topic":["a","b","c","d"],"urgent":[true,false]}"#)]
        var answers: [(session: Int, values: [String: String])] = []
        for id in 10..<10 + Int.random(in: 5...60, using: &random) {
            let session = Int.random(in: 1...30, using: &random)
            var values: [String: String] = [:]
            if Int.random(in: 0...9, using: &random) > 0 {
                let choices = ["a", "a", "a", "b", "b", "c", "d"]
                values["topic"] = choices.randomElement(using: &random)!
            }
            if Bool.random(using: &random) {
                values["urgent"] = Int.random(in: 0...9, using: &random) == 0 ? "true" : "false"
            }
            answers.append((session, values))
            let members = values.sorted { $0.key < $1.key }.map { key, value in
                "\"\(key)\":" + (key == "topic" ? "\"\(value)\"" : value)
            }
            lines.append(
                Lines.inference(
                    id, at: 1, session: session, report: "{\(members.joined(separator: ","))}"))
        }
        let rows = summary(lines, fewerThan: least).rows.map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        #expect(rows.contains { $0[6].isEmpty } == (Set(answers.map(\.session)).count >= least))
        for row in rows {
            let counted = answers.filter { row[6].isEmpty || $0.values[row[6]] == row[7] }
            #expect(Int(row[8]) == counted.count)
            #expect(Set(counted.map(\.session)).count >= least)
        }
        for property in ["topic", "urgent"] {
            let shown = rows.filter { $0[6] == property }.map { $0[7] }
            guard !shown.isEmpty else { continue }
            let open = answers.filter { answer in
                answer.values[property].map { !shown.contains($0) } ?? true
            }
            #expect(open.isEmpty || Set(open.map(\.session)).count >= least)
        }
    }

    /// Two fields are submitted together, so each tells how many submissions there were. What is left open of one
    /// must stand for enough sessions, also for somebody who has that number from the other.
    @Test("no subtraction between two fields leaves fewer sessions", arguments: FuzzSeeds.first(60))
    func twoFields(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let least = Int.random(in: 2...6, using: &random)
        let fields = ["support/name", "support/text"]
        var lines = fields.enumerated().map {
            Lines.catalog(1 + $0, field: $1, #"{"topic":["a","b","c"]}"#)
        }
        var answers: [(session: Int, field: String, topic: String?, isSuccess: Bool)] = []
        let failures = fields.map { _ in Int.random(in: 1...9, using: &random) }
        for id in 10..<10 + Int.random(in: 5...60, using: &random) {
            let session = Int.random(in: 1...30, using: &random)
            for (number, field) in fields.enumerated() {
                let isSuccess = Int.random(in: 0...9, using: &random) >= failures[number]
                let topic =
                    isSuccess ? ["a", "a", "a", "b", "c", nil].randomElement(using: &random)! : nil
                answers.append((session, field, topic, isSuccess))
                lines.append(
                    Lines.inference(
                        id + 100 * number, at: 1, field: field, session: session,
                        status: isSuccess ? "success" : "failure",
                        report: topic.map { "{\"topic\":\"\($0)\"}" }))
            }
        }
        let rows = summary(lines, fewerThan: least).rows.map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        func expectEnough(_ open: [(session: Int, field: String, topic: String?, isSuccess: Bool)])
        {
            #expect(open.isEmpty || Set(open.map(\.session)).count >= least)
        }
        for field in fields {
            let own = answers.filter { $0.field == field }
            let shown = rows.filter { "\($0[3])/\($0[4])" == field }
            let results = shown.filter { $0[6].isEmpty }.map { $0[5] == "success" }
            if !results.isEmpty { expectEnough(own.filter { !results.contains($0.isSuccess) }) }
            let topics = shown.filter { $0[6] == "topic" }.map { $0[7] }
            if !topics.isEmpty {
                expectEnough(
                    own.filter { $0.isSuccess && !($0.topic.map(topics.contains) ?? false) })
            }
        }
    }
}
