import AirshipCore
import ChatModels
import Testing

struct StrictSchemaTests {
    @Test("objects are closed, properties all required, optional ones nullable, in order")
    func object() throws {
        let schema = try StrictSchema(
            .object(
                description: "verdict",
                properties: [
                    "zeta": .boolean(description: "first"), "alpha": .string(choices: ["x", "y"]),
                    "list": .array(items: .object(properties: ["id": .integer()])),
                ], required: ["list", "zeta"]))
        #expect(
            schema.text == """
                {"type":"object","description":"verdict","properties":{\
                "zeta":{"type":"boolean","description":"first"},\
                "alpha":{"type":["string","null"],"enum":["x","y",null]},\
                "list":{"type":"array","items":{"type":"object",\
                "properties":{"id":{"type":["integer","null"]}},"required":["id"],\
                "additionalProperties":false}}},\
                "required":["zeta","alpha","list"],"additionalProperties":false}
                """)
    }

    @Test("the strict form reads the same however the schema was authored as Swift or as JSON")
    func authoredJSON() throws {
        let json = #"{"type":"object","properties":{"b":{"type":"number"},"a":{"type":"string"}}}"#
        let schema = AirshipJSONSchema.object(properties: ["b": .number(), "a": .string()])
        let authored = try StrictSchema(AirshipJSONSchema(json: json))
        #expect(try StrictSchema(schema).text == authored.text)
    }

    @Test("an object without properties becomes a closed one, its required names texts")
    func unconstrained() throws {
        #expect(
            try StrictSchema(.object(required: ["reason"])).text == """
                {"type":"object","properties":{"reason":{"type":"string"}},\
                "required":["reason"],"additionalProperties":false}
                """)
    }

    @Test("vendor extensions are not sent")
    func extensions() throws {
        let schema = try StrictSchema(
            .object(
                properties: ["a": .string(extensions: ["x-ua-report-property": true])],
                extensions: ["x-other": "secret"]))
        #expect(!schema.text.contains("x-"))
    }

    @Test("a root that is no object travels in one, and comes out as it was")
    func wrappedRoot() throws {
        let schema = try StrictSchema(.array(items: .string()))
        #expect(
            schema.text == """
                {"type":"object","properties":{"answer":{"type":"array","items":\
                {"type":"string"}}},"required":["answer"],"additionalProperties":false}
                """)
        #expect(schema.unwrap(["answer": ["a"]]) == ["a"])
        #expect(schema.unwrap(["a"]) == ["a"])
    }

    @Test("a member called answer stays where its author put it")
    func ownAnswer() throws {
        let schema = try StrictSchema(.object(properties: ["answer": .string()]))
        #expect(schema.unwrap(["answer": "a"]) == ["answer": "a"])
    }

    @Test(
        "what may be asked about can be sent, whatever it is nested in; anything deeper is refused")
    func nesting() throws {
        let kinds: [(AirshipJSONSchema) -> AirshipJSONSchema] = [
            { .array(items: $0) }, { .object(properties: ["a": $0]) },
            { .object(properties: ["a": $0], required: ["a"]) },
        ]
        for nest in kinds {
            var schema = AirshipJSONSchema.boolean()
            var count = 0
            while (try? schema.checkDepth()) != nil {
                _ = try StrictSchema(schema)
                schema = nest(schema)
                count += 1
            }
            #expect(count >= CoreLimits.jsonDepthMax / 2 - 1)
            #expect(throws: AirshipCoreError.nestedTooDeep) { try StrictSchema(schema) }
        }
    }
}
