// What verify found in one stream, for a person and for a program.

import EvalogLog
import EvalogText

/// A stream's report, and what lies beside its segments.
struct StreamReport {
    /// So many names are told to a person; a program gets all.
    private static let nameCountMax = 20

    let stream: LogStream
    let read: ReadReport
    let foreign: [ForeignFile]

    /// - Parameter present: Lines of all streams that were read.
    init(
        _ directory: LogDirectory, _ stream: LogStream, _ read: ReadReport,
        present: [StreamKind: [WriterID: SequenceSet]]
    ) throws {
        self.stream = stream
        self.read = read
        foreign = try directory.explain(
            read.ignored, among: read.segments, of: stream, present: present)
    }

    /// Whether nothing is damaged or lost, and no line lies where nobody reads it.
    var isWhole: Bool { read.isClean && !foreign.contains(where: \.hidesLines) }

    // MARK: For a person

    func text(in log: String) -> String {
        let name = stream.kind.name
        var lines = [
            "\(name): \(Figures.counted(read.segments.count, "segment")),"
                + " \(Figures.counted(read.blockCount, "block")),"
                + " \(Figures.counted(read.lineCount, "line")),"
                + " \(Figures.bytes(read.byteCount)) for \(Figures.bytes(read.textByteCount)) of text"
        ]
        for damage in read.damages {
            lines.append(
                "damage: \(damage.segment) at \(damage.offset), \(damage.byteCount) bytes: "
                    + damage.reason.rawValue.replacing("_", with: " "))
        }
        lines += losses
        let unsealed = read.unsealed.map(\.name.description)
        if !unsealed.isEmpty {
            lines.append(
                "unsealed: \(Figures.counted(unsealed.count, "segment")) without a seal and without a"
                    + " writer, as a kill leaves them; evalog maintain seals them")
            lines += Self.listed(unsealed, as: "unsealed")
        }
        lines += Self.listed(
            foreign.map { ForeignText.of($0, stream.kind, in: log) }, as: "ignored")
        lines.append("\(name): \(verdict)")
        return lines.map(Printable.text).joined(separator: "\n") + "\n"
    }

    private var verdict: String {
        if !read.isClean { return "damaged" }
        return isWhole ? "whole" : "not whole: files that are ignored hold lines of the log"
    }

    private var losses: [String] {
        var lines: [String] = []
        for writer in read.writers {
            func add(_ word: String, _ count: UInt64, _ rest: String = "") {
                guard count > 0 else { return }
                lines.append(
                    "\(word): \(Figures.counted(count, "line")) of writer \(writer.writer)\(rest)")
            }
            add("lost", writer.lost.count, ": \(writer.lost)")
            add("hole", writer.holes.count, ", known since a repair")
            add("retired", writer.retiredCount)
        }
        return read.uncounted.map { "lost: \(LossText.of($0))" } + lines
    }

    private static func listed(_ names: [String], as word: String) -> [String] {
        var lines = names.prefix(nameCountMax).map { "\(word): \($0)" }
        if names.count > nameCountMax {
            lines.append(
                "\(word): and \(Figures.count(names.count - nameCountMax)) more, which --json names"
            )
        }
        return lines
    }

    // MARK: For a program

    /// One object on one line.
    func json() -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { json in
            json.beginObject()
            json.key("stream")
            json.string(stream.kind.name)
            json.key("whole")
            json.bool(isWhole)
            json.counts([
                ("segments", read.segments.count), ("blocks", read.blockCount),
                ("lines", Int(clamping: read.lineCount)), ("bytes", Int(read.byteCount)),
                ("text_bytes", Int(read.textByteCount)),
            ])
            json.array("damages", read.damages, Self.write)
            json.array("writers", read.writers, Self.write)
            json.array("uncounted_losses", read.uncounted, Self.write)
            json.array("unsealed", read.unsealed) { $1.string($0.name.description) }
            json.array("foreign", foreign, ForeignText.write)
            json.endObject()
        }
        return bytes + [0x0A]
    }

    private static func write(_ damage: Damage, to json: inout JSONWriter) {
        json.beginObject()
        json.key("segment")
        json.string(damage.segment)
        json.counts([("offset", Int(damage.offset)), ("bytes", Int(damage.byteCount))])
        json.key("reason")
        json.string(damage.reason.rawValue)
        json.endObject()
    }

    private static func write(_ loss: UncountedLoss, to json: inout JSONWriter) {
        json.beginObject()
        json.key("segment")
        json.string(loss.segment)
        if let writer = loss.writer {
            json.key("writer")
            json.string("\(writer)")
        }
        json.key("reason")
        json.string(loss.reason.rawValue)
        json.endObject()
    }

    private static func write(_ writer: WriterReport, to json: inout JSONWriter) {
        json.beginObject()
        json.key("writer")
        json.string("\(writer.writer)")
        json.counts([
            ("read", Int(clamping: writer.readCount)), ("lost", Int(clamping: writer.lost.count)),
            ("holes", Int(clamping: writer.holes.count)),
            ("retired", Int(clamping: writer.retiredCount)),
        ])
        json.array("lost_sequences", writer.lost.ranges) { range, json in
            json.beginArray()
            json.integer(Int64(clamping: range.lowerBound))
            json.integer(Int64(clamping: range.upperBound - 1))
            json.endArray()
        }
        json.key("unknown_loss")
        json.bool(writer.hasUnknownLoss)
        json.endObject()
    }
}
