// One file of lines into the log: counts, messages, progress.

import EvalogContent
import EvalogFacts
import EvalogImporters
import EvalogLog
import EvalogRecording
import EvalogText

/// Imports one input. What was read before an error stays imported.
struct FileImport {
    let path: String
    let source: String
    let choice: ContentRetention
    /// So many bad lines are named, the others counted.
    let badLineCountMax: Int
    /// Nil for evaluation records and facts.
    let format: TraceFormat?
    let directory: LogDirectory
    let console: Console

    /// A longer line is read once all before it are written: what is made of it and what the writer
    /// makes of the one before are as long as the line, and together they would fill the memory.
    private static let longLineByteCount = 1 << 20

    /// What became of the lines.
    struct Tally {
        var lines: Int64 = 0
        var evaluations = 0
        var events = 0
        var refused = 0
        var erased = 0
        var contentLines = 0
        /// Evaluations that came as records, with content that may be kept.
        var records = 0
    }

    struct Outcome {
        /// False if a line was refused, or a part of the input is damaged.
        let isClean: Bool
        /// Whether any line went into the log.
        let hasLines: Bool
    }

    /// - Throws: ``CommandFailure``, ``LogError``.
    func run(isStrict: Bool) throws -> Outcome {
        let proven = try provenText()
        let target = try ImportTarget(directory, console)
        if isStrict {
            var tally = Tally()
            try read(proven, into: &tally, to: target, isTrial: true)
            guard tally.refused == 0, proven == nil else {
                let reason =
                    tally.refused == 0
                    ? "for it is damaged"
                    : "\(Figures.count(tally.refused)) of \(Figures.counted(tally.lines, "line")) are bad"
                console.warn("\(path): nothing imported, \(reason)")
                return Outcome(isClean: false, hasLines: false)
            }
        }
        var tally = Tally()
        do {
            try read(proven, into: &tally, to: target, isTrial: false)
        } catch {
            try? target.close()
            console.warn(
                "\(path): stopped after reading \(tally.summary), of which the last may not be in the"
                    + " log; importing it again adds what is missing")
            throw error
        }
        try target.close()
        console.note("\(path): \(tally.summary)")
        if choice == .off, tally.records > 0 {
            console.note("\(path): their content was not kept; --content all keeps it")
        }
        return Outcome(
            isClean: tally.refused == 0 && proven == nil,
            hasLines: tally.evaluations + tally.events > 0)
    }

    /// How far a gzip file is proven by its checksums; nil for one that is whole, and for plain text.
    ///
    /// A damaged member can inflate to text that nobody wrote, and a log keeps what it is given: so
    /// nothing of it is imported. A stream cannot be read twice and is checked while it is imported.
    private func provenText() throws -> Int64? {
        guard path != "-", !FileSystem.isStream(path) else { return nil }
        var source = try LineSource(path: path, lineByteCountMax: 0)
        let progress = Progress("checking \(path)", console: console)
        defer { progress.end() }
        do {
            guard try source.isGzip() else { return nil }
            while try source.skipPiece() {
                progress.update(done: source.bytesRead, total: source.bytesTotal, lines: 0)
            }
            return nil
        } catch let damage as GzipDamage {
            console.warn(
                "\(path) is damaged gzip, of which the first \(Figures.bytes(damage.provenByteCount)) of text"
                    + " lie in whole members; no more is imported; gzip -t \(path) shows the damage"
            )
            return damage.provenByteCount
        }
    }

