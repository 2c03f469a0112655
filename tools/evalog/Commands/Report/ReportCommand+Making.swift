// From the events of a log to the files of a report, and what the log keeps about it.

import EvalogLog
import EvalogText
import VendorSink

extension ReportCommand {
    // MARK: With events

    func reportEvents(
        to folder: String, _ limits: BatchLimits, _ reviewed: ReviewedCatalog?
    ) throws {
        try demandPlace(folder)
        let records = try ReportRecords(directory)
        let output = try self.folder(folder, for: [.events, .summary, .manifest])
        // Before the log is read: nothing is erased meanwhile.
        let lock = try records.lock(waits: true)
        defer { lock.end() }
        try records.demandNoErase()
        let screened = try read(reviewed: reviewed).screened
        let lines = EventLines(screened.events, limits)
        let summary = VendorSummary(screened.events.map { (windows[$0.time.microseconds], $0) })
        let files = [ReportFile.events: lines.bytes, .summary: summary.bytes]
        let manifest = Manifest(
            .events(limits: limits, batches: lines.batches),
            ClosedSets(of: screened, in: summary), files: files)
        // The manifest last: until then its sizes and digests are not those of the other files.
        let staged = try output.stage([
            (ReportFile.events.rawValue, OutputFolder.body(lines.bytes)),
            (ReportFile.summary.rawValue, OutputFolder.body(summary.bytes)),
            (ReportFile.manifest.rawValue, OutputFolder.body(manifest.bytes)),
        ])
        // Before the files: of no report that is there the counts are nowhere.
        try records.append(
            screened.withheld.journalLine(
                time: console.now(), summary: nil, eventCount: screened.events.count))
        try staged.commit()
        console.note(
            "\(folder): \(Figures.counted(screened.events.count, "event")) in"
                + " \(Figures.counted(lines.batches.count, "upload")), summary and manifest")
        note(screened.withheld)
    }

    /// Keeps a report out of the log, and all that is no report out of a folder that a person sends as a whole.
    private func demandPlace(_ folder: String) throws {
        try LogPlace.demandOutside(folder, of: directory)
        if LogPlace.isFolder(folder, around: directory) {
            throw CommandFailure(
                "\(folder) holds the log \(directory.path), and a report's folder is one that is sent",
                hint: "name a folder of its own, such as report")
        }
        let own = [ReportFile.events, .summary, .manifest].map(\.rawValue)
        let foreign = FileSystem.names(in: folder).filter { name in
            !own.contains { name == $0 || name.hasPrefix(".\($0).tmp-") }
        }
        guard foreign.isEmpty else {
            let shown = foreign.sorted().prefix(Self.shownNameCount)
            let rest = foreign.count - shown.count
            throw CommandFailure(
                "\(folder) holds what is no part of a report, and would be sent with it:"
                    + " \(shown.joined(separator: ", "))\(rest > 0 ? " and \(rest) more" : "")",
                hint: "move it away, or name a folder of its own")
        }
    }

    /// Of files that are in the way.
    private static let shownNameCount = 5

    /// A place for a report: one that cannot be is noticed before the log is read, and before a summary's
    /// windows are told.
    private func folder(_ path: String, for files: [ReportFile]) throws -> OutputFolder {
        let folder = try OutputFolder(path: path, of: directory)
        try folder.demandRoom(for: files.map(\.rawValue))
        return folder
    }

    // MARK: Without

    /// A summary of windows that are over.
    private struct DueSummary {
        var files: [ReportFile: [UInt8]]
        var withheld: Withheld
        var eventCount: Int
        var rowCount: Int
    }

    func reportSummary(
        to folder: String, fewerThan sessionCountMin: Int, _ reviewed: ReviewedCatalog?
    ) throws {
        try demandNoEvents(in: folder)
        try demandPlace(folder)
        // What is appended while the log is read counts as late.
        let now = console.now()
        let records = try ReportRecords(directory)
        let lock = try records.lock(waits: false)
        defer { lock.end() }
        try records.demandNoErase()
        records.emptyStaging()
        let flags = flags(sessionCountMin, reviewed)
        if records.hasPending, try isWanted(records, flags) {
            try records.deliver(to: OutputFolder(path: folder, of: directory))
            console.note(
                "\(folder): the summary that an earlier run could not bring there; run it again for"
                    + " windows that have ended since")
            return
        }
        var ledger = try records.ledger()
        try demandReached(ledger, now)
        let end = DueEvents.end(after: ledger.progress, now: now) { windows[$0] }
        guard let end else {
            console.note(
                "no window has ended since the last summary; \(folder) is left as it is")
            return
        }
        let output = try self.folder(folder, for: [.summary, .manifest])
        let due = try dueSummary(&ledger, until: end, fewerThan: sessionCountMin, reviewed)
        try tell(due, ledger, now, flags, to: output, records)
    }

    /// What a summary is made with, in one form.
    private func flags(_ sessionCountMin: Int, _ reviewed: ReviewedCatalog?) -> String {
        let catalog = reviewed.map { "--catalog of SHA-256 \(SHA256.text(of: $0.bytes))" }
        return "--min-count \(sessionCountMin) \(windows.text) \(catalog ?? "without --catalog")"
    }

