// evalog verify: what is damaged, what is lost, exactly.

import EvalogContent
import EvalogLog
import EvalogText

extension Flag {
    static let withContent = Flag(
        name: "content", summary: "Verify the content stream as well.",
        detail: "Without it, nothing under content/ is touched.")
}

extension CommandSpec {
    static let verify = CommandSpec(
        name: "verify", summary: "damage and loss, exactly; status 1 if there is any",
        about: """
            Reads and checks every block: checksums, sequences, chains, seals. Names each damaged
            place with its segment, offset and length, and how many lines of which writer are lost.
            A segment that its writer did not seal but that ends on a block is no damage.
            """,
        flags: [.withContent, .json, .threads],
        examples: [
            ("evalog verify", "checks the facts"),
            ("evalog verify --content --json", "checks both streams, for a program"),
        ],
        prepare: { arguments, console in
            let command = VerifyCommand(
                directory: LogDirectory(path: console.logPath(arguments)),
                streams: arguments.has(.withContent) ? [.facts, ContentAccess.stream] : [.facts],
                isJSON: arguments.has(.json), threads: try arguments.threadCount(), console: console
            )
            return command.run
        })
}

struct VerifyCommand {
    let directory: LogDirectory
    let streams: [LogStream]
    let isJSON: Bool
    let threads: Int
    let console: Console

    func run() throws -> ExitStatus {
        try directory.demandExisting()
        var isClean = true
        for stream in streams {
            let progress = Progress("verifying \(stream.kind.name)", console: console)
            defer { progress.end() }
            let report = try verifyLog(directory, stream, threads: threads) { progress.update($0) }
            progress.end()
            isClean = isClean && report.isClean
            if isJSON {
                try console.output.write(bytes: Self.json(report, stream.kind))
            } else {
                try console.output.write(Self.text(report, stream.kind))
            }
        }
        return isClean ? .done : .no
    }

    private static func text(_ report: ReadReport, _ kind: StreamKind) -> String {
        var lines = [
            "\(kind.name): \(Figures.count(report.segments.count)) segments,"
                + " \(Figures.count(report.blockCount)) blocks, \(Figures.count(report.lineCount)) lines,"
                + " \(Figures.bytes(report.byteCount)) for \(Figures.bytes(report.textByteCount)) of text"
        ]
        for damage in report.damages {
            lines.append(
                "damage: \(damage.segment) at \(damage.offset), \(damage.byteCount) bytes: "
                    + damage.reason.rawValue.replacing("_", with: " "))
        }
        for writer in report.writers {
            if !writer.lost.isEmpty {
                lines.append(
                    "lost: \(Figures.counted(writer.lost.count, "line")) of writer \(writer.writer): \(writer.lost)"
                )
            }
            if writer.hasUnknownLoss {
                lines.append("lost: perhaps more of writer \(writer.writer), whose end is missing")
            }
            if !writer.holes.isEmpty {
                lines.append(
                    "hole: \(Figures.count(writer.holes.count)) lines of writer \(writer.writer), known since a repair"
                )
            }
            if writer.retiredCount > 0 {
                lines.append(
                    "retired: \(Figures.count(writer.retiredCount)) lines of writer \(writer.writer)"
                )
            }
        }
        for ignored in report.ignored {
            lines.append("ignored: \(ignored.name), \(words(for: ignored.reason))")
        }
        lines.append(report.isClean ? "\(kind.name): whole" : "\(kind.name): damaged")
        return lines.map(Printable.text).joined(separator: "\n") + "\n"
    }

    private static func words(for reason: LogDirectory.Ignored.Reason) -> String {
        switch reason {
        case .temporary: "left by a writer that was killed, or about to be named"
        case .foreignName: "not the name of a segment"
        case .link: "a link, which is not followed"
        case .notAFile: "not a file"
        }
    }

    /// One object on one line for each stream.
    private static func json(_ report: ReadReport, _ kind: StreamKind) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { json in
            json.beginObject()
            json.key("stream")
            json.string(kind.name)
            json.key("whole")
            json.bool(report.isClean)
            json.counts([
                ("segments", report.segments.count), ("blocks", report.blockCount),
                ("lines", Int(clamping: report.lineCount)), ("bytes", Int(report.byteCount)),
                ("text_bytes", Int(report.textByteCount)),
            ])
            json.key("damages")
            json.beginArray()
            for damage in report.damages {
                json.beginObject()
                json.key("segment")
                json.string(damage.segment)
                json.counts([("offset", Int(damage.offset)), ("bytes", Int(damage.byteCount))])
                json.key("reason")
                json.string(damage.reason.rawValue)
                json.endObject()
            }
            json.endArray()
            json.key("writers")
            json.beginArray()
            for writer in report.writers { write(writer, to: &json) }
            json.endArray()
            json.endObject()
        }
        return bytes + [0x0A]
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
        json.key("lost_sequences")
        json.beginArray()
        for range in writer.lost.ranges {
            json.beginArray()
            json.integer(Int64(clamping: range.lowerBound))
            json.integer(Int64(clamping: range.upperBound - 1))
            json.endArray()
        }
        json.endArray()
        json.key("unknown_loss")
        json.bool(writer.hasUnknownLoss)
        json.endObject()
    }
}

extension JSONWriter {
    /// Members that are whole numbers.
    mutating func counts(_ members: [(StaticString, Int)]) {
        for (name, value) in members {
            key(name)
            integer(Int64(value))
        }
    }
}
