// evalog report: what may leave for the vendor, and nothing else.

import EvalogLog
import EvalogReplay
import EvalogText
import VendorSink

extension Flag {
    static let catalog = Flag(
        name: "catalog", value: "FILE", summary: "Only what this reviewed file lists may leave.",
        detail:
            "Draft it with --draft-catalog, and delete from it what must stay. What the log's own"
            + " catalogs do not list never leaves.")
    static let draftCatalog = Flag(
        name: "draft-catalog", summary: "Print a file to review for --catalog; report nothing.")
    static let noEvents = Flag(
        name: "no-events", summary: "Only summary.csv, without rows of few sessions.",
        detail:
            "Counts windows that are over, each once: LOG/reports/ledger.ndjson remembers which."
            + " What comes too late counts in the next.")
    static let minSessions = Flag(
        name: "min-count", value: "N", summary: "Sessions that a row must have with --no-events.",
        detail: "Default: 5. Rows that would give a smaller one away are hidden as well.")
    static let maxBatch = Flag(
        name: "max-batch", value: "SIZE", summary: "Bytes of one upload, such as 100KiB.",
        detail:
            "Default: 500KiB, the vendor's limit; the vendor may set less, down to 10KiB. Lines of"
            + " events.ndjson are assigned to uploads in manifest.json.")
}

extension CommandSpec {
    static let report = CommandSpec(
        name: "report", summary: "what may leave for the vendor, and nothing else",
        about: """
            Writes events.ndjson, summary.csv and manifest.json: that a message was suppressed, that an
            inference on a submitted form field succeeded or failed, and the categories that the
            form's author opted in to. Nothing of selection, models, devices, durations or content.
            A category leaves only if the field's catalog lists it. What is withheld is counted on
            stderr and in LOG/reports/withheld.ndjson. Sending events twice does no harm: their ids stay.
            """,
        flags: [
            .to, .catalog, .draftCatalog, .noEvents, .minSessions, .window, .timezone, .maxBatch,
            .threads,
        ],
        examples: [
            ("evalog report --to report", "events, their summary by hour, and the manifest"),
            ("evalog report --draft-catalog > reviewed.json", "all that would leave, for a review"),
            (
                "evalog report --to report --catalog reviewed.json",
                "only what the review left standing"
            ),
            (
                "evalog report --to report --no-events --window day",
                "daily counts of five sessions and more, of the days that are over"
            ),
        ],
        prepare: { arguments, console in try ReportCommand(arguments, console).run })
}

struct ReportCommand {
    private enum Product {
        case draft
        case events(folder: String, BatchLimits)
        case summary(folder: String, sessionCountMin: Int)
    }

    private let product: Product
    private let catalogPath: String?
    private let directory: LogDirectory
    private let windows: ReportWindows
    private let threads: Int
    private let console: Console

    init(_ arguments: Arguments, _ console: Console) throws {
        product = try Self.product(arguments)
        catalogPath = arguments.last(.catalog)
        windows = try ReportWindows(arguments.metricsRules(now: console.now()))
        threads = try arguments.threadCount()
        directory = LogDirectory(path: console.logPath(arguments))
        self.console = console
    }

    private static func product(_ arguments: Arguments) throws -> Product {
        let limits = try batchLimits(arguments)
        let sessionCountMin = try arguments.wholeNumber(.minSessions, in: 1...1_000_000)
        if arguments.has(.draftCatalog) {
            for flag in [Flag.to, .catalog, .noEvents, .minSessions, .maxBatch]
            where arguments.has(flag) {
                throw CommandFailure(
                    "--draft-catalog does not go with --\(flag.name)",
                    hint: "evalog report --draft-catalog > reviewed.json")
            }
            return .draft
        }
        guard let folder = arguments.last(.to), !folder.isEmpty else {
            throw CommandFailure("report needs --to DIR", hint: "evalog report --to report")
        }
        if arguments.has(.noEvents) {
            guard !arguments.has(.maxBatch) else {
                throw CommandFailure(
                    "--max-batch does not go with --no-events", hint: "leave one of them out")
            }
            return .summary(folder: folder, sessionCountMin: sessionCountMin ?? 5)
        }
        guard sessionCountMin == nil else {
            throw CommandFailure(
                "--min-count needs --no-events: with the events anyone can count the rows",
                hint: "evalog report --to report --no-events --min-count 10")
        }
        return .events(folder: folder, limits)
    }

    private static func batchLimits(_ arguments: Arguments) throws -> BatchLimits {
        var limits = BatchLimits()
        guard let text = arguments.last(.maxBatch) else { return limits }
        guard let bytes = Figures.parseBytes(text).flatMap({ Int(exactly: $0) }),
            BatchLimits.byteCounts.contains(bytes)
        else {
            throw CommandFailure(
                "--max-batch takes a size from 10KiB to 500KiB", hint: "--max-batch 100KiB")
        }
        limits.byteCountMax = bytes
        return limits
    }

    // MARK: Running

