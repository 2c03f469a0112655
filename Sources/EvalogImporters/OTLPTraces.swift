// Spans of the semantic conventions for generative AI → evaluations.
//
// A span with gen_ai.operation.name chat, text_completion or generate_content is one request to a model.
// Requests below a span with ai.usage, which an evaluator makes around its attempts, are the attempts of
// one evaluation, which lasts as long as that span; any other request is an evaluation by itself.
// Sources: opentelemetry-proto 1.x (trace.proto, JSON mapping), semantic conventions 1.37 (gen-ai).

import EvalogText

enum OTLPTraces {
    /// Of one evaluation, as facts have it; a span that tells of more is no reason to refuse it.
    fileprivate static let attemptsMax: Int64 = 1_000_000
    /// Attributes that have a place in a record, or tell nothing beyond one.
    private static let placed: Set<String> = [
        "gen_ai.operation.name", "gen_ai.request.model", "gen_ai.response.model", "error.type",
        "gen_ai.conversation.id", "session.id", "gen_ai.input.messages", "gen_ai.output.messages",
        "gen_ai.system_instructions", "gen_ai.response.finish_reasons", "gen_ai.prompt.name",
        "http.request.resend_count", "ai.usage",
    ]

    /// nil for what is no request of traces.
    static func evaluations(in tree: JSONTree, _ unmapped: inout Unmapped) -> [RecordDraft]? {
        guard let resources = tree["resourceSpans"] else { return nil }
        var drafts: [RecordDraft] = []
        for resource in resources.elements {
            let about = Attributes(resource["resource"])
            let spans = resource["scopeSpans"]?.elements.flatMap { $0["spans"]?.elements ?? [] }
            drafts += evaluations(of: (spans ?? []).map(Span.init), about, &unmapped)
        }
        return drafts
    }

    private static func evaluations(
        of spans: [Span], _ resource: Attributes, _ unmapped: inout Unmapped
    ) -> [RecordDraft] {
        var requests: [Span] = []
        let frames = spans.filter { $0.attributes["ai.usage"]?.text != nil && !$0.isRequest }
        let frameIDs = Set(frames.map(\.id)).subtracting([""])
        var attempts: [String: [Span]] = [:]
        for span in spans {
            if !span.isRequest {
                if !frameIDs.contains(span.id) { unmapped.part(span.whyNone) }
            } else if frameIDs.contains(span.parent) {
                attempts[span.parent, default: []].append(span)
            } else {
                requests.append(span)
            }
        }
        var drafts: [RecordDraft?] = []
        for frame in frames {
            if let requests = attempts[frame.id] {
                drafts.append(draft(of: frame, requests, resource, &unmapped))
            } else {
                unmapped.part("spans of evaluations without a request to a model")
            }
        }
        for request in requests {
            drafts.append(draft(of: request, [request], resource, &unmapped))
        }
        return drafts.compactMap(\.self)
    }

    /// - Parameters:
    ///   - frame: What the evaluation lasts as long as.
    ///   - requests: Its attempts, of which the one that ended last decides.
    private static func draft(
        of frame: Span, _ requests: [Span], _ resource: Attributes, _ unmapped: inout Unmapped
    ) -> RecordDraft? {
        guard !frame.trace.isEmpty, !frame.id.isEmpty else {
            unmapped.part("spans without ids")
            return nil
        }
        guard let start = frame.start, Timestamp.range.contains(start),
            let last = requests.max(by: { ($0.end ?? 0) < ($1.end ?? 0) })
        else {
            unmapped.part("spans without a time that can be told")
            return nil
        }
        for span in requests {
            for name in span.attributes.names where !placed.contains(name) {
                unmapped.attribute(name)
            }
        }
        let usage = frame.attributes["ai.usage"] ?? last.attributes["gen_ai.operation.name"]
        var draft = RecordDraft(
            id: "\(frame.trace)/\(frame.id)", usage: usage?.text ?? "other", time: start,
            duration: frame.end.map { $0 - start },
            attempts: requests.reduce(0) { min($0 + $1.attempts, attemptsMax) },
            outcome: last.outcome)
        draft.subject = last.attributes["gen_ai.prompt.name"]?.text
        draft.session =
            (last.attributes["gen_ai.conversation.id"] ?? frame.attributes["session.id"])?.text
        draft.model =
            (last.attributes["gen_ai.request.model"] ?? last.attributes["gen_ai.response.model"])?
            .text
        draft.os = resource["os.description"]?.text
        draft.device = resource["device.model.identifier"]?.text
        draft.app = resource["service.version"]?.text
        draft.messages.add(last.attributes["gen_ai.system_instructions"], asInstructions: true)
        draft.messages.add(last.attributes["gen_ai.input.messages"])
        return draft
    }
}

