import AirshipCore
import Foundation
import Testing

@Suite("schema coding") struct SchemaCodingTests {
    static let nested = AirshipJSONSchema.object(
        description: "all of it",
        properties: [
            "zeta": .string(description: "last letter", choices: ["one", "two"]),
            "alpha": .array(items: .object(properties: ["n": .integer(), "b": .boolean()])),
            "mid": .number(extensions: ["x-unit": "m"]),
        ],
        required: ["mid", "zeta"], extensions: ["x-root": ["k": 1]])

    @Test("a nested schema survives our own text and Foundation's coders")
    func roundTrip() throws {
        let own = try AirshipJSONSchema(json: Self.nested.toString())
        let data = try JSONEncoder().encode(Self.nested)
        #expect(own == Self.nested)
        #expect(try JSONDecoder().decode(AirshipJSONSchema.self, from: data) == Self.nested)
    }

    @Test("properties keep their authored order through text, again and again")
    func order() throws {
        let text = """
            {"type":"object","properties":{"q":{"type":"string"},"b":{"type":"string"},\
            "z":{"type":"string"},"a":{"type":"string"}},"required":["a"]}
            """
        let schema = try AirshipJSONSchema(json: text)
        guard case .object(let properties, _) = schema.kind else {
            Issue.record("the root is an object")
            return
        }
        #expect(properties?.names == ["q", "b", "z", "a"])
        #expect(try schema.toString() == text)
    }

    @Test("through Foundation, which forgets the order, it is that of required, then of names")
    func orderThroughFoundation() throws {
        let data = Data(
            """
            {"type":"object","properties":{"q":{"type":"string"},"b":{"type":"string"},\
            "z":{"type":"string"}},"required":["z"]}
            """.utf8)
        let schema = try JSONDecoder().decode(AirshipJSONSchema.self, from: data)
        guard case .object(let properties, _) = schema.kind else {
            Issue.record("the root is an object")
            return
        }
        #expect(properties?.names == ["z", "b", "q"])
    }

    @Test("an object without properties has none, and explicit nulls are the same as absence")
    func nulls() throws {
        let bare = try AirshipJSONSchema(json: #"{"type":"object"}"#)
        let nulls = try AirshipJSONSchema(
            json: #"{"type":"object","description":null,"properties":null,"required":null}"#)
        #expect(bare == .object())
        #expect(nulls == bare)
        #expect(try AirshipJSONSchema(json: #"{"type":"string","enum":null}"#) == .string())
    }

    @Test("extensions stay on their own node, others are dropped, null ones too")
    func extensions() throws {
        let schema = try AirshipJSONSchema(
            json: """
                {"type":"object","x-a":true,"other":1,"x-null":null,
                 "properties":{"p":{"type":"string","x-b":[1]}}}
                """)
        #expect(schema.extensions == ["x-a": true])
        guard case .object(let properties, _) = schema.kind else {
            Issue.record("the root is an object")
            return
        }
        #expect(properties?["p"]?.extensions == ["x-b": [1]])
        #expect(try AirshipJSONSchema(json: schema.toString()) == schema)
        #expect(schema != .object(properties: ["p": .string(extensions: ["x-b": [1]])]))
    }

    @Test("a scalar with choices as the root equals the convenience form")
    func scalarRoot() throws {
        let schema = try AirshipJSONSchema(
            json: #"{"type":"string","description":"d","enum":["a","b"]}"#)
        #expect(schema == .string(description: "d", choices: ["a", "b"]))
    }

    @Test(
        "a schema that is none is refused with its path",
        arguments: [
            (#"{"type":"tuple"}"#, "$"), (#"{}"#, "$"), ("7", "$"), (#"{"type":"array"}"#, "$"),
            (#"{"type":"array","items":null}"#, "$"),
            (#"{"type":"object","properties":{"a":{"type":"array"}}}"#, "$.a"),
            (#"{"type":"array","items":{"type":"string","enum":[1]}}"#, "$[]"),
            (#"{"type":"string","description":1}"#, "$"),
            (#"{"type":"object","required":"a"}"#, "$"),
            (#"{"type":"object","properties":[]}"#, "$"),
        ])
    func invalid(json: String, path: String) {
        #expect(throws: AirshipCoreError.invalidSchema(path: path)) {
            try AirshipJSONSchema(json: json)
        }
    }
}
