// A span of OTLP/JSON as the importer sees it.

/// Values by name, from OTLP's list of pairs.
struct SpanAttributes {
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

/// What tells a span from all others.
struct SpanKey: Hashable {
    let trace: String
    let id: String

    var isWhole: Bool { !trace.isEmpty && !id.isEmpty }
}

/// One span, and what of it says that it is a request to a model.
struct Span {
    let key: SpanKey
    /// The span above, of no span's id at the top of a trace.
    let parent: SpanKey
    let resource: SpanAttributes
    /// µs since 1970.
    let start: Int64?
    let end: Int64?
    let attributes: SpanAttributes
    private let status: JSONTree?

    init(_ span: JSONTree, of resource: SpanAttributes) {
        key = SpanKey(trace: span["traceId"]?.text ?? "", id: span["spanId"]?.text ?? "")
        self.resource = resource
        parent = SpanKey(trace: key.trace, id: span["parentSpanId"]?.text ?? "")
        start = span["startTimeUnixNano"]?.integer.map { $0 / 1_000 }
        end = span["endTimeUnixNano"]?.integer.map { $0 / 1_000 }
        attributes = SpanAttributes(span)
        status = span["status"]
    }

    private var operation: String? { attributes["gen_ai.operation.name"]?.text }
    private static let requests: Set<String> = ["chat", "text_completion", "generate_content"]
    private static let known: Set<String> = [
        "embeddings", "execute_tool", "invoke_agent", "create_agent", "invoke_workflow",
        "retrieval",
    ]

    var isRequest: Bool { operation.map(Self.requests.contains) ?? false }

    /// Whether an evaluator made it around its attempts.
    var isFrame: Bool { !isRequest && attributes["ai.usage"]?.text != nil }

    var whyNone: String {
        guard let operation else { return "spans without gen_ai.operation.name" }
        return "spans of \(Self.known.contains(operation) ? operation : "other operations")"
    }

    /// Clients that repeat a request within one span say so.
    var attempts: Int64 {
        let resends = attributes["http.request.resend_count"]?.integer ?? 0
        return 1 + min(max(0, resends), OTLPTraces.attemptsMax)
    }

    /// How it ended if not well.
    var fault: TracedOutcome? {
        let message = status?["message"]?.text
        let kind = attributes["error.type"]?.text
        let code = status?["code"]
        if kind != nil || code?.integer == 2 || code?.text == "STATUS_CODE_ERROR" {
            return ErrorWords.outcome(kind: kind, message: message)
        }
        let reasons = attributes["gen_ai.response.finish_reasons"]?["values"]?.elements ?? []
        switch reasons.first?["stringValue"]?.text {
        case "length", "max_tokens": return .failed(class: "truncated", message: nil)
        case "content_filter": return .failed(class: "refused", message: nil)
        default: return nil
        }
    }

    /// With the text of the answer, as JSON where it is.
    var answered: TracedOutcome {
        guard let messages = attributes["gen_ai.output.messages"]?.unwrapped else {
            return .completed(nil)
        }
        let text = messages.elements.map(Messages.text).joined(separator: "\n")
        return .completed(JSONTree.string(text).unwrapped)
    }
}
