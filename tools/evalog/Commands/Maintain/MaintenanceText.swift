// What maintenance did to a stream, or would do, for a person and for a program.

import EvalogLog
import EvalogText

/// One stream's plan or report.
struct MaintenanceText {
    private typealias Kind = MaintenanceStep.Kind

    private let kind: StreamKind
    private let plan: MaintenancePlan?
    private let report: MaintenanceReport?
    private var returnedCount: UInt64 = 0

    init(_ plan: MaintenancePlan, _ kind: StreamKind) {
        self.kind = kind
        self.plan = plan
        report = nil
    }

    /// - Parameter returnedCount: Lines erased before whose copies were taken out.
    init(_ report: MaintenanceReport, _ kind: StreamKind, returnedCount: UInt64) {
        self.kind = kind
        self.returnedCount = returnedCount
        self.report = report
        plan = nil
    }

    // MARK: For a person

    func text() -> String {
        var lines = plan.map(Self.lines) ?? []
        if let report { lines += Self.lines(report) }
        if returnedCount > 0 {
            lines.append("took out \(Figures.counted(returnedCount, "erased line")) that came back")
        }
        if lines.isEmpty { lines = ["nothing to do"] }
        return lines.map { Printable.text("\(kind.name): \($0)") }.joined(separator: "\n") + "\n"
    }

    private static func lines(_ plan: MaintenancePlan) -> [String] {
        var lines: [String] = []
        for kind in Kind.allCases {
            let steps = plan.steps.filter { $0.kind == kind }
            if steps.isEmpty { continue }
            let segments = steps.reduce(0) { $0 + $1.segments.count }
            lines.append(
                "would \(kind.rawValue) \(Figures.counted(segments, "segment"))"
                    + " (\(Figures.counted(steps.reduce(0) { $0 + $1.lineCount }, "line")),"
                    + " \(Figures.bytes(steps.reduce(0) { $0 + $1.byteCount })))")
        }
        return lines + inUse(plan.inUse) + newer(plan.newer)
    }

    private static func inUse(_ names: [SegmentName]) -> [String] {
        names.isEmpty
            ? []
            : [
                "\(Figures.counted(names.count, "segment")) in use, or changed within the last"
                    + " \(Figures.age(LogLimits.deadSegmentAge)), left alone"
            ]
    }

    private static func lines(_ report: MaintenanceReport) -> [String] {
        var lines: [String] = []
        for kind in Kind.allCases {
            guard let done = report.done[kind] else { continue }
            let became =
                done.newSegmentCount == 0
                ? ""
                : ", now \(Figures.counted(done.newSegmentCount, "segment"))"
                    + " of \(Figures.bytes(done.newByteCount))"
            lines.append(
                "\(past(kind)) \(Figures.counted(done.segmentCount, "segment"))"
                    + " (\(Figures.counted(done.lineCount, "line")),"
                    + " \(Figures.bytes(done.byteCount))\(became))")
        }
        if report.asideByteCount > 0 {
            lines.append(
                "put \(Figures.bytes(report.asideByteCount)) of damage aside, which cost"
                    + " \(Figures.counted(report.unreadableCount, "line")) that were known of")
        }
        if report.clearedCount > 0 {
            lines.append("cleared \(Figures.counted(report.clearedCount, "file")) left behind")
        }
        for name in report.skipped { lines.append("left \(name), which changed meanwhile") }
        if report.leftCount > 0 {
            lines.append("\(Figures.counted(report.leftCount, "step")) left for the next run")
        }
        return lines + inUse(report.inUse)
    }

    private static func past(_ kind: Kind) -> String {
        switch kind {
        case .prune: "pruned"
        case .drop: "dropped copies:"
        case .finish: "finished"
        case .compact: "compacted"
        case .merge: "merged"
        }
    }

    private static func newer(_ names: [SegmentName]) -> [String] {
        names.map { "left \($0), which a later version of evalog wrote" }
    }

    // MARK: For a program

    /// One object on one line.
    func json() -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { json in
            json.beginObject()
            json.key("stream")
            json.string(kind.name)
            json.key("dry_run")
            json.bool(plan != nil)
            if let plan { Self.write(plan, to: &json) }
            if let report {
                Self.write(report, to: &json)
                json.counts([("returned_lines", Int(clamping: returnedCount))])
            }
            json.endObject()
        }
        return bytes + [0x0A]
    }

    private static func write(_ plan: MaintenancePlan, to json: inout JSONWriter) {
        json.key("steps")
        json.beginArray()
        for step in plan.steps {
            json.beginObject()
            json.key("kind")
            json.string(step.kind.rawValue)
            json.strings("segments", step.segments.map(\.description))
            json.counts([("bytes", Int(step.byteCount)), ("lines", Int(clamping: step.lineCount))])
            json.endObject()
        }
        json.endArray()
        json.strings("in_use", plan.inUse.map(\.description))
        json.strings("newer", plan.newer.map(\.description))
    }

    private static func write(_ report: MaintenanceReport, to json: inout JSONWriter) {
        json.key("done")
        json.beginArray()
        for kind in Kind.allCases {
            guard let done = report.done[kind] else { continue }
            json.beginObject()
            json.key("kind")
            json.string(kind.rawValue)
            json.counts([
                ("segments", done.segmentCount), ("bytes", Int(done.byteCount)),
                ("new_segments", done.newSegmentCount), ("new_bytes", Int(done.newByteCount)),
                ("lines", Int(clamping: done.lineCount)),
            ])
            json.endObject()
        }
        json.endArray()
        json.counts([
            ("unreadable_lines", Int(clamping: report.unreadableCount)),
            ("aside_bytes", Int(report.asideByteCount)), ("cleared", report.clearedCount),
            ("steps_left", report.leftCount),
        ])
        json.strings("skipped", report.skipped.map(\.description))
        json.strings("in_use", report.inUse.map(\.description))
    }
}

extension JSONWriter {
    /// A member that is an array of texts.
    mutating func strings(_ name: StaticString, _ values: [String]) {
        key(name)
        beginArray()
        for value in values { string(value) }
        endArray()
    }
}