    func run() throws -> ExitStatus {
        let reviewed = try catalogPath.map(reviewedCatalog)
        try directory.demandExisting()
        switch product {
        case .draft:
            try console.output.write(bytes: read(reviewed: nil).screened.draft.bytes)
        case .events(let folder, let limits):
            try LogPlace.demandOutside(folder, of: directory)
            try reportEvents(to: folder, limits, read(reviewed: reviewed).screened)
        case .summary(let folder, let sessionCountMin):
            try LogPlace.demandOutside(folder, of: directory)
            try reportSummary(to: folder, fewerThan: sessionCountMin, reviewed)
        }
        return .done
    }

    private func reviewedCatalog(_ path: String) throws -> ReviewedCatalog {
        guard let bytes = try FileSystem.contents(of: path) else {
            throw CommandFailure("cannot open \(path)", hint: "check the path")
        }
        do {
            return try ReviewedCatalog(bytes)
        } catch {
            throw CommandFailure(
                "\(path) is no reviewed catalog: \(ErrorText.of(error))",
                hint: "evalog report --draft-catalog prints one")
        }
    }

    /// The log's events, those of them that had their turn by a ledger, and all lines that were read.
    private func read(
        reviewed: ReviewedCatalog?, after ledger: ReportLedger = .init(),
        catalog: LogCatalog? = nil
    ) throws -> (screened: Screened, had: Set<FactKey>, lines: SequencesByWriter) {
        let progress = Progress("reading", console: console)
        defer { progress.end() }
        let known = (0..<threads).map { _ in VendorCollector() }
        let others = (0..<threads).map { _ in VendorCollector() }
        let reading = try FactReading(
            of: directory, into: known, catalog: catalog, within: ledger.lines,
            othersInto: others, progress: { progress.update($0) })
        progress.end()
        console.warn(ofDamageIn: reading.report)
        let collector = VendorCollector()
        for other in known { collector.absorb(other) }
        let had = ledger.progress.reportedUntil.map(collector.events) ?? []
        for other in others { collector.absorb(other) }
        for writer in reading.report.writers where writer.retiredCount > 0 {
            collector.miss(beginningOf: UniqueID(writer.writer))
        }
        let screened = Screening.screen(collector, reviewed: reviewed)
        return (screened, had, reading.report.position[.facts])
    }

    private func reportEvents(
        to folder: String, _ limits: BatchLimits, _ screened: Screened
    ) throws {
        let records = try ReportRecords(directory)
        let lines = EventLines(screened.events, limits)
        let summary = VendorSummary(screened.events.map { (windows[$0.time.microseconds], $0) })
        let manifest = Manifest(.events(limits: limits, batches: lines.batches))
        let files = try OutputFolder(path: folder, of: directory).stage([
            (ReportFile.events.rawValue, Self.body(lines.bytes)),
            (ReportFile.summary.rawValue, Self.body(summary.bytes)),
            (ReportFile.manifest.rawValue, Self.body(manifest.bytes)),
        ])
        try records.append(
            screened.withheld.journalLine(
                time: console.now(), isSummary: false, eventCount: screened.events.count))
        try files.commit()
        console.note(
            "\(folder): \(Figures.counted(screened.events.count, "event")) in"
                + " \(Figures.counted(lines.batches.count, "upload")), summary and manifest")
        note(screened.withheld)
    }

    private func reportSummary(
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
        let turn = try records.takeTurn()
        defer { turn.end() }
        var ledger = try records.ledger()
        let catalog = try LogCatalog.scan(directory, .facts)
        let (screened, had, lines) = try read(reviewed: reviewed, after: ledger, catalog: catalog)
        let due = DueEvents(of: screened, after: ledger.progress, had: had, now: now) {
            windows[$0]
        }
        guard let due else {
            console.note(
                "no window has ended since the last summary; \(folder) is left as it is")
            return
        }
        ledger.close(until: due.end, read: lines, latest: catalog.latestEventTimes)
        let (summary, hiddenCount) = SmallCells.hide(
            in: VendorSummary(due.events), fewerThan: sessionCountMin, of: due.events)
        var withheld = screened.withheld
        withheld.add(.incompleteWindow, due.waitingCount)
        withheld.add(.forgottenWindow, due.forgottenCount)
        withheld.add(.smallCells, hiddenCount)
        let manifest = Manifest(.summary(sessionCountMin: sessionCountMin))
        let files = try OutputFolder(path: folder, of: directory).stage([
            (ReportFile.summary.rawValue, Self.body(summary.bytes)),
            (ReportFile.manifest.rawValue, Self.body(manifest.bytes)),
        ])
        let newLedger = try records.stage(ledger)
        try records.append(
            withheld.journalLine(
                time: now, isSummary: true, eventCount: due.events.count))
        // First the ledger: whatever happens then, no window is told twice.
        try newLedger.commit()
        try files.commit()
        console.note(
            "\(folder): summary of \(Figures.counted(due.events.count, "event")) in"
                + " \(Figures.counted(summary.rowCount, "row")), and manifest")
        note(withheld)
    }

    private func note(_ withheld: Withheld) {
        let counts = withheld.occurring.map { "\($0.reason.words): \(Figures.count($0.count))" }
        guard !counts.isEmpty else { return }
        console.note("withheld \(counts.joined(separator: "; "))")
    }

    private static func body(_ bytes: [UInt8]) -> OutputFolder.Body {
        { emit in try bytes.withUnsafeBytes(emit) }
    }
}