    /// Whether the summary that an earlier run left is the one that is asked for; one that was made with other
    /// flags is made anew, unless it may be in its folder.
    private func isWanted(_ records: ReportRecords, _ flags: String) throws -> Bool {
        let (text, mayBeDelivered) = try records.pendingFlags()
        if text == flags { return true }
        guard !mayBeDelivered else {
            throw CommandFailure(
                "a summary of an earlier run waits that was made with other flags: \(text)",
                hint:
                    "run it once more with these; or delete \(records.pending), and its windows are"
                    + " never told, unless its files got where they were to go")
        }
        try records.forgetPending()
        console.note("the summary of an earlier run was made with other flags; it is made anew")
        return false
    }

    /// Also where a report that was killed has left them under another name.
    private func demandNoEvents(in folder: String) throws {
        let events = ReportFile.events.rawValue
        if FileSystem.isFolder(folder) {
            try OutputFolder(path: folder, of: directory).removeOrphans(of: [events])
        }
        guard !FileSystem.names(in: folder).contains(where: { $0.contains(events) }) else {
            throw CommandFailure(
                "\(folder) holds a report with events, from which anyone could count small rows",
                hint: "name another folder")
        }
    }

    private func demandReached(_ ledger: ReportLedger, _ now: Int64) throws {
        guard let end = ledger.progress.reportedUntil, end > windows[now].end else { return }
        throw CommandFailure(
            "windows were told until \(Figures.time(end)), by a clock that was ahead of this one",
            hint: "evalog report --no-events --clock-was-ahead lets them begin now")
    }

    private func tell(
        _ due: DueSummary, _ ledger: ReportLedger, _ now: Int64, _ flags: String,
        to output: OutputFolder, _ records: ReportRecords
    ) throws {
        let line = due.withheld.journalLine(
            time: now, summary: ledger.summaryCount, eventCount: due.eventCount)
        try records.keep(due.files, ledger, line: line, flags: flags)
        try records.deliver(to: output)
        console.note(
            "\(output.path): summary of \(Figures.counted(due.eventCount, "event")) in"
                + " \(Figures.counted(due.rowCount, "row")), and manifest")
        note(due.withheld)
    }

    /// Makes a summary, and notes it in the ledger.
    private func dueSummary(
        _ ledger: inout ReportLedger, until end: Int64, fewerThan sessionCountMin: Int,
        _ reviewed: ReviewedCatalog?
    ) throws -> DueSummary {
        let (screened, report, catalog) = try read(reviewed: reviewed, after: ledger)
        let read = report.position[.facts]
        // First: what comes back of a writer that is gone may have been told.
        ledger.forget(writersNotIn: read)
        let due = DueEvents(of: screened, after: ledger.progress, until: end) {
            windows[$0]
        }
        ledger.close(
            until: end, read: read, latest: catalog.latestEventTimes)
        let (summary, hiddenCount) = SmallCells.summary(
            of: due.events, fewerThan: sessionCountMin)
        var withheld = screened.withheld
        withheld.add(.incompleteWindow, due.waitingCount)
        withheld.add(.forgottenWindow, due.forgottenCount)
        withheld.add(.smallCells, hiddenCount)
        let manifest = Manifest(
            .summary(sessionCountMin: sessionCountMin), ClosedSets(of: screened, in: summary),
            files: [.summary: summary.bytes])
        return DueSummary(
            files: [.summary: summary.bytes, .manifest: manifest.bytes], withheld: withheld,
            eventCount: due.events.count, rowCount: summary.rowCount)
    }

    /// Lets windows begin now where the last summary's end is not reached.
    func restartSummaries() throws {
        let now = console.now()
        let records = try ReportRecords(directory)
        let lock = try records.lock(waits: false)
        defer { lock.end() }
        var ledger = try records.ledger()
        guard let end = ledger.progress.reportedUntil, end > now else {
            throw CommandFailure(
                "no summary was made by a clock that was ahead of this one",
                hint: "evalog report --to report --no-events")
        }
        ledger.restart(at: now)
        try records.replace(ledger)
        console.note(
            "windows were told until \(Figures.time(end)); those of the next summary begin at"
                + " \(Figures.time(now))")
    }

    /// Lets windows begin now where nobody knows which were told.
    func restartWithoutLedger() throws {
        let now = console.now()
        let records = try ReportRecords(directory)
        let lock = try records.lock(waits: false)
        defer { lock.end() }
        let hint = "evalog report --to report --no-events"
        guard !records.hasPending else {
            throw CommandFailure("a summary of an earlier run waits, with its ledger", hint: hint)
        }
        guard case .lost = try records.ledgerState() else {
            throw CommandFailure("no ledger of summaries was lost", hint: hint)
        }
        try records.replace(
            ReportLedger(inPlaceOfLostAt: now, summaryCount: records.toldSummaryCount()))
        console.note(
            "windows of the next summary begin at \(Figures.time(now)); what happened before counts in"
                + " none, for nobody knows whether it was told")
    }

    private func note(_ withheld: Withheld) {
        let counts = withheld.occurring.map { "\($0.reason.words): \(Figures.count($0.count))" }
        guard !counts.isEmpty else { return }
        console.note("withheld \(counts.joined(separator: "; "))")
    }
}
