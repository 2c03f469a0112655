// Another log's segments into this one.

import EvalogContent
import EvalogLog
import EvalogRecording

struct LogCopy {
    private let source: LogDirectory
    private let target: LogDirectory
    private let streams: [LogStream]
    private let console: Console

    /// - Throws: ``CommandFailure`` where `path` is no log, or is the log itself, or where the choice
    ///   would mean to look into segments, which are copied as they are.
    init(
        from path: String, to target: LogDirectory, choice: ContentRetention, console: Console
    ) throws {
        switch choice {
        case .off: streams = [.facts]
        case .all: streams = [.facts, ContentAccess.stream]
        case .failures:
            throw CommandFailure(
                "a log's content is copied whole or not at all",
                hint: "--content all or --content off")
        }
        source = LogDirectory(path: path)
        try source.demandExisting(hint: Self.naming(filesIn: path))
        guard !FileSystem.isSame(path, target.path) else {
            throw CommandFailure(
                "\(path) is the log itself", hint: "name another log to import into with --log DIR")
        }
        self.target = target
        self.console = console
    }

    /// How files that look like lines are named, without those that do not.
    private static func naming(filesIn path: String) -> String {
        let names = FileSystem.names(in: path)
        let endings = [".ndjson", ".ndjson.gz", ".jsonl", ".jsonl.gz"].filter { ending in
            names.contains { $0.hasSuffix(ending) && !$0.hasPrefix(".") }
        }
        if endings.isEmpty { return "name the files in it that hold evaluation records or facts" }
        let stem = path.hasSuffix("/") ? path : path + "/"
        return "name the files in it: evalog import "
            + endings.map { "\(stem)*\($0)" }.joined(separator: " ")
    }

    func run() throws { try Interrupts.stoppable(run) }

    private func run(shouldStop: @escaping () -> Bool) throws {
        // With the facts, too: their ids hang on it.
        if try ContentAccess.copyKey(from: source, to: target) == .different {
            console.warn(
                "\(source.path) has another key: a record without an id that was imported"
                    + " into both logs counts twice")
        }
        var copied = 0
        var present = 0
        var byteCount: Int64 = 0
        for stream in streams {
            let report = try copySegments(
                of: stream, from: source, to: target, shouldStop: shouldStop)
            copied += report.copied.count
            present += report.present.count
            byteCount += report.byteCount
        }
        try eraseReturned(shouldStop)
        try tellOfSummaries()
        console.note(
            "\(source.path): \(Figures.counted(copied, "segment")) copied as they are"
                + " (\(Figures.bytes(byteCount))), \(Figures.count(present)) were there;"
                + " evalog verify checks them")
    }

    /// A ledger says what was told of one log, and cannot be taken along into another.
    private func tellOfSummaries() throws {
        guard let records = try ReportRecords(existing: source), try records.hasSummaries else {
            return
        }
        let own = try ReportRecords(existing: target).flatMap { try? $0.ledger() }
        if let own, let told = try? records.ledger(), own.covers(told) { return }
        console.warn(
            "summaries were made of \(source.path), and \(target.path) does not know of what: those of"
                + " \(target.path) would count it once more; report from one of the two")
    }

    /// What was erased in either log is gone from the other one's segments, too.
    private func eraseReturned(_ shouldStop: () -> Bool) throws {
        guard let lock = try MaintenanceLock.wait(target) else {
            return console.warn(
                "\(target.path) is being maintained by another command: lines that were erased here"
                    + " are hidden in the copies and not yet taken out; import once more for that")
        }
        var count: UInt64 = 0
        for stream in streams {
            count += try LineEraser(lock, stream).eraseReturned(shouldStop: shouldStop)
        }
        if count > 0 {
            console.note(
                "\(Figures.counted(count, "line")) of \(source.path) had been erased and stay so")
        }
    }
}
