// One answer from the answers about the parts: what can be counted by vote, texts by asking again.

import AirshipCore

/// The answers about the parts of one text, in its order; each conforms to the schema.
struct AnswerMerge {
    let schema: AirshipJSONSchema
    let answers: [AirshipJSON]

    /// The texts that differ, part by part, as a text that the same question can be asked about;
    /// nil where there is nothing to ask.
    var digest: String? {
        var fields: [(path: [String], values: [String?])] = []
        collect(schema, answers.map(Optional.some), [], into: &fields)
        guard !fields.isEmpty else { return nil }
        let parts = answers.indices.map { part in
            let lines: [String] = fields.compactMap { field in
                guard let value = field.values[part] else { return nil }
                return fields.count == 1 ? value : "\(field.path.joined(separator: ".")): \(value)"
            }
            return lines.joined(separator: "\n")
        }
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    /// The one answer.
    ///
    /// - Parameter later: What was answered about the ``digest``; its texts count.
    func merged(textsFrom later: AirshipJSON? = nil) -> AirshipJSON {
        Self.merged(schema, answers, later) ?? .null
    }

    private static func merged(
        _ schema: AirshipJSONSchema?, _ answers: [AirshipJSON?], _ later: AirshipJSON?
    ) -> AirshipJSON? {
        let values = values(answers)
        switch schema?.kind {
        case .object(let properties?, _):
            guard !values.isEmpty else { return nil }
            let others = Set(values.flatMap { $0.object.map { Array($0.keys) } ?? [] })
            let names = others.union(properties.names)
            var members: [String: AirshipJSON] = [:]
            for name in names {
                members[name] = merged(properties[name], values.map { $0[name] }, later?[name])
            }
            return .object(members)
        case .array:
            guard !values.isEmpty else { return nil }
            return union(values)
        case .string(choices: nil):
            let texts = texts(values)
            return Set(texts).count > 1
                ? later?.string.map { .string($0) } ?? vote(texts) : vote(texts)
        default: return vote(values)
        }
    }

    private func collect(
        _ schema: AirshipJSONSchema, _ answers: [AirshipJSON?], _ path: [String],
        into fields: inout [(path: [String], values: [String?])]
    ) {
        switch schema.kind {
        case .object(let properties?, _):
            for name in properties.names {
                guard let schema = properties[name] else { continue }
                collect(schema, answers.map { $0?[name] }, path + [name], into: &fields)
            }
        case .string(choices: nil):
            let values = answers.map { $0?.string.flatMap { $0.isEmpty ? nil : $0 } }
            if Set(values.compactMap(\.self)).count > 1 { fields.append((path, values)) }
        default: break
        }
    }

    /// What is absent, or null, has no vote.
    private static func values(_ answers: [AirshipJSON?]) -> [AirshipJSON] {
        answers.compactMap(\.self).filter { !$0.isNull }
    }

    /// Nor has an empty text, beside others.
    private static func texts(_ values: [AirshipJSON]) -> [AirshipJSON] {
        let texts = values.filter { $0 != "" }
        return texts.isEmpty ? values : texts
    }

    /// The most frequent; of equally frequent ones that which comes first in the text.
    private static func vote(_ values: [AirshipJSON]) -> AirshipJSON? {
        var counts: [AirshipJSON: Int] = [:]
        for value in values { counts[value, default: 0] += 1 }
        let most = counts.values.max()
        return values.first { counts[$0] == most }
    }

    /// Every element once, in the text's order.
    private static func union(_ values: [AirshipJSON]) -> AirshipJSON {
        var seen: Set<AirshipJSON> = []
        return .array(values.flatMap { $0.array ?? [] }.filter { seen.insert($0).inserted })
    }
}
