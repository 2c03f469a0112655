// What is explained is what is counted: impressions of inquiries, added up, are those of the tables.

import DeviceTiers
import EvalogFacts
import EvalogLog
import EvalogMetrics
import EvalogReplay
import EvalogText
import TestSupport
import Testing
import Workload

@Suite("Explanation") struct ExplanationTests {
    private static func log(_ lines: [Workload.Line], in folder: ScratchFolder) throws
        -> LogDirectory
    {
        let directory = LogDirectory(path: "\(folder.path)/log")
        let writers = [try LogWriter(directory), try LogWriter(directory)]
        for (number, line) in lines.enumerated() {
            let writer = writers[number % 2]
            _ = writer.appendWaiting(
                line.bytes, to: .facts, eventTime: line.fact?.time ?? 0)
            if number % 499 == 0 { try writer.flush() }
        }
        for writer in writers { try writer.close() }
        return directory
    }

    /// Inquiries that between them are about every evaluation, whichever of its lines stays.
    private static func inquiries(_ lines: [Workload.Line]) -> [Inquiry] {
        var inquiries: Set<Inquiry> = []
        for line in lines {
            guard case .evaluation(let fact)? = line.fact else { continue }
            if let subject = fact.subject {
                inquiries.insert(.subject(subject))
            } else if let session = fact.session {
                inquiries.insert(.session(session))
            } else {
                inquiries.insert(.id(fact.id))
            }
        }
        return Array(inquiries)
    }

    private static func rules(_ number: Int, start: Int64) -> MetricsRules {
        var rules = MetricsRules()
        switch number {
        case 1:
            rules.gaps.everyUsage = 300_000_000
            rules.by = [.usage]
        case 2:
            rules.since = start + 2 * 86_400_000_000
            rules.until = start + 9 * 86_400_000_000
            rules.by = [.app]
        case 3:
            rules.filters.outcomes = [.failed, .cancelled]
            rules.filters.usages = ["embedded_selection", "in_app_message_suppression"]
            rules.gaps.byUsage = ["in_app_message_suppression": 60_000_000]
            rules.by = []
        default: break
        }
        return rules
    }

    @Test(
        "the impressions of all inquiries together are those of the tables, each once",
        arguments: 0..<4)
    func agreement(number: Int) throws {
        var options = Workload.Options()
        options.span = 12 * 86_400_000_000
        let lines = Workload(seed: 21 + UInt64(number), count: 2_500, options: options).lines
        let folder = ScratchFolder()
        let directory = try Self.log(lines, in: folder)
        let rules = Self.rules(number, start: options.start)
        let replay = Replay(directory, threads: 2)
        let tables = try replay.tables(rules).tables
        var grid = try WindowGrid(rules.window, timeZone: rules.timeZone)
        var firsts: Set<UniqueID> = []
        var cells: [String: ImpressionRow] = [:]
        for inquiry in Self.inquiries(lines) {
            let explanation = try replay.explanation(of: inquiry, rules)
            for impression in explanation.impressions {
                let first = explanation.trace.evaluation(impression.evaluations[0]).fact
                guard firsts.insert(first.id).inserted else { continue }
                let window = grid.window(of: first.time)
                let key = "\(window.start) \(Self.names(first, rules.by))"
                var row =
                    cells[key]
                    ?? ImpressionRow(
                        window: window, group: 0, outcomes: OutcomeCounts(), reEvaluations: 0,
                        suppression: nil)
                row.outcomes.add(impression.outcome)
                row.reEvaluations += impression.evaluations.count - 1
                if let isSuppressed = impression.isSuppressed {
                    var counts = row.suppression ?? SuppressionCounts()
                    counts.suppressed += isSuppressed ? 1 : 0
                    counts.notSuppressed += isSuppressed ? 0 : 1
                    row.suppression = counts
                }
                cells[key] = row
            }
        }
        #expect(tables.impressions.count > 20)
        let expected = Dictionary(
            uniqueKeysWithValues: tables.impressions.map { row in
                var bare = row
                bare.group = 0
                let names = tables.groups[row.group].map(\.text)
                return ("\(row.window.start) \(names)", bare)
            })
        #expect(cells == expected)
    }

    private static func names(_ fact: EvaluationFact, _ by: [Dimension]) -> [String] {
        by.map { dimension in
            switch dimension {
            case .usage: fact.usage
            case .model: fact.model ?? ""
            case .os: fact.os ?? ""
            case .device: fact.device ?? ""
            case .app: fact.app ?? ""
            case .tier: DeviceTier(device: fact.device ?? "", os: fact.os ?? "").rawValue
            }
        }
    }

    @Test("duplicates and conflicts of all evaluations are those of the quality table")
    func copies() throws {
        let lines = Workload(seed: 31, count: 2_000).lines.filter { line in
            if case .evaluation? = line.fact { true } else { false }
        }
        let folder = ScratchFolder()
        let replay = Replay(try Self.log(lines, in: folder), threads: 2)
        let tables = try replay.tables(MetricsRules()).tables
        var seen: Set<UniqueID> = []
        var lineCount = 0
        var conflictCount = 0
        for inquiry in Self.inquiries(lines) {
            let explanation = try replay.explanation(of: inquiry, MetricsRules())
            for number in explanation.impressions.flatMap(\.evaluations) {
                let evaluation = explanation.trace.evaluation(number)
                guard seen.insert(evaluation.fact.id).inserted else { continue }
                lineCount += evaluation.lineCount
                conflictCount += evaluation.conflictCount
                let versions = explanation.versions[evaluation.fact.id] ?? []
                #expect((versions.count > 1) == (evaluation.conflictCount > 0))
                if !versions.isEmpty {
                    let said = lines.filter { versions.contains($0.bytes) }.compactMap(\.fact)
                    #expect(said.contains(.evaluation(evaluation.fact)))
                }
            }
        }
        #expect(Int128(seen.count) == tables.quality("evaluations"))
        #expect(Int128(lineCount - seen.count) == tables.quality("duplicates"))
        #expect(Int128(conflictCount) == tables.quality("conflicts") && conflictCount > 0)
    }

    @Test("the id of an event leads to the evaluation that it names, an unknown id to nothing")
    func events() throws {
        var options = Workload.Options()
        options.hasFaults = false
        let lines = Workload(seed: 41, count: 2_000, options: options).lines
        let folder = ScratchFolder()
        let replay = Replay(try Self.log(lines, in: folder), threads: 2)
        var found = 0
        for case .aiSuppressed(let event)? in lines.map(\.fact).prefix(400) {
            let explanation = try replay.explanation(of: .id(event.id), MetricsRules())
            let isKnown = lines.contains {
                if case .evaluation(let fact)? = $0.fact {
                    fact.id == event.evaluation
                } else {
                    false
                }
            }
            #expect(explanation.impressions.count == (isKnown ? 1 : 0))
            guard isKnown else { continue }
            found += 1
            let named = explanation.impressions[0].evaluations.map(explanation.trace.evaluation)
                .first { $0.fact.id == event.evaluation }
            #expect(named?.events.contains { $0.id == event.id } == true)
            #expect(
                named?.fact
                    == lines.lazy.compactMap { line -> EvaluationFact? in
                        if case .evaluation(let fact)? = line.fact, fact.id == event.evaluation {
                            fact
                        } else {
                            nil
                        }
                    }.first)
        }
        #expect(found > 0)
        let nothing = try replay.explanation(
            of: .id(UniqueID(high: 1, low: 2)), MetricsRules())
        #expect(nothing.impressions.isEmpty && !nothing.isKnown)
    }
}
