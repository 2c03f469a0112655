// Which windows have been reported without events, and which events they had: so that no window is
// ever reported twice, whose difference would tell about few sessions.

import EvalogFacts
import EvalogText

/// What earlier summaries have told. A file beside the log; nothing of it leaves.
package struct ReportLedger: Equatable, Sendable {
    /// Where the last window reported ends, in µs since 1970; nil before the first report.
    package private(set) var end: Int64?
    /// Events that had their turn, withheld ones included.
    package private(set) var known: Set<FactKey> = []

    package init() {}

    /// Finds what is due for a report, and takes note that it was reported.
    ///
    /// An event that came too late for its window counts in the first that is due now. Windows that
    /// begin before ``end`` are cut there, so that any length may follow any other.
    ///
    /// - Parameters:
    ///   - screened: All events of the log.
    ///   - now: Windows that end after it wait.
    ///   - window: The window of a time.
    /// - Returns: Events with the windows that they count in, and how many wait for theirs to end; nil
    ///   where no window has ended since the last report, and then nothing has changed.
    package mutating func takeDue(
        _ screened: Screened, now: Int64, window: (Int64) -> ReportWindow
    ) -> (events: [(window: ReportWindow, event: VendorEvent)], waitingCount: Int)? {
        let newEnd = window(now).start
        if let end, newEnd <= end { return nil }
        let first = end.map { ReportWindow(start: $0, end: window($0).end) }
        var due: [(window: ReportWindow, event: VendorEvent)] = []
        var waitingCount = 0
        for event in screened.events where !hasTold(event, screened) {
            let time = event.time.microseconds
            guard time < newEnd else {
                waitingCount += 1
                continue
            }
            if let first, time < first.end {
                due.append((first, event))
            } else {
                due.append((window(time), event))
            }
        }
        end = newEnd
        for (key, time) in screened.times where time < newEnd { known.insert(key) }
        return (due, waitingCount)
    }

    /// Whether the event had its turn, be it under another id.
    private func hasTold(_ event: VendorEvent, _ screened: Screened) -> Bool {
        known.contains(event.key) || !known.isDisjoint(with: screened.twins[event.key] ?? [])
    }
}

// MARK: The file

/// A line of a ledger that cannot be read, counted from 1.
package struct ReportLedgerError: Error, Equatable, Sendable {
    package let line: Int
}

private enum LedgerField: UInt8, ClosedList {
    case version, reportedUntil, type, id

    static let names = NameTable("v", "reported_until", "type", "id")
}

extension ReportLedger {
    /// The file: a line with the version and the end, then one for each event.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { json in
            json.beginObject()
            json.key(LedgerField.version.name)
            json.integer(1)
            if let end {
                json.key(LedgerField.reportedUntil.name)
                json.time(end)
            }
            json.endObject()
        }
        bytes.append(0x0A)
        for key in known.sorted() {
            JSONWriter.append(to: &bytes) { json in
                json.beginObject()
                json.key(LedgerField.type.name)
                json.string(key.kind.name)
                json.key(LedgerField.id.name)
                json.id(key.id)
                json.endObject()
            }
            bytes.append(0x0A)
        }
        return bytes
    }

    /// Reads such a file.
    ///
    /// - Throws: ``ReportLedgerError``: what is damaged must not let a window be told twice.
    package init(_ file: [UInt8]) throws(ReportLedgerError) {
        guard file.last == 0x0A else { throw ReportLedgerError(line: 1) }
        var fields = LineFields<LedgerField>(byteCountMax: 1 << 10, loneSurrogates: .refused)
        var number = 0
        for line in file.dropLast().split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            let isRead = line.withUnsafeBytes { bytes in
                (try? fields.read(bytes)) != nil && fields.unknownKeyCount == 0
                    && (number == 1 ? readHead(fields) : readEvent(fields))
            }
            guard isRead else { throw ReportLedgerError(line: number) }
        }
    }

    private mutating func readHead(_ fields: LineFields<LedgerField>) -> Bool {
        guard (try? fields.integer(.version, in: 1...1)) == 1, !fields.present.contains(.id)
        else { return false }
        end = try? fields.time(.reportedUntil)
        return end != nil || !fields.present.contains(.reportedUntil)
    }

    private mutating func readEvent(_ fields: LineFields<LedgerField>) -> Bool {
        guard let kind = try? fields.name(.type, of: FactKind.self),
            kind == .aiSuppressed || kind == .formInference, let id = try? fields.id(.id)
        else { return false }
        known.insert(FactKey(kind, id))
        return true
    }
}
