// What erasing did, or would do, for a person and for a program.

import EvalogLog
import EvalogText

struct EraseOutcome {
    struct Part {
        let kind: StreamKind
        /// Erased, or to be erased.
        var lineCount: UInt64 = 0
        var laterCount: UInt64 = 0
        var leftCount: UInt64 = 0
        var leftNames: [String] = []
        /// Lines that could not be read and are gone; segments with such, in a dry run.
        var unreadableCount: UInt64 = 0
        var damagedSegmentCount = 0
        var rewrittenCount = 0
        var foreignCount = 0

        init(_ kind: StreamKind, _ report: EraseReport) {
            self.kind = kind
            lineCount = report.lineCount
            laterCount = report.laterCount
            leftCount = report.heldCount
            leftNames = report.heldNames + report.newerNames
            unreadableCount = report.unreadableCount
            rewrittenCount = report.rewrittenCount
            foreignCount = report.foreignNames.count
        }

        init(_ kind: StreamKind, _ survey: EraseSurvey) {
            self.kind = kind
            lineCount = survey.lineCount
            damagedSegmentCount = survey.damagedSegmentCount
            foreignCount = survey.foreignNames.count
        }
    }

    let isDry: Bool
    var parts: [Part] = []
    var asideCount = 0
    var cacheCount = 0
    var revealCount = 0
    /// Summaries for the vendor that were on their way.
    var summaryCount = 0

    init(isDry: Bool) { self.isDry = isDry }

    var isComplete: Bool { parts.allSatisfy { $0.leftNames.isEmpty } }

    var text: String {
        var lines = parts.flatMap(lines)
        func add(_ count: Int, _ what: String) {
            if count > 0 {
                lines.append("\(Figures.counted(count, what)) \(isDry ? "to go" : "gone")")
            }
        }
        add(asideCount, "damaged file")
        add(cacheCount, "cached file")
        add(revealCount, "reveal digest")
        add(summaryCount, "summary on its way")
        return lines.map(Printable.text).joined(separator: "\n") + "\n"
    }

    private func lines(of part: Part) -> [String] {
        let name = part.kind.name
        let verb = isDry ? "to erase" : "erased"
        var lines = [
            part.lineCount == 0 && part.leftCount == 0
                ? "\(name): nothing \(verb)"
                : "\(name): \(Figures.counted(part.lineCount, "line")) \(verb)"
        ]
        func add(_ count: some BinaryInteger, _ noun: String, _ rest: String) {
            if count > 0 { lines.append("\(name): \(Figures.counted(count, noun)) \(rest)") }
        }
        add(part.leftCount, "line", "left")
        add(part.laterCount, "line", "appended meanwhile, which stay")
        add(part.unreadableCount, "line", "that could not be read, gone as well")
        add(
            part.damagedSegmentCount, "segment",
            "with bytes that cannot be read, which would go as well")
        add(part.foreignCount, "other file", "in the folder, not looked into")
        return lines
    }

    /// One object on one line.
    func json() -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { json in
            json.beginObject()
            json.key("dry_run")
            json.bool(isDry)
            json.key("complete")
            json.bool(isComplete)
            for part in parts { Self.write(part, to: &json) }
            json.counts([
                ("aside_files", asideCount), ("cached_files", cacheCount),
                ("reveal_digests", revealCount), ("pending_summaries", summaryCount),
            ])
            json.endObject()
        }
        return bytes + [0x0A]
    }

    private static func write(_ part: Part, to json: inout JSONWriter) {
        json.key(part.kind.name)
        json.beginObject()
        json.counts([
            ("lines", Int(clamping: part.lineCount)), ("left", Int(clamping: part.leftCount)),
            ("appended_meanwhile", Int(clamping: part.laterCount)),
            ("unreadable", Int(clamping: part.unreadableCount)),
            ("damaged_segments", part.damagedSegmentCount), ("rewritten", part.rewrittenCount),
            ("foreign_files", part.foreignCount),
        ])
        json.key("left_files")
        json.beginArray()
        for name in part.leftNames { json.string(name) }
        json.endArray()
        json.endObject()
    }
}
