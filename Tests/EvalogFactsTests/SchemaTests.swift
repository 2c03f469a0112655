// The published schemas say what the code does, and are strict and documented throughout.

import EvalogFacts
import EvalogText
import Foundation
import TestSupport
import Testing

@Suite("Schemas") struct SchemaTests {
    private func bytes(_ name: String) throws -> [UInt8] {
        let path = "\(RepositoryRoot.path)/schemas/\(name)-v1.schema.json"
        return Array(try #require(FileManager.default.contents(atPath: path)))
    }

    private func schema(_ name: String) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(bytes(name)))
        return try #require(object as? [String: Any])
    }

    private func definition(_ name: String) throws -> [String: Any] {
        let definitions = try #require(try schema("fact")["$defs"] as? [String: Any])
        return try #require(definitions[name] as? [String: Any])
    }

    private func names(_ list: (some ClosedList).Type) -> [String] {
        list.allCases.map { "\($0.name)" }
    }

    @Test("the closed lists are those of the fact schema")
    func closedLists() throws {
        let lists = [
            "outcome": names(Outcome.self), "reason": names(SkipReason.self),
            "detail": names(SkipDetail.self), "error": names(ErrorClass.self),
            "status": names(InferenceStatus.self), "miss_behavior": names(MissBehavior.self),
            "stream": names(GapStream.self), "cause": names(GapCause.self),
            "verdict": names(Verdict.self), "failure": names(TestFailure.self),
        ]
        for (name, list) in lists {
            #expect(try definition(name)["enum"] as? [String] == list, "\(name)")
        }
        let os = try #require(try definition("os")["pattern"] as? String)
        let systems = (0..<Shape.systems.count).map { "\(Shape.systems[UInt8($0)])" }
        #expect(os.contains("(\(systems.joined(separator: "|")))"))
    }

    @Test("every list has as many names as cases, each found by its bytes, and no other")
    func tables() {
        func check<List: ClosedList>(_ list: List.Type) {
            #expect(List.names.count == List.allCases.count)
            for item in List.allCases {
                let name = Array("\(item.name)".utf8)
                #expect(name.withUnsafeBytes { List(name: $0) } == item)
                #expect((name + [0x78]).withUnsafeBytes { List(name: $0) } == List.fallback)
            }
        }
        check(FactKind.self)
        check(Outcome.self)
        check(SkipReason.self)
        check(SkipDetail.self)
        check(ErrorClass.self)
        check(InferenceStatus.self)
        check(MissBehavior.self)
        check(GapCause.self)
        check(GapStream.self)
        check(Verdict.self)
        check(TestFailure.self)
        check(FactField.self)
    }

    @Test(
        "keys are written in the order of the schema",
        arguments: [
            "evaluation", "ai_suppressed", "form_inference", "catalog", "gate", "log_gap",
            "test_result",
        ])
    func keyOrder(kind: String) throws {
        let published = try keys(of: bytes("fact"), at: ["$defs", kind, "properties"])
        var facts = RandomFacts(random: SeededGenerator(seed: 1))
        var written = Set<String>()
        for _ in 0..<2_000 {
            var line: [UInt8] = []
            facts.next().encode(into: &line)
            guard String(decoding: line, as: UTF8.self).contains("\"type\":\"\(kind)\"") else {
                continue
            }
            let keys = try keys(of: line, at: [])
            #expect(keys == published.filter(keys.contains))
            written.formUnion(keys)
        }
        #expect(written == Set(published))
    }

    @Test("what must be there is what the decoder misses, but for v and what reads as other")
    func required() throws {
        let expected = [
            "evaluation": ["v", "type", "id", "time", "usage", "outcome", "attempts"],
            "ai_suppressed": ["v", "type", "id", "time", "evaluation", "miss_behavior"],
            "form_inference": ["v", "type", "id", "time", "evaluation", "status"],
            "catalog": ["v", "type", "id", "time", "report"],
            "gate": ["v", "type", "id", "time", "on_device_ai"],
            "log_gap": ["v", "type", "id", "time", "stream", "since", "refused", "cause"],
            "test_result": [
                "v", "type", "id", "time", "evaluation", "suite", "case", "task", "repetition",
                "verdict",
            ],
        ]
        for (kind, keys) in expected {
            #expect(try definition(kind)["required"] as? [String] == keys)
        }
    }

    @Test("limits in the schema are those of the code")
    func limits() throws {
        let evaluation = try #require(try definition("evaluation")["properties"] as? [String: Any])
        let attempts = try #require(evaluation["attempts"] as? [String: Any])
        #expect(attempts["maximum"] as? Int64 == FactLimits.attemptsMax)
        let duration = try #require(evaluation["duration_us"] as? [String: Any])
        #expect(duration["maximum"] as? Int64 == Decimal.durationMax)
        #expect(try definition("report_value")["maxLength"] as? Int == 64)
        #expect(FactLimits.reportValueByteCountMax == 64)
    }

    @Test(
        "each schema is of draft 2020-12, and each part of it says what it is",
        arguments: ["fact", "content", "evaluation-record"])
    func documented(name: String) throws {
        let schema = try schema(name)
        #expect(schema["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
        #expect(schema["title"] is String)
        var undocumented: [String] = []
        check(schema, at: "#", &undocumented)
        #expect(undocumented.isEmpty)
    }

    /// Walks all subschemas; each needs a description of its own or by reference.
    private func check(_ schema: [String: Any], at path: String, _ undocumented: inout [String]) {
        if schema["description"] == nil, schema["$ref"] == nil { undocumented.append(path) }
        if schema["properties"] != nil, schema["title"] != nil, path != "#",
            schema["additionalProperties"] as? Bool != false
        {
            undocumented.append("\(path) is open")
        }
        for key in ["properties", "$defs"] {
            for (name, value) in schema[key] as? [String: [String: Any]] ?? [:] {
                check(value, at: "\(path)/\(key)/\(name)", &undocumented)
            }
        }
        for key in ["items", "additionalProperties"] {
            if let value = schema[key] as? [String: Any] {
                check(value, at: "\(path)/\(key)", &undocumented)
            }
        }
        for value in schema["oneOf"] as? [[String: Any]] ?? [] {
            check(value, at: "\(path)/oneOf", &undocumented)
        }
    }

    /// The keys of the object that a path of keys leads to, in their order.
    private func keys(of text: [UInt8], at path: [String]) throws -> [String] {
        try text.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes)
            for step in path {
                try scanner.beginObject()
                while let key = try scanner.nextKey(), scanner.value(of: key) != step {
                    _ = try scanner.skipValue()
                }
            }
            var keys: [String] = []
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                keys.append(scanner.value(of: key))
                _ = try scanner.skipValue()
            }
            return keys
        }
    }
}
