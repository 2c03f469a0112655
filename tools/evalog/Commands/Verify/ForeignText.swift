// The words for what lies among segments and is none: what it is, and what to do about it.

import EvalogLog
import EvalogText

enum ForeignText {
    /// - Parameters:
    ///   - kind: Of the stream in whose folder the file lies.
    ///   - log: The log's path.
    static func of(_ file: ForeignFile, _ kind: StreamKind, in log: String) -> String {
        let what: String =
            switch file.meaning {
            case .temporary: "left by a process that was killed, or about to be named"
            case .link: "a link, which is not followed"
            case .notAFile: "not a file"
            case .standIn(let isLink):
                "\(isLink ? "a link, which is not followed" : "not a file"), in the place of a segment;"
                    + " put the segment itself there"
            case .other:
                "no segment, and not a part of the log; move it out of \(log)/\(kind.name) (if it is"
                    + " the text of one, evalog import brings its lines back)"
            case .segment(let proper, let lineCount, let missingCount):
                segment(proper, lineCount, missingCount, of: kind)
            case .otherStream(let proper, missingCount: 0):
                "a segment of \(proper.kind.name), whose lines are there without it, so it can go"
            case .otherStream(let proper, _):
                "a segment of \(proper.kind.name); move it to \(log)/\(proper.kind.name)/\(proper)"
            case .unpacked:
                "the text of a segment that was unpacked, whose lines do not count any more; move it"
                    + " out of the log and bring them back with evalog import"
            }
        return "\(file.name), \(what)"
    }

    private static func segment(
        _ proper: SegmentName, _ lineCount: UInt64, _ missingCount: UInt64, of kind: StreamKind
    ) -> String {
        let what = "a segment of \(kind.name) under a name that is none"
        guard missingCount > 0 else {
            return
                "\(what); its \(Figures.counted(lineCount, "line")) are in the log without it, so it"
                + " can go"
        }
        return
            "\(what); \(Figures.count(missingCount)) of its \(Figures.counted(lineCount, "line"))"
            + " are nowhere else: rename it to \(proper)"
    }

    static func write(_ file: ForeignFile, to json: inout JSONWriter) {
        json.beginObject()
        json.key("file")
        json.string(file.name)
        json.key("is")
        switch file.meaning {
        case .temporary: json.string("temporary")
        case .link: json.string("link")
        case .notAFile: json.string("no_file")
        case .other: json.string("other")
        case .unpacked: json.string("unpacked_segment")
        case .segment(let proper, let lineCount, let missingCount):
            json.string("segment")
            json.counts([
                ("lines", Int(clamping: lineCount)), ("missing", Int(clamping: missingCount)),
            ])
            write(proper, to: &json)
        case .standIn: json.string("no_file_in_place_of_segment")
        case .otherStream(let proper, let missingCount):
            json.string("segment_of_\(proper.kind.name)")
            if let missingCount { json.counts([("missing", Int(clamping: missingCount))]) }
            write(proper, to: &json)
        }
        json.endObject()
    }

    private static func write(_ proper: SegmentName, to json: inout JSONWriter) {
        json.key("rename_to")
        json.string("\(proper)")
    }
}
