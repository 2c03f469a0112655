// What a log keeps about the reports made of it, in LOG/reports: nothing of it leaves.

import EvalogLog
import EvalogMetrics
import VendorSink

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `LOG/reports`: how much was withheld by each report, and which windows were told.
struct ReportRecords {
    private static let ledgerName = "ledger.ndjson"

    private let folder: OutputFolder
    private let journal: Journal

    /// Makes the folder if it is missing.
    ///
    /// - Throws: ``CommandFailure``; without a place for the counts there is no report.
    init(_ directory: LogDirectory) throws {
        folder = try OutputFolder(path: "reports", in: directory)
        journal = Journal(
            path: "\(folder.path)/withheld.ndjson", consequence: "nothing is reported")
    }

    /// Adds a line about a report.
    func append(_ line: [UInt8]) throws { try journal.append(line) }

    /// The ledger; that of a log that has never been summed up where there is none.
    func ledger() throws -> ReportLedger {
        let path = "\(folder.path)/\(Self.ledgerName)"
        guard let bytes = try FileSystem.contents(of: path) else { return ReportLedger() }
        do {
            return try ReportLedger(bytes)
        } catch {
            throw CommandFailure(
                "\(path) is damaged in line \(error.line)",
                hint: "bring a copy of it back: without it, windows would be told twice")
        }
    }

    /// Writes a ledger that is not in its place yet.
    func stage(_ ledger: ReportLedger) throws -> StagedFiles {
        let bytes = ledger.bytes
        return try folder.stage([
            (Self.ledgerName, { emit in try bytes.withUnsafeBytes(emit) })
        ])
    }

    /// Keeps others from making a summary of this log meanwhile.
    func takeTurn() throws -> ReportTurn {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure("cannot open \(folder.path): \(SystemError.text(errno))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw CommandFailure(
                "another report of this log is being made", hint: "wait for its end")
        }
        return ReportTurn(descriptor: descriptor)
    }
}

/// The right to make a summary, until its end or that of the process.
struct ReportTurn {
    fileprivate let descriptor: Int32

    func end() { close(descriptor) }
}

/// The windows of a summary, as the flags ask for them.
final class ReportWindows {
    private var grid: WindowGrid

    init(_ rules: MetricsRules) throws {
        grid = try WindowGrid(rules.window, timeZone: rules.timeZone)
    }

    /// The window of a time in µs since 1970.
    subscript(time: Int64) -> ReportWindow {
        let window = grid.window(of: time)
        return ReportWindow(start: window.start, end: window.end)
    }
}
