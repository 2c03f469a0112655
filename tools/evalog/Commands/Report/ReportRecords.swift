// What a log keeps about the reports made of it, in LOG/reports: nothing of it leaves.

import EvalogFacts
import EvalogLog
import EvalogText
import VendorSink

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What is read of a line of the journal.
private enum JournalField: UInt8, ClosedList {
    case number

    static let names = NameTable("number")
}

/// `LOG/reports`: how much was withheld by each report, which windows were told, and a summary that
/// did not get to its folder.
struct ReportRecords {
    private static let ledgerName = "ledger.ndjson"

    private let folder: OutputFolder
    private let directory: LogDirectory
    private var journalPath: String { "\(folder.path)/withheld.ndjson" }
    private var journal: Journal {
        Journal(path: journalPath, consequence: "nothing is reported")
    }

    /// Makes the folder if it is missing.
    ///
    /// - Throws: ``CommandFailure``; without a place for the counts there is no report.
    init(_ directory: LogDirectory) throws {
        self.directory = directory
        folder = try OutputFolder(path: "reports", in: directory)
        try journal.demandWritable()
    }

    /// What there is; nil where no report was ever made of the log.
    init?(existing directory: LogDirectory) throws {
        guard FileSystem.isFolder("\(directory.path)/reports", followingLinks: false) else {
            return nil
        }
        self.directory = directory
        folder = try OutputFolder(path: "reports", in: directory)
    }

    /// For whoever keeps reports from being made: makes the folder if it is missing, and no journal.
    init(blocking directory: LogDirectory) throws {
        self.directory = directory
        folder = try OutputFolder(path: "reports", in: directory)
    }

    /// Adds a line about a report, unless it is there already.
    func append(_ line: [UInt8]) throws {
        let known = try FileSystem.contents(ofPart: journalPath) ?? []
        if known.split(separator: 0x0A).contains(where: { $0.elementsEqual(line) }) { return }
        try journal.append(line)
    }

    /// What is known of the windows that were told.
    enum LedgerState {
        case whole(ReportLedger)
        /// It is damaged, or not there although summaries were made; why it cannot be read.
        case lost(CommandFailure)
    }

    private var ledgerPath: String { "\(folder.path)/\(Self.ledgerName)" }

    /// The ledger; that of a log that has never been summed up where there is none.
    ///
    /// - Throws: ``CommandFailure`` where it is lost.
    func ledger() throws -> ReportLedger {
        switch try ledgerState() {
        case .whole(let ledger): return ledger
        case .lost(let failure): throw failure
        }
    }

    func ledgerState() throws -> LedgerState {
        guard let bytes = try FileSystem.contents(ofPart: ledgerPath) else {
            if try !tellsOfSummaries() { return .whole(ReportLedger()) }
            return lost("is missing, and \(journalPath) tells of summaries")
        }
        do {
            let ledger = try ReportLedger(bytes)
            if ledger.summaryCount < (try toldSummaryCount()) {
                return lost("is older than the last summary that \(journalPath) tells of")
            }
            return .whole(ledger)
        } catch ReportLedgerError.damaged(let line) {
            return lost("is damaged in line \(line)")
        } catch ReportLedgerError.changed {
            return lost("is damaged, or was changed: it has not the digest in its last line")
        } catch ReportLedgerError.version(let version) {
            throw CommandFailure(
                "\(ledgerPath) is of version \(version), and this evalog reads \(ReportLedger.version)",
                hint:
                    "report with the evalog that wrote it: without it, windows would be told twice")
        }
    }

    private func lost(_ what: String) -> LedgerState {
        .lost(
            CommandFailure(
                "\(ledgerPath) \(what)",
                hint:
                    "bring a copy of it back: without it, windows would be told twice; evalog report"
                    + " --no-events --ledger-was-lost lets them begin now"))
    }

    /// Whether summaries were made of the log.
    var hasSummaries: Bool {
        get throws {
            try FileSystem.contents(ofPart: ledgerPath) != nil || hasPending || tellsOfSummaries()
        }
    }

    /// Whether the journal has the line of a summary.
    private func tellsOfSummaries() throws -> Bool {
        let bytes = try FileSystem.contents(ofPart: journalPath) ?? []
        return String(decoding: bytes, as: UTF8.self).contains(Withheld.summaryMark)
    }

    /// The number of the last summary that the journal tells of.
    func toldSummaryCount() throws -> Int64 {
        var fields = LineFields<JournalField>(
            byteCountMax: LogLimits.lineByteCountMax, loneSurrogates: .refused)
        let lines = (try FileSystem.contents(ofPart: journalPath) ?? []).split(separator: 0x0A)
        return lines.reduce(0) { count, line in
            let number = line.withUnsafeBytes { bytes -> Int64? in
                guard (try? fields.read(bytes)) != nil else { return nil }
                return try? fields.integer(.number, in: 1 ... .max)
            }
            return max(count, number ?? 0)
        }
    }

    func replace(_ ledger: ReportLedger) throws {
        try folder.replace([(Self.ledgerName, OutputFolder.body(ledger.bytes))])
    }

    // MARK: Turns

