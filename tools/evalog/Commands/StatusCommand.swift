// evalog status: what the log consists of, from headers alone.

import EvalogLog
import EvalogText

extension CommandSpec {
    static let status = CommandSpec(
        name: "status", summary: "writers, segments, sizes, oldest and newest line",
        about: """
            Shows what the log consists of. Reads the headers of blocks only, so it is quick; whether
            the blocks are whole is what verify says.
            """,
        flags: [.json],
        examples: [("evalog status", "shows the log at ./evalog-log")],
        prepare: { arguments, console in
            let directory = LogDirectory(path: console.logPath(arguments))
            let isJSON = arguments.has(.json)
            return {
                try directory.demandExisting()
                let status = LogStatus(try LogCatalog.scan(directory, .facts), path: directory.path)
                if isJSON {
                    try console.output.write(bytes: status.json())
                } else {
                    try console.output.write(status.text(now: console.now()))
                }
                return .done
            }
        })
}

/// A log in figures.
struct LogStatus {
    let path: String
    private(set) var segmentCounts: [(state: LogCatalog.State, count: Int)] = []
    private(set) var writerCount = 0
    private(set) var byteCount: Int64 = 0
    private(set) var blockCount = 0
    private(set) var lineCount: Int64 = 0
    /// Event times and append times, µs.
    private(set) var events: ClosedRange<Int64>?
    private(set) var appends: ClosedRange<Int64>?
    private(set) var damageCount = 0

    init(_ catalog: LogCatalog, path: String) {
        self.path = path
        let states: [LogCatalog.State] = [.live, .closed, .rolled, .merged, .dead]
        segmentCounts = states.map { state in
            (state, catalog.segments.count { $0.state == state })
        }
        byteCount = catalog.segments.reduce(0) { $0 + $1.status.byteCount }
        damageCount = catalog.damages.count
        var writers: Set<WriterID> = []
        for (header, _, _) in catalog.headers {
            writers.insert(header.writer)
            blockCount += 1
            lineCount += Int64(header.count)
            events = Self.joined(
                events, header.leastEventTime...max(header.leastEventTime, header.greatestEventTime)
            )
            appends = Self.joined(appends, header.appendTime...header.appendTime)
        }
        writerCount = writers.count
    }

    private static func joined(
        _ left: ClosedRange<Int64>?, _ right: ClosedRange<Int64>
    ) -> ClosedRange<Int64> {
        guard let left else { return right }
        return min(left.lowerBound, right.lowerBound)...max(left.upperBound, right.upperBound)
    }

    func text(now: Int64) -> String {
        let states = segmentCounts.filter { $0.count > 0 }
            .map { "\(Figures.count($0.count)) \($0.state.rawValue)" }
        var lines = [
            "log        \(path)",
            "segments   \(Figures.count(segmentCounts.reduce(0) { $0 + $1.count }))"
                + (states.isEmpty ? "" : " (\(states.joined(separator: ", ")))"),
            "writers    \(Figures.count(writerCount))",
            "blocks     \(Figures.count(blockCount))",
            "lines      \(Figures.count(lineCount)), copies included",
            "size       \(Figures.bytes(byteCount))",
        ]
        if let events {
            lines.append(
                "events     \(Figures.time(events.lowerBound)) to \(Figures.time(events.upperBound))"
            )
        }
        if let appends {
            let age = max(0, now - appends.upperBound)
            lines.append(
                "appended   last \(Figures.time(appends.upperBound)), \(Figures.age(age)) ago")
        }
        if damageCount > 0 {
            lines.append(
                "damage     \(Figures.count(damageCount)) places; evalog verify names them")
        }
        lines += [
            "limits     block \(LogLimits.blockTextByteCount >> 10) KiB of text or \(LogLimits.blockAge / 1_000_000) s,"
                + " segment \(LogLimits.segmentByteCount >> 20) MiB or \(LogLimits.segmentAge / 3_600_000_000) h,"
                + " line \(LogLimits.lineByteCountMax >> 20) MiB",
            "durability buffered: a kill loses at most \(LogLimits.blockAge / 1_000_000) s, a power cut what the system had not written",
        ]
        return lines.map(Printable.text).joined(separator: "\n") + "\n"
    }

    func json() -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { json in
            json.beginObject()
            json.key("log")
            json.string(path)
            json.key("segments")
            json.beginObject()
            for (state, count) in segmentCounts {
                json.key(state.rawValue)
                json.integer(Int64(count))
            }
            json.endObject()
            json.counts([
                ("writers", writerCount), ("blocks", blockCount), ("lines", Int(lineCount)),
                ("bytes", Int(byteCount)), ("damages", damageCount),
            ])
            if let events {
                json.key("first_event")
                json.time(events.lowerBound)
                json.key("last_event")
                json.time(events.upperBound)
            }
            if let appends {
                json.key("last_append")
                json.time(appends.upperBound)
            }
            json.endObject()
        }
        return bytes + [0x0A]
    }
}
