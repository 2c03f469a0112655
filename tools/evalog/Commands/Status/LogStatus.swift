// The state of a log for a person and for a program.

import EvalogLog
import EvalogText

/// A log in figures: the facts first.
struct LogStatus {
    let path: String
    let parts: [StreamStatus]

    // MARK: For a person

    func text(now: Int64) -> String {
        var lines = ["log        \(path)"]
        for part in parts {
            if parts.count > 1 { lines += ["", part.kind.name] }
            lines += self.lines(part, now: now)
        }
        if parts.count > 1 { lines.append("") }
        return (lines + Self.limits).map(Printable.text).joined(separator: "\n") + "\n"
    }

    private func lines(_ part: StreamStatus, now: Int64) -> [String] {
        let states = part.segmentCounts.filter { $0.count > 0 }
            .map { "\(Figures.count($0.count)) \($0.state.rawValue)" }
        var lines = [
            "segments   \(Figures.count(part.segmentCount))"
                + (states.isEmpty ? "" : " (\(states.joined(separator: ", ")))"),
            "writers    \(Figures.count(part.writerCount))",
            "blocks     \(Figures.count(part.blockCount))",
            "lines      \(Figures.count(part.lineCount)), copies included",
            "size       \(Figures.bytes(part.byteCount))",
        ]
        if let events = part.events {
            lines.append(
                "events     \(Figures.time(events.lowerBound)) to \(Figures.time(events.upperBound))"
            )
        }
        if let appends = part.appends {
            let age = max(0, now - appends.upperBound)
            lines.append(
                "appended   since \(Figures.time(appends.lowerBound)),"
                    + " last \(Figures.time(appends.upperBound)), \(Figures.age(age)) ago")
        }
        if let lag = part.lag {
            lines.append("lag        \(Figures.age(lag)) behind the newest event")
        }
        lines.append("missing    \(Self.missing(part))")
        if let refused = part.refused {
            lines.append("refused    \(Figures.counted(refused, "line")) in the last day")
        }
        if part.damageCount > 0 {
            lines.append(
                "damage     \(Figures.counted(part.damageCount, "place")); evalog verify names them"
            )
        }
        lines += foreign(part)
        lines.append(
            "maintain   \(Figures.bytes(part.reclaimableByteCount)) to delete,"
                + " \(Figures.counted(part.rewritableCount, "segment")) to finish or join")
        return lines
    }

    /// Whatever lies among the segments; of many the first, those first that hide lines.
    private func foreign(_ part: StreamStatus) -> [String] {
        let files = part.foreign.filter(\.hidesLines) + part.foreign.filter { !$0.hidesLines }
        var lines = files.prefix(Self.foreignCountMax).map {
            "ignored    \(ForeignText.of($0, part.kind, in: path))"
        }
        if files.count > lines.count {
            lines.append(
                "ignored    \(Figures.counted(files.count - lines.count, "more file"));"
                    + " evalog verify names them")
        }
        return lines
    }

    private static func missing(_ part: StreamStatus) -> String {
        "\(Figures.count(part.lost)) lost\(LossText.beyond(part.uncountedCount)),"
            + " \(Figures.count(part.holes)) known since a repair, \(Figures.count(part.retired)) retired"
    }

    private static let foreignCountMax = 5

    private static let limits = [
        "limits     block \(LogLimits.blockTextByteCount >> 10) KiB of text or \(LogLimits.blockAge / 1_000_000) s,"
            + " segment \(LogLimits.segmentByteCount >> 20) MiB or \(LogLimits.segmentAge / 3_600_000_000) h,"
            + " line \(LogLimits.lineByteCountMax >> 20) MiB",
        "buffers    facts \(LogLimits.factsBufferByteCount >> 20) MiB, content \(LogLimits.contentBufferByteCount >> 20) MiB;"
            + " then lines are refused and counted",
        "kept       facts \(LogLimits.factsDaysDefault) days, content \(LogLimits.contentDaysDefault) days,"
            + " each up to \(LogLimits.factsJoinSpan / LogLimits.day) and \(LogLimits.contentJoinSpan / LogLimits.day) longer in joined segments",
        "dead       a segment without a seal or a lock, unchanged for \(LogLimits.deadSegmentAge / 1_000_000) s",
        "durability buffered: a kill loses at most \(LogLimits.blockAge / 1_000_000) s, a power cut what the system had not written",
    ]

    // MARK: For a program

    /// One object: the facts' members, those of the content below `content`, and `limits`.
    func json() -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { json in
            json.beginObject()
            json.key("log")
            json.string(path)
            for (index, part) in parts.enumerated() {
                if index > 0 {
                    json.key("content")
                    json.beginObject()
                }
                Self.write(part, to: &json)
                if index > 0 { json.endObject() }
            }
            Self.writeLimits(to: &json)
            json.endObject()
        }
        return bytes + [0x0A]
    }

    private static func write(_ part: StreamStatus, to json: inout JSONWriter) {
        json.key("segments")
        json.beginObject()
        for (state, count) in part.segmentCounts {
            json.key(state.rawValue)
            json.integer(Int64(count))
        }
        json.endObject()
        json.counts([
            ("writers", part.writerCount), ("blocks", part.blockCount),
            ("lines", Int(part.lineCount)), ("bytes", Int(part.byteCount)),
            ("damages", part.damageCount), ("lost", Int(clamping: part.lost)),
            ("holes", Int(clamping: part.holes)), ("retired", Int(clamping: part.retired)),
        ])
        json.key("unknown_loss")
        json.bool(part.uncountedCount > 0)
        json.array("foreign", part.foreign, ForeignText.write)
        if let refused = part.refused { json.counts([("refused_last_day", Int(refused))]) }
        json.counts([
            ("reclaimable_bytes", Int(part.reclaimableByteCount)),
            ("segments_to_rewrite", part.rewritableCount),
        ])
        if let events = part.events {
            json.key("first_event")
            json.time(events.lowerBound)
            json.key("last_event")
            json.time(events.upperBound)
        }
        if let appends = part.appends {
            json.key("first_append")
            json.time(appends.lowerBound)
            json.key("last_append")
            json.time(appends.upperBound)
        }
        if let lag = part.lag { json.counts([("lag_us", Int(lag))]) }
    }

    private static func writeLimits(to json: inout JSONWriter) {
        json.key("limits")
        json.beginObject()
        json.counts([
            ("block_text_bytes", LogLimits.blockTextByteCount),
            ("block_age_us", Int(LogLimits.blockAge)),
            ("segment_bytes", LogLimits.segmentByteCount),
            ("segment_age_us", Int(LogLimits.segmentAge)),
            ("line_bytes", LogLimits.lineByteCountMax),
            ("facts_buffer_bytes", LogLimits.factsBufferByteCount),
            ("content_buffer_bytes", LogLimits.contentBufferByteCount),
            ("sync_age_us", Int(LogLimits.syncAge)), ("sync_bytes", LogLimits.syncByteCount),
            ("dead_age_us", Int(LogLimits.deadSegmentAge)),
            ("facts_days", LogLimits.factsDaysDefault),
            ("content_days", LogLimits.contentDaysDefault),
            ("facts_join_us", Int(LogLimits.factsJoinSpan)),
            ("content_join_us", Int(LogLimits.contentJoinSpan)),
        ])
        json.endObject()
    }
}
