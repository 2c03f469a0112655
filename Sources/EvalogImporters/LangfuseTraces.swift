// Langfuse's generations → evaluations.
//
// An observation of type GENERATION is a request to a model. Several tracers in one process record the
// same request inside of each other: then the outermost generation is the evaluation.
// Source: Langfuse's public API, traces with observations.

import EvalogText

enum LangfuseTraces {
    /// Members of a generation that have no place in a record.
    private static let unplaced: [StaticString] = [
        "usageDetails", "costDetails", "modelParameters", "completionStartTime", "metadata",
        "toolCalls", "promptVersion",
    ]

    /// nil for what is no trace.
    static func evaluations(in tree: JSONTree, _ unmapped: inout Unmapped) -> [RecordDraft]? {
        let trace = tree["trace"] ?? tree
        guard let list = tree["observations"] ?? trace["observations"], trace["id"] != nil else {
            return nil
        }
        let observations = list.elements
        var ancestry = Ancestry(
            marked: Set(observations.filter(isGeneration).compactMap { $0["id"]?.text }),
            parents: observations.compactMap { observation in
                guard let id = observation["id"]?.text, let parent = parent(of: observation) else {
                    return nil
                }
                return (id, parent)
            })
        return observations.compactMap { observation in
            guard isGeneration(observation) else {
                unmapped.part("observations of \(kind(of: observation))")
                return nil
            }
            if parent(of: observation).flatMap({ ancestry.nearest(from: $0) }) != nil {
                unmapped.part("generations inside of another one")
                return nil
            }
            return draft(of: observation, in: trace, &unmapped)
        }
    }

    private static func parent(of observation: JSONTree) -> String? {
        observation["parentObservationId"]?.text
    }

    private static func isGeneration(_ observation: JSONTree) -> Bool {
        observation["type"]?.text == "GENERATION"
    }

    private static func kind(of observation: JSONTree) -> String {
        let known = [
            "SPAN", "EVENT", "TOOL", "AGENT", "CHAIN", "RETRIEVER", "EMBEDDING", "EVALUATOR",
            "GUARDRAIL",
        ]
        let type = observation["type"]?.text ?? ""
        return known.contains(type) ? "type \(type)" : "other types"
    }

    private static func draft(
        of observation: JSONTree, in trace: JSONTree, _ unmapped: inout Unmapped
    ) -> RecordDraft? {
        guard let start = time(observation["startTime"]), let id = observation["id"]?.text else {
            unmapped.part("generations without an id or a time that can be told")
            return nil
        }
        for name in unplaced where observation["\(name)"] != nil { unmapped.attribute(name) }
        let message = observation["statusMessage"]?.text
        let outcome: TracedOutcome =
            observation["level"]?.text == "ERROR"
            ? ErrorWords.outcome(kind: nil, message: message)
            : .completed(observation["output"]?.unwrapped)
        // Not from `latency`, whose unit has not always been the same.
        let end = time(observation["endTime"])
        var draft = RecordDraft(
            id: "\(trace["id"]?.text ?? "")/\(id)", usage: "generation", time: start,
            duration: end.map { $0 - start }, attempts: 1, outcome: outcome)
        draft.subject = observation["promptName"]?.text
        draft.session = trace["sessionId"]?.text
        draft.model = observation["model"]?.text
        draft.app = (trace["release"] ?? trace["version"])?.text
        draft.messages.add(observation["input"])
        return draft
    }

    private static func time(_ value: JSONTree?) -> Int64? {
        guard var text = value?.text else { return nil }
        return text.withUTF8 { Timestamp.microseconds(UnsafeRawBufferPointer($0)) }
    }
}
