// Which facts pass: closed sets, usages, repetitions, and that the order of lines never matters.

import TestSupport
import Testing
import VendorSink

@Suite("Screening") struct ScreeningTests {
    private static let topics = #"{"topic":["billing","other"]}"#

    // MARK: Catalogs

    @Test("a value leaves only if the catalog that is in force lists it, flags and texts apart")
    func listed() {
        let screened = Lines.screen([
            Lines.catalog(1, #"{"topic":["billing","true"],"urgent":[true]}"#),
            Lines.inference(
                2, at: 1, report: #"{"topic":"billing","urgent":false,"mood":"billing"}"#),
            Lines.inference(3, at: 2, report: #"{"topic":true,"urgent":"true"}"#),
            Lines.inference(4, at: 3, report: #"{"topic":"Billing","urgent":true}"#),
        ])
        let events = Lines.events(screened)
        #expect(events[0].contains(#""output":{"topic":"billing"}"#))
        #expect(events[1].hasSuffix(#"{"result":"success"}}"#))
        #expect(events[2].contains(#""output":{"urgent":true}"#))
        #expect(Lines.withheld(screened) == ["unlisted_value": 5])
    }

    @Test("a listed value that is no name leaves only where a person reviewed it")
    func values() throws {
        let texts = ["very good", "ada@example.com", "https://x.example", "caf\u{E9}", ""]
        let list = (["good"] + texts).map { "\"\($0)\"" }.joined(separator: ",")
        let lines =
            [Lines.catalog(1, "{\"topic\":[\(list)]}")]
            + (["good"] + texts).enumerated().map {
                Lines.inference(2 + $0, at: 1, report: "{\"topic\":\"\($1)\"}")
            }
        let screened = Lines.screen(lines)
        #expect(Lines.events(screened).count { $0.contains("output") } == 1)
        #expect(Lines.withheld(screened) == ["unreviewed_value": 5])
        let reviewed = Lines.screen(
            lines, reviewed: try ReviewedCatalog(screened.draft.bytes))
        #expect(Lines.events(reviewed).count { $0.contains("output") } == 6)
        #expect(Lines.withheld(reviewed) == [:])
    }

    @Test("texts that only look equal are different values")
    func canonicalEquivalence() {
        let screened = Lines.screen([
            Lines.catalog(1, "{\"topic\":[\"caf\u{E9}\"]}"),
            Lines.inference(2, at: 1, report: "{\"topic\":\"cafe\u{301}\"}"),
        ])
        #expect(Lines.withheld(screened) == ["unlisted_value": 1])
    }

    @Test("a catalog younger than the event, or of another field, lets nothing leave")
    func foreignCatalog() {
        let screened = Lines.screen([
            Lines.catalog(1, at: 2, Self.topics),
            Lines.catalog(2, at: 0, field: "support/other", Self.topics),
            Lines.inference(3, at: 1.999_999, report: #"{"topic":"billing"}"#),
            Lines.inference(4, at: 2, report: #"{"topic":"billing"}"#),
        ])
        #expect(Lines.events(screened).map { $0.contains("billing") } == [false, true])
        #expect(Lines.withheld(screened) == ["no_catalog": 1])
    }

    @Test("the latest catalog replaces those before it, also where it lists less")
    func latestCatalog() {
        let screened = Lines.screen([
            Lines.catalog(1, at: 0, Self.topics),
            Lines.catalog(2, at: 10, #"{"topic":["other"]}"#),
            Lines.inference(3, at: 9, report: #"{"topic":"billing"}"#),
            Lines.inference(4, at: 11, report: #"{"topic":"billing"}"#),
            Lines.inference(5, at: 12, report: #"{"topic":"other"}"#),
        ])
        #expect(Lines.events(screened).map { $0.contains("output") } == [true, false, true])
    }

    @Test("of catalogs of one time only what all of them list is listed")
    func catalogsAtOnce() {
        let screened = Lines.screen([
            Lines.catalog(1, Self.topics),
            Lines.catalog(2, #"{"topic":["billing","secret"],"name":["Ada"]}"#),
            Lines.inference(3, at: 1, report: #"{"topic":"billing"}"#),
            Lines.inference(4, at: 2, report: #"{"topic":"secret","name":"Ada"}"#),
            Lines.inference(5, at: 3, report: #"{"topic":"other"}"#),
        ])
        #expect(Lines.events(screened).map { $0.contains("output") } == [true, false, false])
    }

    @Test("a later line of a catalog's id cannot widen it: the least one stays")
    func repeatedCatalog() {
        let narrow = Lines.catalog(1, at: 0, Self.topics)
        let wide = Lines.catalog(1, at: 0.5, #"{"topic":["billing","other","secret"]}"#)
        let event = Lines.inference(2, at: 1, report: #"{"topic":"secret"}"#)
        for lines in [[narrow, wide, event], [wide, narrow, event]] {
            let screened = Lines.screen(lines)
            #expect(!Lines.events(screened)[0].contains("secret"))
            #expect(Lines.withheld(screened) == ["repeated_lines": 1, "unlisted_value": 1])
        }
    }

    // MARK: What is not reported

    @Test("an event that names an evaluation of another usage does not leave, wherever that stands")
    func otherUsage() {
        let events = [
            Lines.suppression(1, evaluation: 101), Lines.suppression(2, evaluation: 102),
            Lines.inference(3, evaluation: 103), Lines.inference(4, evaluation: 104),
            Lines.suppression(5, evaluation: 105), Lines.suppression(6, evaluation: 103),
            Lines.inference(7, evaluation: 101),
        ]
        let evaluations = [
            Lines.evaluation(101, usage: "in_app_message_suppression"),
            Lines.evaluation(102, usage: "embedded_selection"),
            Lines.evaluation(103, usage: "scene_text_input"),
            Lines.evaluation(104, usage: "support_triage"),
        ]
        for lines in [events + evaluations, evaluations + events] {
            let screened = Lines.screen(lines)
            #expect(Lines.numbers(screened) == [1, 3, 5])
            #expect(Lines.withheld(screened) == ["other_usage": 4])
        }
    }

    @Test("an event does not leave whose evaluation may be in a line before it that is missing")
    func lostEvaluation() {
        func screen(_ evaluations: [String] = []) -> Screened {
            Lines.screen([
                Lines.Block(lines: [Lines.gate(1, at: 0, isOn: true), Lines.suppression(2, at: 1)]),
                Lines.Block(
                    sequence: 5, isBehindGap: true,
                    lines: [
                        Lines.gate(3, at: 2, isOn: true), Lines.suppression(4, at: 3),
                        Lines.inference(5, at: 4),
                        Lines.inference(6, at: 5).replacing(
                            Lines.uuid(1_000_006), with: "00000000-0000-0000-0000-000000000000"),
                    ]),
                Lines.Block(writer: 2, lines: [Lines.suppression(7, at: 6)] + evaluations),
            ])
        }
        #expect(Lines.numbers(screen()) == [2, 6, 7], "one that names none was about none")
        #expect(Lines.withheld(screen()) == ["lost_evaluation": 2])
        let known = screen([
            Lines.evaluation(1_000_004, usage: "in_app_message_suppression"),
            Lines.evaluation(1_000_005, usage: "embedded_selection"),
        ])
        #expect(Lines.numbers(known) == [2, 4, 6, 7])
        #expect(Lines.withheld(known) == ["other_usage": 1])
    }

    @Test("the id of an evaluation does not leave as that of an event or a session")
    func evaluationIDs() {
        let evaluation = Lines.evaluation(8, usage: "embedded_selection")
        let events = [
            Lines.suppression(8), Lines.inference(9, session: 8), Lines.inference(10, session: 1),
        ]
        for lines in [events + [evaluation], [evaluation] + events] {
            let screened = Lines.screen(lines)
            #expect(Lines.numbers(screened) == [10])
            #expect(Lines.withheld(screened) == ["event_id": 1, "session_id": 1])
        }
    }

    @Test("evaluations, gaps, results of tests and unknown types leave no trace in a report")
    func nothingElse() {
        let screened = Lines.screen([
            Lines.evaluation(1, usage: "embedded_selection"),
            Lines.evaluation(2, usage: "scene_text_input"),
            #"{"v":1,"type":"log_gap","id":"\#(Lines.uuid(3))","time":"\#(Lines.time(0))","stream":"#
                + #""facts","since":"\#(Lines.time(0))","refused":9000000000000,"cause":"no_space"}"#,
            Lines.evaluation(5, usage: "testset"),
            #"{"v":1,"type":"test_result","id":"\#(Lines.uuid(6))","time":"\#(Lines.time(0))","evaluation":"#
                + #""\#(Lines.uuid(5))","suite":"s","case":"c","task":"t","repetition":1,"verdict":"pass"}"#,
            #"{"v":1,"type":"embedded_selected","id":"\#(Lines.uuid(4))","subject":"banner"}"#,
        ])
        #expect(screened.events.isEmpty)
        #expect(Lines.withheld(screened) == ["unknown_types": 1])
        #expect(screened.draft.bytes == ReviewedCatalog().bytes)
    }

    // MARK: Repetitions

    @Test("an event that stands in several lines leaves once, as its least line")
    func repeatedLines() {
        let early = Lines.suppression(1, at: 1, message: "early")
        let late = Lines.suppression(1, at: 2, message: "late")
        for lines in [[early, late, late], [late, early, late]] {
            let screened = Lines.screen(lines)
            #expect(Lines.events(screened).count == 1)
            #expect(Lines.events(screened)[0].contains("early"))
            #expect(Lines.withheld(screened) == ["repeated_lines": 2])
        }
    }

    @Test("a field of a submission is told once, also under two ids; two submissions are two")
    func repeatedSubmission() {
        let screened = Lines.screen([
            Lines.inference(5, at: 1, evaluation: 50), Lines.inference(4, at: 1, evaluation: 50),
            Lines.inference(6, at: 2, evaluation: 50),
            Lines.inference(7, at: 1, field: "support/name", evaluation: 50),
            Lines.suppression(9, at: 3, evaluation: 60),
            Lines.suppression(8, at: 4, evaluation: 60),
        ])
        #expect(Lines.numbers(screened) == [4, 7, 6, 9])
        #expect(Lines.withheld(screened) == ["repeated_events": 2])
    }

    @Test("a later twin of an event does not take its place, whatever its time and id")
    func lateTwin() {
        let first = Lines.Block(
            appended: 10,
            lines: [
                Lines.suppression(5, at: 3, evaluation: 50),
                Lines.inference(7, at: 3, evaluation: 60),
            ])
        let twins = Lines.Block(
            writer: 2, appended: 20,
            lines: [
                Lines.suppression(4, at: 1, evaluation: 50),
                Lines.inference(6, at: 3, evaluation: 60),
            ])
        for count in 1...2 {
            for blocks in [[first, twins], [twins, first]] {
                let screened = Lines.screen(blocks, collectors: count)
                #expect(Lines.numbers(screened) == [5, 7])
            }
        }
    }

    @Test("the values of an event that is not told for another's sake go with it, uncounted")
    func repeatedValues() {
        let report = #"{"topic":"secret"}"#
        let twins = [5, 4].map { Lines.inference($0, at: 1, evaluation: 50, report: report) }
        let screened = Lines.screen(
            [Lines.catalog(1, #"{"topic":["billing"]}"#), Lines.suppression(7, at: 0)] + twins
                + [Lines.inference(7, at: 2, status: "failure", report: report)])
        #expect(Lines.numbers(screened) == [7, 4])
        #expect(Lines.withheld(screened) == ["repeated_events": 2, "unlisted_value": 1])
    }

    @Test("an id that stands in two types is one event to the vendor: the first is told")
    func idInTwoTypes() {
        for (first, second) in [(1.0, 2.0), (2.0, 1.0), (1.0, 1.0)] {
            let screened = Lines.screen([
                Lines.suppression(7, at: first), Lines.inference(7, at: second),
            ])
            #expect(Lines.events(screened).count == 1)
            #expect(Lines.events(screened)[0].contains("in_app_resolution") == (first <= second))
            #expect(Lines.withheld(screened) == ["repeated_events": 1])
        }
    }

    // MARK: Order

    @Test(
        "any order of lines and any number of threads give the same report",
        arguments: FuzzSeeds.first(20))
    func order(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let lines = RandomReports(random: random).lines
        let expected = Lines.screen(lines)
        let summary = VendorSummary(expected.events.map { (ReportWindow(start: 0, end: 1), $0) })
        for count in 1...4 {
            let shuffled = Lines.blocks(lines).shuffled(using: &random)
            let other = Lines.screen(shuffled, collectors: count)
            #expect(Lines.events(other) == Lines.events(expected))
            #expect(other.withheld == expected.withheld)
            #expect(other.draft.bytes == expected.draft.bytes)
            let again = VendorSummary(other.events.map { (ReportWindow(start: 0, end: 1), $0) })
            let isSame = again.bytes == summary.bytes
            #expect(isSame)
        }
        #expect(expected.events.count > 5)
        #expect(Lines.withheld(expected).count > 2)
    }
}
