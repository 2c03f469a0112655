// From the events of a log to the files of a report, and what the log keeps about it.

import EvalogLog
import VendorSink

extension ReportCommand {
    // MARK: With events

    func reportEvents(to folder: String, _ limits: BatchLimits, _ screened: Screened) throws {
        let records = try ReportRecords(directory)
        let lines = EventLines(screened.events, limits)
        let summary = VendorSummary(screened.events.map { (windows[$0.time.microseconds], $0) })
        let files = [ReportFile.events: lines.bytes, .summary: summary.bytes]
        let manifest = Manifest(
            .events(limits: limits, batches: lines.batches),
            ClosedSets(of: screened, in: summary), files: files)
        let lock = try records.lock(waits: true)
        defer { lock.end() }
        // The manifest last: until then its sizes and digests are not those of the other files.
        try OutputFolder(path: folder, of: directory).replace([
            (ReportFile.events.rawValue, OutputFolder.body(lines.bytes)),
            (ReportFile.summary.rawValue, OutputFolder.body(summary.bytes)),
            (ReportFile.manifest.rawValue, OutputFolder.body(manifest.bytes)),
        ])
        try records.append(
            screened.withheld.journalLine(
                time: console.now(), isSummary: false, eventCount: screened.events.count))
        console.note(
            "\(folder): \(Figures.counted(screened.events.count, "event")) in"
                + " \(Figures.counted(lines.batches.count, "upload")), summary and manifest")
        note(screened.withheld)
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
        guard !FileSystem.exists("\(folder)/\(ReportFile.events.rawValue)") else {
            throw CommandFailure(
                "\(folder) holds a report with events, from which anyone could count small rows",
                hint: "name another folder")
        }
        // What is appended while the log is read counts as late.
        let now = console.now()
        let records = try ReportRecords(directory)
        let lock = try records.lock(waits: false)
        defer { lock.end() }
        if records.hasPending {
            try records.deliver(to: OutputFolder(path: folder, of: directory))
            console.note(
                "\(folder): the summary that an earlier run could not bring there; run it again for"
                    + " windows that have ended since")
            return
        }
        var ledger = try records.ledger()
        try demandReached(ledger, now)
        if let due = try dueSummary(&ledger, now, fewerThan: sessionCountMin, reviewed) {
            try tell(due, ledger, now, to: folder, records)
        } else {
            console.note(
                "no window has ended since the last summary; \(folder) is left as it is")
        }
    }

    private func demandReached(_ ledger: ReportLedger, _ now: Int64) throws {
        guard let end = ledger.progress.reportedUntil, end > windows[now].end else { return }
        throw CommandFailure(
            "windows were told until \(Figures.time(end)), by a clock that was ahead of this one",
            hint: "evalog report --no-events --clock-was-ahead lets them begin now")
    }

    private func tell(
        _ due: DueSummary, _ ledger: ReportLedger, _ now: Int64, to folder: String,
        _ records: ReportRecords
    ) throws {
        // What can be seen to keep the files from their places must not cost the windows.
        let output = try OutputFolder(path: folder, of: directory)
        try output.demandRoom(for: due.files.keys.map(\.rawValue))
        let line = due.withheld.journalLine(
            time: now, isSummary: true, eventCount: due.eventCount)
        try records.keep(due.files, ledger, line: line)
        try records.deliver(to: output)
        console.note(
            "\(folder): summary of \(Figures.counted(due.eventCount, "event")) in"
                + " \(Figures.counted(due.rowCount, "row")), and manifest")
        note(due.withheld)
    }

    /// Makes a summary, and notes it in the ledger; nil where no window has ended since the last.
    private func dueSummary(
        _ ledger: inout ReportLedger, _ now: Int64, fewerThan sessionCountMin: Int,
        _ reviewed: ReviewedCatalog?
    ) throws -> DueSummary? {
        let catalog = try LogCatalog.scan(directory, .facts)
        let (screened, had, lines) = try read(reviewed: reviewed, after: ledger, catalog: catalog)
        let due = DueEvents(of: screened, after: ledger.progress, had: had, now: now) {
            windows[$0]
        }
        guard let due else { return nil }
        ledger.close(until: due.end, read: lines, latest: catalog.latestEventTimes)
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

    private func note(_ withheld: Withheld) {
        let counts = withheld.occurring.map { "\($0.reason.words): \(Figures.count($0.count))" }
        guard !counts.isEmpty else { return }
        console.note("withheld \(counts.joined(separator: "; "))")
    }
}
