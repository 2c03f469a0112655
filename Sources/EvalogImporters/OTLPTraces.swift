// Spans of the semantic conventions for generative AI → evaluations.
//
// A span with gen_ai.operation.name chat, text_completion or generate_content is one request to a model.
// Requests below a span with ai.usage, which an evaluator makes around its attempts, are the attempts of
// one evaluation, which lasts as long as that span; any other request is an evaluation by itself. Spans of
// one line are seen together, never those of two.
// Sources: opentelemetry-proto 1.x (trace.proto, JSON mapping), semantic conventions 1.37 (gen-ai).

import EvalogText

enum OTLPTraces {
    /// Of one evaluation, as facts have it; a span that tells of more is no reason to refuse it.
    static let attemptsMax: Int64 = 1_000_000
    /// Attributes that have a place in a record, or tell nothing beyond one.
    private static let placed: Set<String> = [
        "gen_ai.operation.name", "gen_ai.request.model", "gen_ai.response.model", "error.type",
        "gen_ai.conversation.id", "session.id", "gen_ai.input.messages", "gen_ai.output.messages",
        "gen_ai.system_instructions", "gen_ai.response.finish_reasons", "gen_ai.prompt.name",
        "http.request.resend_count", "ai.usage",
    ]
    /// Attributes of the conventions that have no place in a record. Names of others could hold anything.
    private static let unplaced: [StaticString] = [
        "gen_ai.agent.description", "gen_ai.agent.id", "gen_ai.agent.name", "gen_ai.completion",
        "gen_ai.data_source.id", "gen_ai.output.type", "gen_ai.prompt", "gen_ai.provider.name",
        "gen_ai.request.choice.count", "gen_ai.request.encoding_formats",
        "gen_ai.request.frequency_penalty", "gen_ai.request.max_tokens",
        "gen_ai.request.presence_penalty", "gen_ai.request.seed", "gen_ai.request.stop_sequences",
        "gen_ai.request.stream", "gen_ai.request.temperature", "gen_ai.request.top_k",
        "gen_ai.request.top_p", "gen_ai.response.id", "gen_ai.response.time_to_first_chunk",
        "gen_ai.system", "gen_ai.token.type", "gen_ai.tool.call.id", "gen_ai.tool.definitions",
        "gen_ai.tool.name", "gen_ai.usage.completion_tokens", "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens", "gen_ai.usage.prompt_tokens",
        "openai.response.system_fingerprint", "server.address", "server.port",
    ]
    private static let unplacedByName = Dictionary(
        uniqueKeysWithValues: unplaced.map { ("\($0)", $0) })

    /// nil for what is no request of traces.
    static func evaluations(in tree: JSONTree, _ unmapped: inout Unmapped) -> [RecordDraft]? {
        guard let resources = tree["resourceSpans"] else { return nil }
        let spans = resources.elements.flatMap { resource in
            let about = SpanAttributes(resource["resource"])
            return (resource["scopeSpans"]?.elements ?? []).flatMap { scope in
                (scope["spans"]?.elements ?? []).map { Span($0, of: about) }
            }
        }
        return evaluations(of: spans, &unmapped)
    }

    private static func evaluations(
        of spans: [Span], _ unmapped: inout Unmapped
    ) -> [RecordDraft] {
        var ancestry = Ancestry(
            marked: Set(spans.filter(\.isFrame).map(\.key)),
            parents: spans.map { ($0.key, $0.parent) })
        var attempts: [SpanKey: [Span]] = [:]
        var alone: [Span] = []
        for span in spans {
            if !span.isRequest {
                if !span.isFrame { unmapped.part(span.whyNone) }
            } else if let frame = ancestry.nearest(from: span.parent) {
                attempts[frame, default: []].append(span)
            } else {
                alone.append(span)
            }
        }
        var drafts: [RecordDraft?] = []
        for frame in spans where frame.isFrame {
            if let requests = attempts.removeValue(forKey: frame.key) {
                drafts.append(draft(of: frame, requests, &unmapped))
            } else {
                unmapped.part("spans of evaluations without a request to a model")
            }
        }
        for request in alone { drafts.append(draft(of: request, [request], &unmapped)) }
        return drafts.compactMap(\.self)
    }

    /// - Parameters:
    ///   - frame: What the evaluation lasts as long as.
    ///   - requests: Its attempts. The one that ended last decides, unless it went well and the
    ///     frame did not: what came after an answer is part of the evaluation.
    private static func draft(
        of frame: Span, _ requests: [Span], _ unmapped: inout Unmapped
    ) -> RecordDraft? {
        guard frame.key.isWhole else {
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
                unmapped.attribute(unplacedByName[name] ?? "others")
            }
        }
        let usage = frame.attributes["ai.usage"] ?? last.attributes["gen_ai.operation.name"]
        var draft = RecordDraft(
            id: "\(frame.key.trace)/\(frame.key.id)", usage: usage?.text ?? "other", time: start,
            duration: frame.end.map { $0 - start },
            attempts: requests.reduce(0) { min($0 + $1.attempts, attemptsMax) },
            outcome: last.fault ?? frame.fault ?? last.answered)
        draft.subject = last.attributes["gen_ai.prompt.name"]?.text
        draft.session =
            (last.attributes["gen_ai.conversation.id"] ?? frame.attributes["session.id"])?.text
        draft.model =
            (last.attributes["gen_ai.request.model"] ?? last.attributes["gen_ai.response.model"])?
            .text
        draft.os = frame.resource["os.description"]?.text
        draft.device = frame.resource["device.model.identifier"]?.text
        draft.app = frame.resource["service.version"]?.text
        draft.messages.add(last.attributes["gen_ai.system_instructions"], asInstructions: true)
        draft.messages.add(last.attributes["gen_ai.input.messages"])
        return draft
    }
}
