// Which lines of a log had their turn in a summary without events: as intervals for each writer, so
// that nothing names an event, and only of writers that the log still has lines of.

import EvalogFacts
import EvalogLog
import EvalogText
import VendorSink

/// What a log keeps about summaries. A file beside the log; nothing of it leaves.
struct ReportLedger: Equatable, Sendable {
    /// What summaries have read of one writer.
    struct Share: Equatable, Sendable {
        var lines: SequenceSet
        /// All events of them that had their turn happened before, in µs since 1970.
        var until: Int64
        /// Where a clock ran ahead: lines that were read by then, and the end of what was told of them.
        var ahead: Ahead?
    }

    struct Ahead: Equatable, Sendable {
        var lines: SequenceSet
        var until: Int64
    }

    private(set) var progress = SummaryProgress()
    private(set) var shares: [WriterID: Share] = [:]
    /// Of the log so far: the journal has each one's number, by which an older copy of a ledger shows.
    private(set) var summaryCount: Int64 = 0

    init() {}

    /// The lines that summaries have read; those of their events that happened before the last
    /// window's end had their turn.
    var lines: SequencesByWriter { shares.mapValues(\.lines) }

    /// Whether all that another ledger's summaries have read had its turn here, too.
    func covers(_ other: Self) -> Bool { other.lines.isSubset(of: lines) }

    /// Drops writers of which the log has no line: of events from before the end of what they told nobody knows
    /// from now on whether they were told.
    mutating func forget(writersNotIn read: SequencesByWriter) {
        for (writer, share) in shares where read[writer] == nil {
            progress.forgottenUntil = max(progress.forgottenUntil ?? .min, share.until)
            shares[writer] = nil
        }
    }

    /// Takes note of a summary.
    ///
    /// - Parameters:
    ///   - end: Where the last window told ends.
    ///   - read: Lines of the log, those of earlier summaries as far as they are there.
    ///   - latest: The greatest event time of each writer's blocks, where it is known.
    mutating func close(
        until end: Int64, read: SequencesByWriter, latest: [WriterID: Int64]
    ) {
        forget(writersNotIn: read)
        for (writer, lines) in read {
            let until = latest[writer].map { $0 < end ? $0 + 1 : end } ?? end
            var share = shares[writer] ?? Share(lines: lines, until: until)
            share.lines.formUnion(lines)
            share.until = max(share.until, until)
            shares[writer] = share
        }
        progress.reportedUntil = end
        summaryCount += 1
    }
}

extension ReportLedger {
    /// Lets windows begin at a time before the last window's end. What was told of later ones is not told again.
    mutating func restart(at time: Int64) {
        for (writer, share) in shares where share.until > time {
            shares[writer]?.ahead = Ahead(lines: share.lines, until: share.until)
        }
        progress.reportedUntil = time
    }

    /// Whether an event had its turn in a summary.
    ///
    /// - Parameters:
    ///   - sequence: Of one of ``lines``.
    ///   - time: In µs since 1970.
    func hadTurn(_ writer: WriterID, _ sequence: UInt64, at time: Int64) -> Bool {
        guard let end = progress.reportedUntil else { return false }
        if time < end { return true }
        guard let ahead = shares[writer]?.ahead else { return false }
        return time < ahead.until && ahead.lines.contains(sequence)
    }

    /// The ledger that takes the place of a lost one: windows begin at a time, and of all events from before
    /// nobody knows whether they were told.
    init(inPlaceOfLostAt time: Int64, summaryCount: Int64) {
        self.summaryCount = summaryCount
        progress = SummaryProgress(reportedUntil: time, forgottenUntil: time)
    }
}

// MARK: The file

/// Why a ledger cannot be read.
enum ReportLedgerError: Error, Equatable {
    /// In a line, counted from 1.
    case damaged(line: Int)
    /// Its bytes are not those of the digest in its last line.
    case changed
    /// It has the form of another version of this program.
    case version(Int64)
}

private enum LedgerField: UInt8, ClosedList {
    case version, reportedUntil, forgottenUntil, writer, lines, until, ahead, aheadUntil, digest
    case summaries

    static let names = NameTable(
        "v", "reported_until", "forgotten_until", "writer", "lines", "until", "ahead",
        "ahead_until", "sha256", "summaries")
}

extension ReportLedger {
    /// Of the file. Version 1 named events one by one, version 2 had no digest.
    static let version: Int64 = 3

