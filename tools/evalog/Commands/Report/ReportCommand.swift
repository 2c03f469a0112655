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
    static let minCount = Flag(
        name: "min-count", value: "N", summary: "Sessions that a row must have with --no-events.",
        detail: "Default: 5. Rows that would give a smaller one away are hidden as well.")
    static let clockWasAhead = Flag(
        name: "clock-was-ahead", summary: "Let windows begin now, after a clock that ran ahead.",
        detail:
            "With --no-events, and without --to: reports nothing. For a log whose last summary was made"
            + " when the clock was ahead, and would have to be waited for.")
    static let ledgerWasLost = Flag(
        name: "ledger-was-lost", summary: "Let windows begin now, after the ledger was lost.",
        detail:
            "With --no-events, and without --to: reports nothing. What happened before counts in no summary,"
            + " for nobody knows whether it was told.")
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
            .to, .catalog, .draftCatalog, .noEvents, .minCount, .clockWasAhead, .ledgerWasLost,
            .window, .timezone,
            .maxBatch, .threads,
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
    private let product: ReportProduct
    private let catalogPath: String?
    let directory: LogDirectory
    let windows: ReportWindows
    private let threads: Int
    let console: Console

    init(_ arguments: Arguments, _ console: Console) throws {
        product = try ReportProduct(arguments)
        catalogPath = arguments.last(.catalog)
        windows = try ReportWindows(arguments.metricsRules(now: console.now()))
        threads = try arguments.threadCount()
        directory = LogDirectory(path: console.logPath(arguments))
        self.console = console
    }

    // MARK: Running

    func run() throws -> ExitStatus {
        let reviewed = try catalogPath.map(reviewedCatalog)
        try directory.demandExisting()
        switch product {
        case .draft:
            try console.output.write(json: read(reviewed: nil).screened.draft.bytes)
        case .events(let folder, let limits): try reportEvents(to: folder, limits, reviewed)
        case .summary(let folder, let sessionCountMin):
            try reportSummary(to: folder, fewerThan: sessionCountMin, reviewed)
        case .restart: try restartSummaries()
        case .restartWithoutLedger: try restartWithoutLedger()
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

    /// The log's events, with those of them that had their turn by a ledger, and what was read.
    func read(
        reviewed: ReviewedCatalog?, after ledger: ReportLedger = .init()
    ) throws -> (screened: Screened, report: ReadReport, catalog: LogCatalog) {
        let progress = Progress("reading", console: console)
        defer { progress.end() }
        var known = (0..<threads).map { _ in VendorCollector() }
        var others = (0..<threads).map { _ in VendorCollector() }
        let catalog = try LogCatalog.scan(directory, .facts)
        let reading = try FactReading(
            of: directory, into: known, catalog: catalog, within: ledger.lines,
            othersInto: others, progress: { progress.update($0) })
        progress.end()
        let hidden = try directory.filesHidingFacts(reading.report.ignored)
        console.warn(ofDamageIn: reading.report, hiding: hidden)
        let collector = VendorCollector()
        // One after the other, so that few are there twice at once.
        while let other = known.popLast() { collector.absorb(other) }
        let past = collector.events { writer, sequence, time in
            ledger.hadTurn(WriterID(high: writer.high, low: writer.low), sequence, at: time)
        }
        while let other = others.popLast() { collector.absorb(other) }
        collector.miss(what: reading.report, lacksOf: catalog)
        // Of whom these lines are, and of when, nobody looks.
        if !hidden.isEmpty { collector.miss(linesFrom: .min ... .max) }
        let screened = Screening.screen(collector, reviewed: reviewed, past: past)
        return (screened, reading.report, catalog)
    }
}
