import AirshipCore
import AirshipFoundationModels
import Testing

struct GenerationPlanTests {
    @Test("properties keep their authored order, and optional ones stay optional")
    func object() throws {
        let plan = try GenerationPlan(
            .object(
                description: "verdict",
                properties: [
                    "zeta": .boolean(description: "first"), "alpha": .number(),
                    "scores": .array(
                        items: .object(
                            properties: ["id": .string(choices: ["a", "b"]), "score": .integer()],
                            required: ["id", "score"])),
                ], required: ["scores", "zeta"]))
        let score = GenerationPlan.object(
            name: "Answer2", description: nil,
            [
                .init(name: "id", plan: .choice(name: "Answer3", ["a", "b"])),
                .init(name: "score", plan: .integer),
            ])
        #expect(
            plan
                == .object(
                    name: "Answer", description: "verdict",
                    [
                        .init(name: "zeta", description: "first", plan: .boolean),
                        .init(name: "alpha", isOptional: true, plan: .number),
                        .init(name: "scores", plan: .array(score)),
                    ]))
    }

    @Test("a required name without a property is generated as text")
    func undeclared() throws {
        let plan = try GenerationPlan(.object(required: ["reason"]))
        #expect(
            plan
                == .object(
                    name: "Answer", description: nil, [.init(name: "reason", plan: .text)]))
    }

    @Test("any kind of root has a plan")
    func roots() throws {
        #expect(try GenerationPlan(.string()) == .text)
        #expect(try GenerationPlan(.array(items: .boolean())) == .array(.boolean))
    }

    @Test("a choice among nothing, and endless nesting, have no plan")
    func unsupported() {
        #expect(throws: FoundationModelError.unsupportedSchema) {
            try GenerationPlan(.string(choices: []))
        }
        var schema = AirshipJSONSchema.boolean()
        for _ in 0..<100 { schema = .array(items: schema) }
        let nested = schema
        #expect(throws: FoundationModelError.unsupportedSchema) { try GenerationPlan(nested) }
    }
}
