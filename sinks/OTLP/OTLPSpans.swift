// Evaluations as spans: one for each distinct evaluation of a log, without content.

package import EvalogFacts
package import EvalogMetrics
import EvalogText

/// Takes the evaluations of one thread. One thread at a time.
///
/// It keeps the line of each, of some 350 bytes, and of several lines of one id the one that stays
/// (docs/metrics.md, Duplicates).
package final class OTLPSpans: FactReceiver, @unchecked Sendable {
    /// The name of the file.
    package static let name = "evalog-spans.otlp.jsonl"
    private static let spansPerLine = 500

    private struct Staying {
        let time: Int64
        let line: [UInt8]

        func isBefore(_ other: Staying) -> Bool {
            time != other.time ? time < other.time : line.lexicographicallyPrecedes(other.line)
        }
    }

    private var evaluations: [UniqueID: Staying] = [:]

    package init() {}

    package func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        guard view.kind == .evaluation else { return }
        keep(Staying(time: view.time, line: Array(line)), as: view.id)
    }

    package func countUnreadable() {}

    /// Takes over what another thread has kept.
    package func absorb(_ other: OTLPSpans) {
        for (id, line) in other.evaluations { keep(line, as: id) }
    }

    private func keep(_ line: Staying, as id: UniqueID) {
        if let kept = evaluations[id], !line.isBefore(kept) { return }
        evaluations[id] = line
    }

    // MARK: Lines

    /// Hands the lines over, each with its newline and up to 500 spans, by time and id.
    ///
    /// - Parameters:
    ///   - rules: Range and filters; an evaluation has to pass itself.
    ///   - version: Of evalog.
    package func write<Failure: Error>(
        _ rules: MetricsRules, version: String,
        to emit: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        let range = (rules.since ?? .min)..<(rules.until ?? .max)
        let chosen = evaluations.filter { range.contains($0.value.time) }.sorted {
            ($0.value.time, $0.key) < ($1.value.time, $1.key)
        }
        var decoder = FactDecoder()
        for start in stride(from: 0, to: chosen.count, by: Self.spansPerLine) {
            let part = chosen[start..<min(start + Self.spansPerLine, chosen.count)]
            let line = OTLPWriter.line(of: .spans, version: version) { writer in
                for (_, evaluation) in part {
                    evaluation.line.withUnsafeBytes { bytes in
                        guard let view = try? decoder.decode(bytes),
                            Self.passes(view, rules.filters)
                        else { return }
                        writer.object { Self.write(view, to: &$0) }
                    }
                }
            }
            try line.lend(to: emit)
        }
    }

    private static func passes(_ view: FactView, _ filters: FactFilters) -> Bool {
        func passes(_ text: FactView.Text, _ names: Set<String>) -> Bool {
            names.isEmpty || names.contains(String(decoding: text, as: UTF8.self))
        }
        return passes(view.usage, filters.usages) && passes(view.model, filters.models)
            && passes(view.os, filters.systems)
            && (filters.outcomes.isEmpty || filters.outcomes.contains(view.outcome))
    }

    private static func write(_ view: FactView, to writer: inout OTLPWriter) {
        var hex: [UInt8] = []
        view.id.appendHex(to: &hex)
        writer.text("traceId", String(decoding: hex, as: UTF8.self))
        writer.text("spanId", String(decoding: hex.suffix(16), as: UTF8.self))
        let model = String(decoding: view.model, as: UTF8.self)
        let operation = asksModel(view) ? "chat" : "evaluation"
        writer.text("name", model.isEmpty ? operation : "\(operation) \(model)")
        // SPAN_KIND_INTERNAL: the model runs where the app does.
        writer.number("kind", 1)
        writer.time("startTimeUnixNano", view.time)
        writer.time("endTimeUnixNano", view.time + (view.duration ?? 0))
        writer.attributes(attributes(of: view))
        writer.status(isError: view.outcome == .failed)
    }

    /// Whether it came to a request: what was skipped before is no operation of a model.
    private static func asksModel(_ view: FactView) -> Bool { view.attempts > 0 }

    private static func attributes(of view: FactView) -> [OTLPWriter.Attribute] {
        func name(_ text: FactView.Text) -> Name { Name(bytes: Array(text)) }
        var attributes =
            asksModel(view) ? OTLPWriter.Attribute.operation(model: name(view.model)) : []
        for (dimension, text) in [
            (Dimension.usage, view.usage), (.model, view.model), (.os, view.os),
            (.device, view.device), (.app, view.app),
        ] { attributes.append(.init(dimension.key, name(text))) }
        attributes.append(.init("evalog.subject", name(view.subject)))
        if let session = view.session {
            var text: [UInt8] = []
            session.append(to: &text)
            attributes.append(.init("session.id", Name(bytes: text)))
        }
        attributes.append(.init("evalog.outcome", view.outcome.name))
        attributes.append(.init("evalog.attempts", Int64(view.attempts)))
        if let reason = view.reason { attributes.append(.init("evalog.reason", reason.name)) }
        if let detail = view.detail { attributes.append(.init("evalog.detail", detail.name)) }
        if let error = view.error { attributes.append(.init("error.type", error.name)) }
        return attributes
    }
}