    /// - Parameters:
    ///   - proven: Where to end, if before the input does.
    ///   - isTrial: Nothing is written, and what is said of good lines is left to the reading that
    ///     counts.
    private func read(
        _ proven: Int64?, into tally: inout Tally, to target: ImportTarget, isTrial: Bool
    ) throws {
        var lines = try LineSource(
            path: path, lineByteCountMax: LogLimits.lineByteCountMax,
            textByteCountMax: proven ?? .max)
        var intake = LineIntake(of: self, target, isTrial: isTrial)
        defer { tally = intake.tally }
        let progress = Progress("\(isTrial ? "checking" : "importing") \(path)", console: console)
        defer { progress.end() }
        while let next = try nextLine(of: &lines) {
            switch next {
            case .line:
                if lines.line.count > Self.longLineByteCount { try target.writer?.flush() }
                try intake.take(lines.line)
            case .tooLong(let byteCount): intake.refuse(tooLong: byteCount)
            }
            if intake.tally.lines & 0x3FF == 0 {
                progress.update(
                    done: lines.bytesRead, total: lines.bytesTotal, lines: intake.tally.lines)
            }
        }
        intake.finish()
    }

    private func nextLine(of lines: inout LineSource) throws -> SourceLine? {
        do {
            return try lines.next()
        } catch is GzipDamage {
            throw CommandFailure(
                "the gzip stream is damaged; its last lines may not be what was written",
                hint: "put it into a file, of which only what is proven is imported")
        }
    }
}

extension FileImport.Tally {
    mutating func count(_ fact: Fact, _ content: ImportedContent, isRecord: Bool) {
        if case .evaluation = fact { evaluations += 1 } else { events += 1 }
        if isRecord { records += 1 }
        if case .line = content { contentLines += 1 }
    }

    var summary: String {
        var parts = [
            Figures.counted(evaluations, "evaluation"), Figures.counted(events, "event"),
        ]
        if contentLines > 0 { parts.append("content of \(Figures.count(contentLines))") }
        if erased > 0 { parts.append("\(Figures.counted(erased, "erased line")) left out") }
        if refused > 0 { parts.append("\(Figures.counted(refused, "line")) refused") }
        return parts.joined(separator: ", ")
    }
}

/// Names the first bad lines, counts the rest, and tells where the first odd values stand.
struct FaultReport {
    /// What is shown unless the flags say how many.
    static let shownCountMax = 20

    let path: String
    let console: Console
    private let shownCountMax: Int
    private var shownCount = 0
    private var hiddenCount = 0
    private var firstUnknownKeyLine: Int64?
    private var firstReplacedLine: Int64?

    init(path: String, shownCountMax: Int, console: Console) {
        self.path = path
        self.shownCountMax = shownCountMax
        self.console = console
    }

    mutating func add(_ fault: LineFault, line: Int64) {
        guard shownCount < shownCountMax else {
            hiddenCount += 1
            return
        }
        shownCount += 1
        console.warn("\(path):\(line): \(ErrorText.of(fault))")
    }

    /// Notes the line in which something was left out or replaced for the first time.
    mutating func look(at importer: LineImporter, line: Int64) {
        if firstUnknownKeyLine == nil, importer.unknownKeyCount > 0 { firstUnknownKeyLine = line }
        if firstReplacedLine == nil, importer.replacedCount > 0 { firstReplacedLine = line }
    }

    func endFaults() {
        if hiddenCount > 0 {
            console.warn(
                "\(path): and \(Figures.counted(hiddenCount, "more bad line")); --bad-lines names them"
            )
        }
    }

    /// Says what of traces has no place in the log.
    func note(_ unmapped: Unmapped) {
        for (what, counts) in [
            ("", unmapped.parts), ("attributes without a place: ", unmapped.attributes),
        ] where !counts.isEmpty {
            let listed = counts.sorted { $0.key < $1.key }.map {
                "\(Figures.count($0.value)) \($0.key)"
            }
            console.note("\(path): left out: \(what)\(listed.joined(separator: ", "))")
        }
    }

    /// Says what of the good lines was left out or replaced.
    func note(_ importer: LineImporter) {
        if let line = firstUnknownKeyLine {
            console.note(
                "\(path): \(Figures.counted(importer.unknownKeyCount, "unknown key")) left out,"
                    + " the first in line \(line)")
        }
        if let line = firstReplacedLine {
            console.note(
                "\(path): \(Figures.counted(importer.replacedCount, "value")) of another shape became"
                    + " \"other\" or a digest, the first in line \(line); the shapes are in"
                    + " schemas/fact-v1.schema.json")
        }
    }
}
