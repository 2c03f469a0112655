// One file of lines into the log: counts, messages, progress.

import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogRecording
import EvalogText

/// Imports one input. What was read before an error stays imported.
struct FileImport {
    let path: String
    let source: String
    let choice: ContentRetention
    let directory: LogDirectory
    let console: Console

    /// What became of the lines.
    struct Tally {
        var lines: Int64 = 0
        var evaluations = 0
        var events = 0
        var refused = 0
        var contentLines = 0
    }

    /// False if a line was refused.
    ///
    /// - Throws: ``CommandFailure``, ``LogError``.
    func run(isStrict: Bool) throws -> Bool {
        let key = try ContentAccess.key(of: directory)
        if isStrict {
            let tally = try read(key, verb: "checking", isTrial: true) { _, _ in }
            guard tally.refused == 0 else {
                console.warn(
                    "\(path): nothing imported, \(Figures.count(tally.refused)) of"
                        + " \(Figures.count(tally.lines)) lines are bad")
                return false
            }
        }
        let writer = try LogWriter(directory)
        let tally: Tally
        do {
            tally = try read(key, verb: "importing") { fact, content in
                try append(fact, content, to: writer)
            }
        } catch {
            try? writer.close()
            throw error
        }
        try writer.close()
        console.note("\(path): \(tally.summary)")
        return tally.refused == 0
    }

    private func append(_ fact: Fact, _ content: ContentLine?, to writer: LogWriter) throws {
        var line: [UInt8] = []
        fact.encode(into: &line)
        try demand(writer.appendWaiting(line, to: .facts, eventTime: fact.time), writer)
        guard let content else { return }
        line.removeAll(keepingCapacity: true)
        content.encode(into: &line)
        try demand(
            writer.appendWaiting(line, to: ContentAccess.stream, eventTime: fact.time), writer)
    }

    /// Importing waits for room, so a refusal means that the disk has failed: say how.
    private func demand(_ outcome: AppendOutcome, _ writer: LogWriter) throws {
        guard case .refused(let cause) = outcome else { return }
        if cause == .tooLong {
            console.warn("\(path): content of more than 16 MiB was left out")
            return
        }
        try writer.flush()
        throw CommandFailure(
            "cannot write \(directory.path): \(cause)", hint: "evalog status shows what is there")
    }

    /// - Parameter isTrial: What is said of good lines is left to the reading that counts.
    private func read(
        _ key: [UInt8], verb: String, isTrial: Bool = false,
        _ accept: (Fact, ContentLine?) throws -> Void
    ) throws -> Tally {
        var lines = try LineSource(path: path, lineByteCountMax: LogLimits.lineByteCountMax)
        var importer = LineImporter(
            source: source, choice: choice, importTime: console.now(), key: key)
        var tally = Tally()
        var report = FaultReport(path: path, console: console)
        let progress = Progress("\(verb) \(path)", console: console)
        defer { progress.end() }
        while let next = try lines.next() {
            tally.lines += 1
            let imported: ImportedLine
            switch next {
            case .line(let bytes): imported = importer.read(bytes)
            case .tooLong(let byteCount): imported = .refused(.tooLong(byteCount: byteCount))
            }
            switch imported {
            case .blank: break
            case .refused(let fault):
                tally.refused += 1
                report.add(fault, line: tally.lines)
            case .fact(let fact, let content):
                try accept(fact, content)
                tally.count(fact, content)
            }
            if tally.lines & 0x3FF == 0 {
                progress.update(done: lines.bytesRead, total: lines.bytesTotal, lines: tally.lines)
            }
        }
        report.endFaults()
        if !isTrial { report.note(importer) }
        return tally
    }
}

extension FileImport.Tally {
    mutating func count(_ fact: Fact, _ content: ContentLine?) {
        if case .evaluation = fact { evaluations += 1 } else { events += 1 }
        if content != nil { contentLines += 1 }
    }

    var summary: String {
        var parts = [
            "\(Figures.count(evaluations)) evaluations", "\(Figures.count(events)) events",
        ]
        if contentLines > 0 { parts.append("content of \(Figures.count(contentLines))") }
        if refused > 0 { parts.append("\(Figures.count(refused)) lines refused") }
        return parts.joined(separator: ", ")
    }
}

/// Names the first bad lines and counts the rest.
struct FaultReport {
    let path: String
    let console: Console
    private var shownCount = 0
    private var hiddenCount = 0
    private static let shownCountMax = 20

    init(path: String, console: Console) {
        self.path = path
        self.console = console
    }

    mutating func add(_ fault: LineFault, line: Int64) {
        guard shownCount < Self.shownCountMax else {
            hiddenCount += 1
            return
        }
        shownCount += 1
        console.warn("\(path):\(line): \(ErrorText.of(fault))")
    }

    func endFaults() {
        if hiddenCount > 0 {
            console.warn("\(path): and \(Figures.count(hiddenCount)) more bad lines")
        }
    }

    /// Says what of the good lines was left out or replaced.
    func note(_ importer: LineImporter) {
        if importer.unknownKeyCount > 0 {
            console.note(
                "\(path): \(Figures.count(importer.unknownKeyCount)) unknown keys were left out")
        }
        if importer.replacedCount > 0 {
            console.note(
                "\(path): \(Figures.count(importer.replacedCount)) values did not fit their shape and became"
                    + " \"other\" or a digest (docs: schemas/fact-v1.schema.json)")
        }
    }
}