/// Values by name, from OTLP's list of pairs.
private struct Attributes {
    private let values: [(name: String, value: JSONTree)]

    init(_ owner: JSONTree?) {
        values = (owner?["attributes"]?.elements ?? []).compactMap { pair in
            guard let name = pair["key"]?.text, case .object(let kinds)? = pair["value"],
                let value = kinds.first?.value
            else { return nil }
            return (name, value)
        }
    }

    var names: [String] { values.map(\.name) }

    subscript(name: String) -> JSONTree? { values.first { $0.name == name }?.value }
}

/// One span, and what of it says that it is a request to a model.
private struct Span {
    let trace: String
    let id: String
    let parent: String
    /// µs since 1970.
    let start: Int64?
    let end: Int64?
    let attributes: Attributes
    private let status: JSONTree?

    init(_ span: JSONTree) {
        trace = span["traceId"]?.text ?? ""
        id = span["spanId"]?.text ?? ""
        parent = span["parentSpanId"]?.text ?? ""
        start = span["startTimeUnixNano"]?.integer.map { $0 / 1_000 }
        end = span["endTimeUnixNano"]?.integer.map { $0 / 1_000 }
        attributes = Attributes(span)
        status = span["status"]
    }

    private var operation: String? { attributes["gen_ai.operation.name"]?.text }
    private static let requests: Set<String> = ["chat", "text_completion", "generate_content"]
    private static let known: Set<String> = [
        "embeddings", "execute_tool", "invoke_agent", "create_agent", "invoke_workflow",
        "retrieval",
    ]

    var isRequest: Bool { operation.map(Self.requests.contains) ?? false }

    var whyNone: String {
        guard let operation else { return "spans without gen_ai.operation.name" }
        return "spans of \(Self.known.contains(operation) ? operation : "other operations")"
    }

    /// Clients that repeat a request within one span say so.
    var attempts: Int64 {
        let resends = attributes["http.request.resend_count"]?.integer ?? 0
        return 1 + min(max(0, resends), OTLPTraces.attemptsMax)
    }

    var outcome: TracedOutcome {
        let message = status?["message"]?.text
        let kind = attributes["error.type"]?.text
        let code = status?["code"]
        if kind != nil || code?.integer == 2 || code?.text == "STATUS_CODE_ERROR" {
            return .failed(
                class: ErrorWords.errorClass(kind: kind, message: message), message: message)
        }
        let reasons = attributes["gen_ai.response.finish_reasons"]?["values"]?.elements ?? []
        switch reasons.first?["stringValue"]?.text {
        case "length", "max_tokens": return .failed(class: "truncated", message: nil)
        case "content_filter": return .failed(class: "refused", message: nil)
        default: return .completed(output)
        }
    }

    /// The text of the answer, as JSON where it is.
    private var output: JSONTree? {
        guard let messages = attributes["gen_ai.output.messages"]?.unwrapped else { return nil }
        let text = messages.elements.map(Messages.text).joined(separator: "\n")
        return JSONTree.string(text).unwrapped
    }
}
