// From segments to tables: nothing but the lines may matter.

import EvalogFacts
import EvalogLog
import EvalogMetrics
import EvalogReplay
import TestSupport
import Testing
import Workload

@Suite("Replay") struct ReplayTests {
    /// Writes a seeded workload with several writers, in small blocks.
    private func log(in folder: ScratchFolder, seed: UInt64, count: Int) throws -> LogDirectory {
        let directory = LogDirectory(path: "\(folder.path)/log")
        var writers: [LogWriter] = []
        for _ in 0..<3 { writers.append(try LogWriter(directory)) }
        var number = 0
        for line in Workload(seed: seed, count: count).lines {
            let writer = writers[number % writers.count]
            _ = writer.appendWaiting(line.bytes, to: .facts, eventTime: line.fact?.time ?? 0)
            number += 1
            if number % 997 == 0 { try writer.flush() }
        }
        for writer in writers { try writer.close() }
        return directory
    }

    private func cells(_ tables: MetricsTables) -> [String] {
        tables.evaluations.map {
            "\($0.window) \($0.group) \($0.outcomes) \($0.attempts) \($0.durations.percentiles([50]))"
        }
            + tables.impressions.map { "\($0)" } + tables.outcomes.map { "\($0)" }
            + tables.inferences.map { "\($0)" } + tables.inferenceValues.map { "\($0)" }
            + tables.quality.map { "\($0)" }
    }

    @Test("threads and readings make no difference", arguments: [UInt64(1), 2])
    func sameTables(seed: UInt64) throws {
        let folder = ScratchFolder()
        let directory = try log(in: folder, seed: seed, count: 6_000)
        let expected = try Replay(directory, threads: 1).tables(MetricsRules())
        #expect(expected.tables.quality.first { $0.name == "lines" }?.value == 6_000)
        #expect(expected.report.isClean)
        for (threads, parts) in [(2, 1), (5, 1), (2, 3)] {
            let replay = Replay(directory, threads: threads)
            let found = try replay.tables(MetricsRules(), partCount: parts)
            #expect(cells(found.tables) == cells(expected.tables))
        }
    }

    @Test("a log that is not there is an error, an empty one gives empty tables")
    func empty() throws {
        let folder = ScratchFolder()
        let directory = LogDirectory(path: "\(folder.path)/log")
        #expect(throws: LogError.self) { try Replay(directory, threads: 1).tables(MetricsRules()) }
        try LogWriter(directory).close()
        let tables = try Replay(directory, threads: 2).tables(MetricsRules()).tables
        #expect(tables.evaluations.isEmpty)
        #expect(tables.timeRange == nil)
    }

    @Test("rules that cannot be are refused before the log is looked at")
    func rules() {
        var rules = MetricsRules()
        rules.timeZone = "Mars/Olympus"
        rules.window = .day
        let nowhere = LogDirectory(path: "/nowhere")
        #expect(throws: MetricsError.self) { try Replay(nowhere, threads: 1).tables(rules) }
    }
}
