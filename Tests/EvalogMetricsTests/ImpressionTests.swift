// Impressions small enough to check by hand.

import EvalogFacts
import EvalogMetrics
import Testing

@Suite("impressions") struct ImpressionTests {
    /// Impressions and evaluations folded beyond the first, over all rows.
    private func fold(
        _ lines: [FactLine], _ change: (inout MetricsRules) -> Void = { _ in }
    ) throws -> [Int] {
        let rows = try tables(of: lines, change).impressions
        return [
            rows.reduce(0) { $0 + $1.outcomes.total }, rows.reduce(0) { $0 + $1.reEvaluations },
        ]
    }

    @Test("exactly the gap still folds, one microsecond more does not")
    func gap() throws {
        let half = 1_800.0
        #expect(try fold([.evaluation(1, at: 0), .evaluation(2, at: half)]) == [1, 1])
        #expect(try fold([.evaluation(1, at: 0), .evaluation(2, at: half + 1e-6)]) == [2, 0])
    }

    @Test("the gap runs from the previous evaluation, not from the first")
    func chain() throws {
        let lines = (0..<10).map { FactLine.evaluation($0, at: Double($0) * 1_700) }
        #expect(try fold(lines) == [1, 9])
    }

    @Test("24 hours after its first evaluation an impression is over, whatever the gap")
    func span() throws {
        let day = 86_400.0
        let chain = (0..<48).map { FactLine.evaluation($0, at: Double($0) * 1_800) }
        #expect(try fold(chain + [.evaluation(99, at: day - 1e-6)]) == [1, 48])
        #expect(try fold(chain + [.evaluation(99, at: day)]) == [2, 47])
    }

    @Test("every decision of the suppression usage stands alone, at the same instant too")
    func suppressionGap() throws {
        let usage = "in_app_message_suppression"
        let lines = (0..<3).map { FactLine.evaluation($0, at: 0, usage: usage) }
        #expect(try fold(lines) == [3, 0])
        #expect(try fold(lines) { $0.gaps.byUsage = [usage: 60_000_000] } == [1, 2])
        #expect(try fold(lines) { $0.gaps.everyUsage = 60_000_000 } == [1, 2])
    }

    @Test("usage, subject and session all have to be equal")
    func keys() throws {
        let lines: [FactLine] = [
            .evaluation(1, at: 0), .evaluation(2, at: 1, subject: "shop"),
            .evaluation(3, at: 2, session: 2), .evaluation(4, at: 3, usage: "scene_text_input"),
            .evaluation(5, at: 4, model: "m2", os: "iOS 27.0"),
        ]
        #expect(try fold(lines) == [4, 1])
    }

    @Test("a session that is a digest is another one than the UUID of the same bits")
    func digestSessions() throws {
        let hex = FactLine.id(1_000_001).split(separator: "-").joined()
        let lines: [FactLine] = [
            .evaluation(1, at: 0), FactLine.evaluation(2, at: 1).with("session", "\"~\(hex)\""),
        ]
        #expect(try fold(lines) == [2, 0])
    }

    @Test("without subject or session an evaluation is an impression of its own, and counted")
    func unkeyed() throws {
        let lines: [FactLine] = [
            .evaluation(1, at: 0, subject: nil), .evaluation(2, at: 0, subject: nil),
            .evaluation(3, at: 0, session: nil), .evaluation(4, at: 0),
        ]
        #expect(try fold(lines) == [4, 0])
        #expect(try tables(of: lines).quality("unkeyed") == 3)
    }

    @Test("the outcome is that of the last evaluation not cancelled, else cancelled")
    func outcome() throws {
        func outcomes(_ outcomes: [String]) throws -> OutcomeCounts {
            let lines = outcomes.enumerated().map {
                FactLine.evaluation($0, at: Double($0), outcome: $1)
            }
            return try #require(try tables(of: lines).impressions.first).outcomes
        }
        #expect(try outcomes(["completed", "failed", "cancelled"]).failed == 1)
        #expect(try outcomes(["failed", "skipped"]).skipped == 1)
        #expect(try outcomes(["cancelled", "cancelled"]).cancelled == 1)
    }

    @Test("equal times are ordered by id")
    func equalTimes() throws {
        let lines: [FactLine] = [
            .evaluation(2, at: 0, outcome: "failed"), .evaluation(1, at: 0, outcome: "completed"),
        ]
        #expect(try #require(try tables(of: lines).impressions.first).outcomes.failed == 1)
    }

    @Test("window and group are those of the first evaluation")
    func firstDecides() throws {
        let found = try tables(of: [
            .evaluation(2, at: 3_601, model: "m2"), .evaluation(1, at: 3_599, model: "m1"),
        ])
        #expect(found.impressions.count == 1)
        let row = try #require(found.impressions.first)
        #expect(row.window.start == FactLine.origin)
        #expect(found.groups[row.group][1].text == "m1")
        #expect(found.evaluations.count == 2)
    }

    @Test("an impression is suppressed if every evaluation of it is named by an event")
    func suppressed() throws {
        let usage = "in_app_message_suppression"
        func counts(_ events: [FactLine]) throws -> SuppressionCounts? {
            let lines: [FactLine] = [
                .evaluation(1, at: 0, usage: usage), .evaluation(2, at: 1, usage: usage),
            ]
            return try #require(
                try tables(of: lines + events) { $0.gaps.byUsage = [usage: 60_000_000] }
                    .impressions.first
            ).suppression
        }
        #expect(try counts([.suppression(9, at: 0, of: 1)])?.suppressed == 0)
        #expect(
            try counts([.suppression(9, at: 0, of: 1), .suppression(8, at: 0, of: 2)])?
                .suppressed == 1)
        #expect(try counts([.suppression(9, at: 0, of: 7)])?.notSuppressed == 1)
    }

    @Test("other usages have no suppression counts")
    func noSuppression() throws {
        let found = try tables(of: [.evaluation(1, at: 0), .suppression(2, at: 0, of: 1)])
        #expect(try #require(found.impressions.first).suppression == nil)
    }

    @Test("a range reads from 24 hours earlier, and has rows of its own only")
    func since() throws {
        let lines: [FactLine] = [
            .evaluation(1, at: -60), .evaluation(2, at: 60), .evaluation(3, at: 7_200),
        ]
        let found = try tables(of: lines) { $0.since = FactLine.origin }
        // The second evaluation belongs to the impression that began before the range.
        #expect(found.impressions.map(\.outcomes.total) == [1])
        #expect(found.evaluations.map(\.outcomes.total) == [1, 1])
        #expect(found.quality("evaluations") == 3)
    }

    @Test("facts that arrive days late go to the window of their own time")
    func late() throws {
        let lines: [FactLine] = [
            .evaluation(1, at: 3 * 86_400), .evaluation(2, at: 0), .evaluation(3, at: 1),
        ]
        let found = try tables(of: lines)
        #expect(
            found.evaluations.map(\.window.start) == [
                FactLine.origin, FactLine.origin + 3 * 86_400_000_000,
            ])
        #expect(found.impressions.map(\.reEvaluations) == [1, 0])
    }
}
