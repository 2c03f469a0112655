// What export, replay and demo share: the flags of a replay, its progress, its warnings.

import EvalogLog
import EvalogMetrics
import EvalogReplay
import OTLPSink

/// A replay as the flags ask for it.
struct Replaying {
    let rules: MetricsRules
    let directory: LogDirectory
    private let threads: Int
    private let memoryByteCount: Int64
    private let scope: ReplayScope
    private let console: Console

    /// As the flags ask for it.
    ///
    /// - Parameters:
    ///   - directory: Another log than that of the flags.
    ///   - rules: Other rules than those of the flags.
    init(
        _ arguments: Arguments, _ console: Console, of directory: LogDirectory? = nil,
        by rules: MetricsRules? = nil, scope: ReplayScope = ReplayScope()
    ) throws {
        self.rules = try rules ?? arguments.metricsRules(now: console.now())
        self.directory = directory ?? LogDirectory(path: console.logPath(arguments))
        self.scope = scope
        self.console = console
        threads = try arguments.threadCount()
        memoryByteCount = try arguments.memoryByteCount()
    }

    init(_ directory: LogDirectory, _ rules: MetricsRules, _ console: Console) {
        self.rules = rules
        self.directory = directory
        self.console = console
        threads = Processors.count
        memoryByteCount = ReplayDefaults.memoryByteCount
        scope = ReplayScope()
    }

    /// - Throws: ``CommandFailure`` where there is no log; `LogError`.
    func run(verb: String) throws -> ReplayResult {
        let result = try withReplay(verb: verb) { try $0.tables(rules) }
        try warn(of: result)
        return result
    }

    /// Where there was no model.
    ///
    /// - Throws: ``CommandFailure`` where there is no log; `LogError`.
    func coverage() throws -> Coverage {
        let found = try withReplay(verb: "counting") { try $0.coverage(rules) }
        try warn(ofDamageIn: found.report)
        return found.coverage
    }

    /// What differs between two sides.
    ///
    /// - Throws: ``CommandFailure`` where there is no log; `LogError`.
    func drift(_ drift: DriftRules) throws -> Drift {
        let found = try withReplay(verb: "comparing") { try $0.drift(drift, rules) }
        try warn(ofDamageIn: found.report)
        return found.drift
    }

    private func withReplay<Result>(
        verb: String, _ body: (Replay) throws -> Result
    ) throws -> Result {
        try directory.demandExisting()
        let progress = Progress(verb, console: console)
        defer { progress.end() }
        return try body(
            Replay(
                directory, threads: threads, memoryByteCount: memoryByteCount, scope: scope
            ) { progress.update($0) })
    }

    /// The evaluations of the log as spans.
    func spans() throws -> OTLPSpans {
        let progress = Progress("reading evaluations", console: console)
        defer { progress.end() }
        var collectors = (0..<threads).map { _ in OTLPSpans() }
        _ = try FactReading(of: directory, into: collectors, progress: { progress.update($0) })
        let all = OTLPSpans()
        // One after the other, so that few are there twice at once.
        while let collector = collectors.popLast() { all.absorb(collector) }
        return all
    }

    private func warn(ofDamageIn report: ReadReport) throws {
        console.warn(ofDamageIn: report, hiding: try directory.filesHidingFacts(report.ignored))
    }

    private func warn(of result: ReplayResult) throws {
        try warn(ofDamageIn: result.report)
        if let unreadable = result.tables.quality("unreadable_lines"), unreadable > 0 {
            console.warn(
                "\(Figures.counted(unreadable, "line")) could not be read and"
                    + " \(unreadable == 1 ? "does" : "do") not count")
        }
    }
}

extension Console {
    /// What is made of a damaged log is made of what is left: says so.
    ///
    /// - Parameter files: By ``LogDirectory/filesHidingFacts(_:)``.
    func warn(ofDamageIn report: ReadReport, hiding files: [ForeignFile]) {
        if !files.isEmpty {
            warn(
                "\(Figures.counted(files.count, "file")) among the segments \(files.count == 1 ? "has" : "have")"
                    + " lines of the log that are not read; evalog verify says what to do")
        }
        guard !report.isClean else { return }
        let known = Figures.counted(report.lostCount, "line") + " lost"
        let loss =
            report.lostCount > 0 || report.hasUnknownLoss ? known : "no line is known to be lost"
        warn(
            "the log is damaged in \(Figures.counted(report.damages.count, "place")); \(loss)"
                + "\(LossText.beyond(report.uncounted.count)); evalog verify names them")
    }
}

extension Progress {
    func update(_ progress: ReadProgress) {
        update(
            done: progress.byteCount, total: progress.byteCountTotal,
            lines: Int64(clamping: progress.lineCount))
    }
}
