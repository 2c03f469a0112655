// Tables as lines of OTLP/JSON, for the OpenTelemetry Collector's file receiver.

import EvalogFacts
package import EvalogMetrics
import EvalogText

/// The lines of an export: one `ExportMetricsServiceRequest` for each window, equal for equal tables.
///
/// Points are deltas: a window's counts are what happened in it, so that lines can be taken in any
/// order, each once. 64-bit integers are strings, as protobuf's JSON has them.
/// Sources: opentelemetry-proto 1.x (`metrics.proto`), semantic conventions for generative AI.
package struct OTLPExport {
    /// The name of the file.
    package static let name = "evalog-metrics.otlp.jsonl"

    private struct Window {
        var evaluations: [EvaluationRow] = []
        var impressions: [ImpressionRow] = []
        var outcomes: [OutcomeRow] = []
    }

    private let tables: MetricsTables
    private let version: String
    private let windows: [(window: TimeWindow, rows: Window)]

    /// - Parameter version: Of evalog, for the scope of the metrics.
    package init(_ tables: MetricsTables, version: String) {
        self.tables = tables
        self.version = version
        var windows: [TimeWindow: Window] = [:]
        for row in tables.evaluations {
            windows[row.window, default: .init()].evaluations.append(row)
        }
        for row in tables.impressions {
            windows[row.window, default: .init()].impressions.append(row)
        }
        for row in tables.outcomes { windows[row.window, default: .init()].outcomes.append(row) }
        self.windows = windows.sorted { $0.key.start < $1.key.start }.map { ($0.key, $0.value) }
    }

    /// Hands the lines over one by one, each with its newline.
    package func write<Failure: Error>(
        to emit: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        for (window, rows) in windows {
            let line = OTLPWriter.line(of: .metrics, version: version) {
                write(rows, of: window, to: &$0)
            }
            try line.lend(to: emit)
        }
    }

    private func write(_ rows: Window, of window: TimeWindow, to writer: inout OTLPWriter) {
        let durations = rows.evaluations.filter { $0.durations.count > 0 }
        writer.metric(
            "gen_ai.client.operation.duration", unit: "s", "GenAI operation duration.",
            .histogram, in: window, durations
        ) { row, writer in
            writer.attributes(attributes(row.group) + Self.operation(names(row.group)))
            writer.histogram(row.durations)
        }
        writer.metric(
            "evalog.evaluation.duration", unit: "s",
            "How long evaluations took that asked a model and were not cancelled.",
            .exponentialHistogram, in: window, durations
        ) { row, writer in
            writer.attributes(attributes(row.group))
            writer.exponentialHistogram(row.durations)
        }
        writer.metric(
            "evalog.evaluations", unit: "{evaluation}", "Evaluations by how they ended.", .sum,
            in: window, rows.outcomes
        ) { row, writer in
            writer.attributes(attributes(row.group) + Self.attributes(row.outcomeClass))
            writer.count(row.evaluations)
        }
        writer.metric(
            "evalog.evaluation.attempts", unit: "{request}", "Requests to models, all attempts.",
            .sum, in: window, rows.evaluations
        ) { row, writer in
            writer.attributes(attributes(row.group))
            writer.count(row.attempts)
        }
        let impressions = rows.impressions.flatMap { row in
            row.outcomes.each.filter { $0.count > 0 }.map { (row.group, $0.outcome, $0.count) }
        }
        writer.metric(
            "evalog.impressions", unit: "{impression}",
            "Evaluations with what repeated them folded in, by their outcome.", .sum, in: window,
            impressions
        ) { impression, writer in
            let (group, outcome, count) = impression
            writer.attributes(attributes(group) + [.init("evalog.outcome", outcome.name)])
            writer.count(count)
        }
    }

    // MARK: Attributes

    private func names(_ group: Int) -> [(dimension: Dimension, name: Name)] {
        zip(tables.rules.by, tables.groups[group]).map { ($0, $1) }
    }

    private func attributes(_ group: Int) -> [OTLPWriter.Attribute] {
        names(group).map { .init($0.key, $1) }
    }

    private static func operation(
        _ names: [(dimension: Dimension, name: Name)]
    ) -> [OTLPWriter.Attribute] {
        OTLPWriter.Attribute.operation(
            model: names.first { $0.dimension == .model }?.name ?? .absent)
    }

    private static func attributes(_ found: OutcomeClass) -> [OTLPWriter.Attribute] {
        var attributes = [OTLPWriter.Attribute("evalog.outcome", found.outcome.name)]
        if let reason = found.reason { attributes.append(.init("evalog.reason", reason.name)) }
        if let detail = found.detail { attributes.append(.init("evalog.detail", detail.name)) }
        if let error = found.error { attributes.append(.init("error.type", error.name)) }
        return attributes
    }
}

extension OTLPWriter.Attribute {
    /// What the conventions demand of every point and span: the operation, and who runs the model,
    /// which stands before the slash of its name where one does.
    static func operation(model: Name) -> [Self] {
        let slash = model.bytes.firstIndex(of: UInt8(ascii: "/"))
        let provider = slash.map { Name(bytes: Array(model.bytes[..<$0])) } ?? Name("_OTHER")
        return [
            .init("gen_ai.operation.name", Name("chat")), .init("gen_ai.provider.name", provider),
        ]
    }
}

extension Dimension {
    /// The attribute that stands for it, of the conventions where there is one.
    var key: String {
        switch self {
        case .usage: "evalog.usage"
        case .model: "gen_ai.request.model"
        case .os: "os.description"
        case .device: "device.model.identifier"
        case .app: "evalog.app"
        case .tier: "evalog.tier"
        }
    }
}