    /// The file: a line with the version and the ends, one for each writer, and the SHA-256 of all these.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { json in
            json.beginObject()
            json.key(LedgerField.version.name)
            json.integer(Self.version)
            if summaryCount > 0 {
                json.key(LedgerField.summaries.name)
                json.integer(summaryCount)
            }
            let ends = [
                (LedgerField.reportedUntil, progress.reportedUntil),
                (.forgottenUntil, progress.forgottenUntil),
            ]
            for case (let field, let time?) in ends {
                json.key(field.name)
                json.time(time)
            }
            json.endObject()
        }
        bytes.append(0x0A)
        for (writer, share) in shares.sorted(by: { $0.key < $1.key }) {
            JSONWriter.append(to: &bytes) { json in
                json.beginObject()
                json.key(LedgerField.writer.name)
                json.string(writer.description)
                json.key(LedgerField.lines.name)
                json.string(share.lines.text)
                json.key(LedgerField.until.name)
                json.time(share.until)
                if let ahead = share.ahead {
                    json.key(LedgerField.ahead.name)
                    json.string(ahead.lines.text)
                    json.key(LedgerField.aheadUntil.name)
                    json.time(ahead.until)
                }
                json.endObject()
            }
            bytes.append(0x0A)
        }
        return bytes + Self.digestLine(of: bytes)
    }

    private static func digestLine(of bytes: [UInt8]) -> [UInt8] {
        var line: [UInt8] = []
        JSONWriter.append(to: &line) { json in
            json.beginObject()
            json.key(LedgerField.digest.name)
            json.string(SHA256.text(of: bytes))
            json.endObject()
        }
        return line + [0x0A]
    }

    /// Reads such a file.
    ///
    /// - Throws: ``ReportLedgerError``: what is damaged must not let a window be told twice.
    init(_ file: [UInt8]) throws(ReportLedgerError) {
        var fields = LineFields<LedgerField>(
            byteCountMax: LogLimits.lineByteCountMax, loneSurrogates: .refused)
        var lines = file.split(separator: 0x0A, omittingEmptySubsequences: false)
        // Nothing stands behind the last line feed. Of another version everything may be otherwise.
        guard lines.popLast()?.isEmpty == true, let head = lines.first else {
            throw .damaged(line: 1)
        }
        if let fault = head.withUnsafeBytes({ take($0, 1, &fields) }) { throw fault }
        guard let last = lines.popLast(),
            Self.digestLine(of: Array(file[..<last.startIndex])).elementsEqual(
                file[last.startIndex...])
        else { throw .changed }
        for (index, line) in lines.enumerated().dropFirst() {
            if let fault = line.withUnsafeBytes({ take($0, index + 1, &fields) }) { throw fault }
        }
    }

    private mutating func take(
        _ line: UnsafeRawBufferPointer, _ number: Int, _ fields: inout LineFields<LedgerField>
    ) -> ReportLedgerError? {
        guard (try? fields.read(line)) != nil else { return .damaged(line: number) }
        if number == 1, let version = try? fields.integer(.version, in: 1 ... .max),
            version != Self.version
        {
            return .version(version)
        }
        let isTaken =
            fields.unknownKeyCount == 0 && (number == 1 ? readHead(fields) : readShare(fields))
        return isTaken ? nil : .damaged(line: number)
    }

    private mutating func readHead(_ fields: LineFields<LedgerField>) -> Bool {
        guard (try? fields.integer(.version, in: 1 ... .max)) != nil,
            !fields.present.contains(.writer)
        else { return false }
        progress.reportedUntil = try? fields.time(.reportedUntil)
        progress.forgottenUntil = try? fields.time(.forgottenUntil)
        if fields.present.contains(.summaries) {
            guard let count = try? fields.integer(.summaries, in: 1 ... .max) else { return false }
            summaryCount = count
        }
        return (progress.reportedUntil != nil || !fields.present.contains(.reportedUntil))
            && (progress.forgottenUntil != nil || !fields.present.contains(.forgottenUntil))
    }

    private mutating func readShare(_ fields: LineFields<LedgerField>) -> Bool {
        guard let name = try? fields.text(.writer), let writer = WriterID(hexadecimal: name),
            let text = try? fields.text(.lines), let lines = SequenceSet(text: text),
            let until = try? fields.time(.until), shares[writer] == nil
        else { return false }
        var share = Share(lines: lines, until: until)
        if fields.present.contains(.ahead) {
            guard let text = try? fields.text(.ahead), let lines = SequenceSet(text: text),
                let until = try? fields.time(.aheadUntil)
            else { return false }
            share.ahead = Ahead(lines: lines, until: until)
        }
        shares[writer] = share
        return true
    }
}
