// Parts of a log: what had been appended by a time, and what happened since one.

import EvalogFacts
import EvalogLog
import EvalogMetrics
import EvalogReplay
import Synchronization
import TestSupport
import Testing
import Workload

/// A wall clock that a test sets.
private final class WallClock: LogClock {
    private let time = Mutex(Int64(0))

    func set(_ microseconds: Int64) { time.withLock { $0 = microseconds } }
    func wallTime() -> Int64 { time.withLock { $0 } }
    func monotonicTime() -> Int64 { time.withLock { $0 } }
}

@Suite("Replay scope") struct ReplayScopeTests {
    /// Appends stretches of a workload, one a minute, and returns the time of each.
    private func log(in folder: ScratchFolder, _ stretches: [[Workload.Line]]) throws
        -> LogDirectory
    {
        let directory = LogDirectory(path: "\(folder.path)/log")
        let clock = WallClock()
        var options = WriterOptions(clock: clock)
        options.hasThread = false
        let writer = try LogWriter(directory, options: options)
        for (minute, lines) in stretches.enumerated() {
            clock.set(Int64(minute) * 60_000_000)
            for line in lines {
                _ = writer.appendWaiting(line.bytes, to: .facts, eventTime: line.fact?.time ?? 0)
            }
            try writer.flush()
        }
        try writer.close()
        return directory
    }

    private func evaluations(_ tables: MetricsTables) -> [OutcomeCounts] {
        tables.evaluations.map(\.outcomes)
    }

    @Test("as of a time the tables are those of what had been appended by then, in any readings")
    func asOf() throws {
        let lines = Workload(seed: 11, count: 3_000).lines
        let stretches = (0..<3).map { Array(lines[$0 * 1_000..<($0 + 1) * 1_000]) }
        let folders = (0...3).map { _ in ScratchFolder() }
        let whole = try log(in: folders[0], stretches)
        for count in 1...3 {
            let part = try log(in: folders[count], Array(stretches.prefix(count)))
            let expected = try Replay(part, threads: 1).tables(MetricsRules())
            var scope = ReplayScope()
            for asOf in [Int64(count - 1) * 60_000_000, Int64(count) * 60_000_000 - 1] {
                scope.asOf = asOf
                let replay = Replay(whole, threads: 2, scope: scope)
                for parts in [1, 2] {
                    let found = try replay.tables(MetricsRules(), partCount: parts)
                    #expect(evaluations(found.tables) == evaluations(expected.tables))
                    #expect(found.tables.quality == expected.tables.quality)
                    #expect(found.report.isClean)
                }
            }
        }
        var nothing = ReplayScope()
        nothing.asOf = -1
        let tables = try Replay(whole, threads: 1, scope: nothing).tables(MetricsRules()).tables
        #expect(tables.quality("lines") == 0)
    }

    @Test("blocks that end before a time are left out, and none that reaches it")
    func since() throws {
        let folder = ScratchFolder()
        var options = Workload.Options()
        options.hasFaults = false
        let lines = Workload(seed: 12, count: 2_000, options: options).lines
            .sorted { ($0.fact?.time ?? 0) < ($1.fact?.time ?? 0) }
        let directory = try log(in: folder, (0..<4).map { Array(lines[$0 * 500..<($0 + 1) * 500]) })
        let middle = try #require(lines[1_200].fact?.time)
        var rules = MetricsRules()
        rules.since = middle
        var scope = ReplayScope()
        scope.since = middle
        let all = try Replay(directory, threads: 1).tables(rules).tables
        let part = try Replay(directory, threads: 1, scope: scope).tables(rules).tables
        #expect(evaluations(part) == evaluations(all))
        #expect(part.quality("lines") == 1_000)
    }
}