    /// Keeps others from making a report of this log meanwhile.
    ///
    /// - Parameter waits: Whether to wait for another one's end.
    func lock(waits: Bool) throws -> ReportLock {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure("cannot open \(folder.path): \(SystemError.text(errno))")
        }
        let code = FileSystem.lock(descriptor, waits: waits)
        if code == 0 { return ReportLock(descriptor: descriptor) }
        close(descriptor)
        guard code != EWOULDBLOCK else {
            throw CommandFailure(
                "another report of this log is being made, or facts are being erased",
                hint: "wait for its end")
        }
        throw CommandFailure("cannot lock \(folder.path): \(SystemError.text(code))")
    }

    // MARK: Erasing

    private static let eraseStem = "erasing-"

    private func eraseName(_ digest: String) -> String { "\(Self.eraseStem)\(digest)" }

    /// Notes that facts are being erased, until ``endErase(_:)``: halfway, what holds an event back may be gone
    /// before the event is.
    ///
    /// - Parameter digest: Of what is erased.
    func beginErase(_ digest: String) throws {
        try folder.replace([(eraseName(digest), OutputFolder.body([]))])
    }

    func isErasing(_ digest: String) -> Bool {
        FileSystem.exists("\(folder.path)/\(eraseName(digest))")
    }

    func endErase(_ digest: String) throws {
        unlink("\(folder.path)/\(eraseName(digest))")
        try folder.sync()
    }

    /// Deletes the folder where nothing is in it.
    func removeIfEmpty() { rmdir(folder.path) }

    /// - Throws: ``CommandFailure`` where an erase of facts did not come to its end.
    func demandNoErase() throws {
        let names = FileSystem.names(in: folder.path).filter { $0.hasPrefix(Self.eraseStem) }
        guard let name = names.min() else { return }
        throw CommandFailure(
            "an evalog erase --facts has not ended: events may be left of which is gone what held them back",
            hint:
                "run the same erase again; where nobody knows which it was, delete \(folder.path)/\(name), and"
                + " such events may leave")
    }

    // MARK: Summaries

    /// A summary of which the windows are told, and that is not in its folder yet.
    var pending: String { "\(folder.path)/pending" }
    /// One on its way there, or away.
    private var staging: String { "\(folder.path)/.pending" }
    private static let lineName = "withheld.json"
    private static let flagsName = "flags.txt"

    /// Whether an earlier run left a summary.
    var hasPending: Bool { FileSystem.isFolder(pending, followingLinks: false) }

    /// The flags that it was made with, and whether it may be in its folder already.
    func pendingFlags() throws -> (text: String, mayBeDelivered: Bool) {
        let flags = try FileSystem.contents(ofPart: "\(pending)/\(Self.flagsName)") ?? []
        let ledger = try FileSystem.contents(ofPart: ledgerPath)
        // Its windows are told before its files go anywhere.
        return (String(decoding: flags, as: UTF8.self), ledger == (try part(Self.ledgerName)))
    }

    /// Keeps a summary with the ledger and the line about it, whole or not at all: from then on its
    /// windows are told, and ``deliver(to:)`` can be called until it has worked.
    ///
    /// - Parameter flags: What it was made with: another summary must not take its place unseen.
    func keep(
        _ files: [ReportFile: [UInt8]], _ ledger: ReportLedger, line: [UInt8], flags: String
    ) throws {
        let own = [
            (Self.ledgerName, ledger.bytes), (Self.lineName, line),
            (Self.flagsName, Array(flags.utf8)),
        ]
        try OutputFolder(path: "reports/.pending", in: directory).replace(
            (own + files.map { ($0.key.rawValue, $0.value) }).map { ($0, OutputFolder.body($1)) })
        try move(staging, to: pending)
    }

    /// Brings the summary that is kept into its folder, and forgets it.
    func deliver(to output: OutputFolder) throws {
        let ledger = try part(Self.ledgerName)
        guard (try? ReportLedger(ledger)) != nil else {
            throw CommandFailure(
                "\(pending)/\(Self.ledgerName) is damaged",
                hint: "bring a copy of it back, or delete \(pending)")
        }
        try folder.replace([(Self.ledgerName, OutputFolder.body(ledger))])
        try append(try part(Self.lineName))
        let names = [ReportFile.summary, .manifest].map(\.rawValue)
        do {
            try output.replace(try names.map { ($0, OutputFolder.body(try part($0))) })
        } catch let failure as CommandFailure {
            throw failure.adding("the summary waits in \(pending), and the next run brings it")
        }
        try forgetPending()
    }

    /// Deletes the summary that is kept, and one that was on its way there or away.
    ///
    /// Windows that are told stay so: its files may be in their folder already. Others are told by the next
    /// summary.
    /// - Returns: Whether there was one.
    @discardableResult
    func forgetPending() throws -> Bool {
        let hadPending = hasPending
        if hadPending {
            // Of one on its way away only parts are left, which keep the new one from its name.
            emptyStaging()
            try move(pending, to: staging)
        }
        emptyStaging()
        return hadPending
    }

    /// Deletes what a run that was killed left on its way there or away.
    func emptyStaging() {
        for name in FileSystem.names(in: staging) { unlink("\(staging)/\(name)") }
        rmdir(staging)
    }

    private func move(_ path: String, to place: String) throws {
        guard rename(path, place) == 0 else {
            throw CommandFailure("cannot make \(place): \(SystemError.text(errno))")
        }
        try folder.sync()
    }

    private func part(_ name: String) throws -> [UInt8] {
        guard let bytes = try FileSystem.contents(ofPart: "\(pending)/\(name)") else {
            throw CommandFailure(
                "\(pending) has no \(name)",
                hint: "bring a copy of it back, or delete it: its windows are told")
        }
        return bytes
    }
}

/// The right to make a report, until its end or that of the process.
struct ReportLock {
    fileprivate let descriptor: Int32

    func end() { close(descriptor) }
}
