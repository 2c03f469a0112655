import AirshipCore
import Foundation
import Testing

@Suite("schema validation") struct SchemaValidationTests {
    static let schema = AirshipJSONSchema.object(
        properties: [
            "name": .string(),
            "kind": .string(choices: ["a", "b"]),
            "on": .boolean(),
            "count": .integer(),
            "size": .number(),
            "tags": .array(items: .string()),
            "inner": .object(properties: ["deep": .boolean()], required: ["deep"]),
        ], required: ["name"])

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let value: AirshipJSON
        var schema = SchemaValidationTests.schema
        var error: AirshipCoreError?

        init(
            _ description: String, _ value: AirshipJSON,
            _ schema: AirshipJSONSchema = SchemaValidationTests.schema,
            error: AirshipCoreError? = nil
        ) {
            testDescription = description
            self.value = value
            self.schema = schema
            self.error = error
        }
    }

    static let valid = [
        Case(
            "an object with nested object, array and every scalar",
            [
                "name": "x", "kind": "a", "on": true, "count": 3, "size": 1.5, "tags": ["p", "q"],
                "inner": ["deep": false],
            ]),
        Case("only the required property", ["name": "x"]),
        Case("an optional property that is null", ["name": "x", "count": nil]),
        Case("a whole double where an integer is expected", ["name": "x", "count": 42.0]),
        Case(
            "extra members at every level", ["name": "x", "z": 1, "inner": ["deep": true, "y": 2]]),
        Case("any object where no properties are declared", ["q": [1, nil]], .object()),
        Case("an array at the root", [1, 2], .array(items: .integer())),
        Case(
            "a declared property that nothing requires", [:],
            .object(properties: ["a": .string()])),
    ]

    static let invalid = [
        Case("a required property absent", [:], error: .offSchema(path: "$.name", rule: .required)),
        Case(
            "a required property null", ["name": nil],
            error: .offSchema(path: "$.name", rule: .required)),
        Case(
            "a string where a boolean is expected", ["name": "x", "on": "true"],
            error: .offSchema(path: "$.on", rule: .boolean)),
        Case(
            "a number where a boolean is expected", ["name": "x", "on": 1],
            error: .offSchema(path: "$.on", rule: .boolean)),
        Case(
            "a boolean where a number is expected", ["name": "x", "size": true],
            error: .offSchema(path: "$.size", rule: .number)),
        Case("no object at the root", "x", error: .offSchema(path: "$", rule: .object)),
        Case("null at the root", nil, error: .offSchema(path: "$", rule: .object)),
        Case(
            "one wrong element of an array", ["name": "x", "tags": ["p", 1]],
            error: .offSchema(path: "$.tags[1]", rule: .string)),
        Case(
            "a null element of an array", ["name": "x", "tags": [nil]],
            error: .offSchema(path: "$.tags[0]", rule: .string)),
        Case(
            "a fraction where an integer is expected", ["name": "x", "count": 3.5],
            error: .offSchema(path: "$.count", rule: .integer)),
        Case(
            "infinity where an integer is expected", ["name": "x", "count": .number(.infinity)],
            error: .offSchema(path: "$.count", rule: .integer)),
        Case(
            "NaN where a number is expected", ["name": "x", "size": .number(.nan)],
            error: .offSchema(path: "$.size", rule: .number)),
        Case(
            "a string outside its choices", ["name": "x", "kind": "c"],
            error: .offSchema(path: "$.kind", rule: .choice)),
        Case(
            "a number where a choice is expected", ["name": "x", "kind": 1],
            error: .offSchema(path: "$.kind", rule: .string)),
        Case(
            "another spelling of the same characters", "e\u{301}", .string(choices: ["\u{e9}"]),
            error: .offSchema(path: "$", rule: .choice)),
        Case(
            "anything where there are no choices", "x", .string(choices: []),
            error: .offSchema(path: "$", rule: .choice)),
        Case(
            "a nested required property absent", ["name": "x", "inner": [:]],
            error: .offSchema(path: "$.inner.deep", rule: .required)),
        Case(
            "a required name that is no property", [:], .object(required: ["ghost"]),
            error: .offSchema(path: "$.ghost", rule: .required)),
        Case(
            "a string where any object is expected", "x", .object(),
            error: .offSchema(path: "$", rule: .object)),
        Case(
            "an object where an array is expected", [:], .array(items: .integer()),
            error: .offSchema(path: "$", rule: .array)),
    ]

    @Test("a conforming value is accepted", arguments: valid)
    func accepted(_ example: Case) throws {
        try example.schema.validate(example.value)
    }

    @Test("a violation is refused with its path and rule, without the value", arguments: invalid)
    func refused(_ example: Case) throws {
        let error = try #require(example.error)
        #expect(throws: error) { try example.schema.validate(example.value) }
    }

    @Test("of several violations the same one is found every time")
    func deterministic() {
        let schema = AirshipJSONSchema.object(
            properties: ["b": .string(), "a": .string(), "c": .string()], required: ["c", "b"])
        let value: AirshipJSON = ["a": 1, "b": nil, "c": 3]
        #expect(throws: AirshipCoreError.offSchema(path: "$.b", rule: .required)) {
            try schema.validate(value)
        }
        #expect(throws: AirshipCoreError.offSchema(path: "$.a", rule: .string)) {
            try schema.validate(["a": 1, "b": 2, "c": 3])
        }
    }

    @Test("a schema nested deeper than the limit ends in an error, not on the stack")
    func depth() {
        var schema = AirshipJSONSchema.string()
        var value: AirshipJSON = "x"
        for _ in 0..<CoreLimits.jsonDepthMax {
            schema = .array(items: schema)
            value = [value]
        }
        #expect(throws: AirshipCoreError.nestedTooDeep) { try schema.validate(value) }
        #expect(throws: AirshipCoreError.nestedTooDeep) { try schema.toString() }
    }

    @Test(
        "a schema that is valid can be written, and what is written can be read", arguments: 0..<3)
    func deepest(kind: Int) throws {
        var schema = kind == 0 ? AirshipJSONSchema.string(choices: ["x"]) : .string()
        var value: AirshipJSON = "x"
        var depths = 0...0
        while (try? schema.validate(value)) != nil {
            let text = try schema.toString()
            #expect(try AirshipJSONSchema(json: text) == schema)
            #expect(
                try JSONDecoder().decode(AirshipJSONSchema.self, from: Data(text.utf8)) == schema)
            depths = 0...(depths.upperBound + 1)
            switch kind {
            case 0: (schema, value) = (.array(items: schema), [value])
            default:
                schema = .object(properties: ["a": schema], required: kind == 1 ? ["a"] : nil)
                value = ["a": value]
            }
        }
        #expect(throws: AirshipCoreError.nestedTooDeep) { try schema.validate(value) }
        #expect(throws: AirshipCoreError.nestedTooDeep) { try schema.toString() }
        #expect(depths.upperBound >= CoreLimits.jsonDepthMax / 2 - 1)
    }
}
