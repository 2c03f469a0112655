// Lines of one input, one after the other: what becomes of each, and what is said of them.

import EvalogContent
import EvalogFacts
import EvalogImporters
import EvalogLog
import EvalogRecording
import EvalogText

/// Reads lines, writes what they come to, counts.
struct LineIntake {
    private(set) var tally = FileImport.Tally()
    private let file: FileImport
    private let target: ImportTarget
    /// Nothing is written.
    private let isTrial: Bool
    private let importTime: Int64
    private var importer: LineImporter
    private var traces: TraceImporter?
    private var report: FaultReport

    init(of file: FileImport, _ target: ImportTarget, isTrial: Bool) {
        self.file = file
        self.target = target
        self.isTrial = isTrial
        importTime = file.console.now()
        importer = Self.importer(of: file, isTrial, importTime, target.key)
        traces = file.format.map(TraceImporter.init)
        report = FaultReport(
            path: file.path, shownCountMax: file.badLineCountMax, console: file.console)
    }

    private static func importer(
        of file: FileImport, _ isTrial: Bool, _ importTime: Int64, _ key: [UInt8]
    ) -> LineImporter {
        LineImporter(
            source: file.source, choice: isTrial ? .off : file.choice, importTime: importTime,
            key: key)
    }

    /// - Throws: What keeps the log from being written; a bad line is no such thing.
    mutating func take(_ line: [UInt8]) throws {
        tally.lines += 1
        guard traces != nil else { return try take(part: line) }
        let records: [[UInt8]]
        do throws(LineFault) {
            records = try self.records(of: line)
        } catch {
            return refuse(error)
        }
        for record in records { try take(part: record) }
    }

    private mutating func records(of line: [UInt8]) throws(LineFault) -> [[UInt8]] {
        guard var traces, let format = file.format else { return [] }
        defer { self.traces = traces }
        let result = line.withUnsafeBytes { bytes in
            Result { () throws(TextError) in try traces.records(of: bytes) }
        }
        do { return try result.get() } catch { throw .trace(format, error) }
    }

    /// A fact or a record.
    private mutating func take(part: [UInt8]) throws {
        var imported = part.withUnsafeBytes { importer.read($0) }
        if !isTrial, target.writer == nil, case .fact = imported, try target.open() {
            // Somebody else has just given the log its key.
            importer = Self.importer(of: file, isTrial, importTime, target.key)
            imported = part.withUnsafeBytes { importer.read($0) }
        }
        switch imported {
        case .blank: break
        case .erased: tally.erased += 1
        case .refused(let fault): refuse(fault)
        case .fact(let fact, let content, let isRecord):
            if !isTrial, let writer = target.writer { try append(fact, content, to: writer) }
            tally.count(fact, content, isRecord: isRecord)
        }
        report.look(at: importer, line: tally.lines)
    }

    mutating func refuse(tooLong byteCount: Int64) {
        tally.lines += 1
        refuse(.tooLong(byteCount: byteCount))
    }

    private mutating func refuse(_ fault: LineFault) {
        tally.refused += 1
        report.add(fault, line: tally.lines)
    }

    /// Says what was not named yet.
    mutating func finish() {
        report.endFaults()
        guard !isTrial else { return }
        report.note(importer)
        if let traces { report.note(traces.unmapped) }
    }

    private func append(
        _ fact: Fact, _ content: ImportedContent, to writer: LogWriter
    ) throws {
        var line: [UInt8] = []
        fact.encode(into: &line)
        try demand(writer.appendWaiting(line, to: .facts, eventTime: fact.time), writer)
        switch content {
        case .none: break
        case .line(let line):
            try demand(
                writer.appendWaiting(line, to: ContentAccess.stream, eventTime: fact.time), writer)
        case .tooLong: file.console.warn("\(file.path): content of more than 16 MiB was left out")
        }
    }

    /// Importing waits for room, so a refusal means that the disk has failed: say how.
    private func demand(_ outcome: AppendOutcome, _ writer: LogWriter) throws {
        guard case .refused(let cause) = outcome else { return }
        try writer.flush()
        throw CommandFailure(
            "cannot write \(file.directory.path): \(cause)",
            hint: "evalog status shows what is there")
    }
}
