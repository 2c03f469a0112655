import AirshipCore
import Testing

@testable import LongInput

@Suite("one answer from many") struct AnswerMergeTests {
    private let category = AirshipJSONSchema.string(choices: ["billing", "delivery", "other"])

    private func merge(_ schema: AirshipJSONSchema, _ answers: AirshipJSON...) -> AnswerMerge {
        AnswerMerge(schema: schema, answers: answers)
    }

    @Test("the most frequent counts; of equally frequent ones the first in the text")
    func vote() {
        #expect(merge(category, "other", "billing", "billing").merged() == "billing")
        #expect(merge(category, "other", "billing").merged() == "other")
        #expect(
            merge(category, "delivery", "other", "billing", "billing", "other").merged() == "other")
        #expect(merge(.boolean(), true, false, false).merged() == false)
        #expect(merge(.integer(), 3, 4, 4, 3).merged() == 3)
        #expect(merge(category, "other", "billing").digest == nil)
    }

    @Test("fields are voted on one by one; what is absent or null has no vote")
    func fields() throws {
        let schema = AirshipJSONSchema.object(
            properties: [
                "category": category, "urgent": .boolean(),
                "amount": .object(properties: ["value": .number()]),
            ], required: ["category"])
        let merged = merge(
            schema, ["category": "other"],
            ["category": "billing", "urgent": nil, "amount": ["value": 12.5]],
            ["category": "billing", "urgent": true, "amount": nil, "extra": 1]
        ).merged()
        #expect(
            merged
                == ["category": "billing", "urgent": true, "amount": ["value": 12.5], "extra": 1])
        try schema.validate(merged)
        #expect(
            merge(schema, ["category": "other"], ["category": "other"]).merged() == [
                "category": "other"
            ])
    }

    @Test("lists are joined, every element once, in the text's order")
    func lists() {
        let schema = AirshipJSONSchema.array(items: .string())
        #expect(merge(schema, ["b", "a"], [], ["a", "c"]).merged() == ["b", "a", "c"])
        #expect(merge(schema, [], []).merged() == [])
        let inside = AirshipJSONSchema.object(properties: ["tags": schema])
        #expect(merge(inside, [:], [:]).merged() == [:])
        #expect(merge(inside, [:], ["tags": ["a"]], ["tags": nil]).merged() == ["tags": ["a"]])
        #expect(merge(schema, ["a"], ["b"]).digest == nil)
    }

    @Test("texts that differ are a text to ask about; those that do not, or are empty, are not")
    func digest() {
        #expect(merge(.string(), "one", "two").digest == "one\n\ntwo")
        #expect(merge(.string(), "one", "one").digest == nil)
        #expect(merge(.string(), "", "one", "").digest == nil)
        #expect(merge(.string(), "", "one", "").merged() == "one")
        #expect(merge(.string(), "", "").merged() == "")
        let schema = AirshipJSONSchema.object(
            properties: [
                "summary": .string(), "urgent": .boolean(),
                "sender": .object(properties: ["name": .string()]),
            ])
        let answers = merge(
            schema, ["summary": "one", "urgent": true, "sender": ["name": "Ada"]],
            ["summary": "two", "urgent": true], ["sender": ["name": "Bo"]])
        #expect(
            answers.digest == "summary: one\nsender.name: Ada\n\nsummary: two\n\nsender.name: Bo")
    }

    @Test("of what was answered later only the texts count")
    func later() {
        let schema = AirshipJSONSchema.object(
            properties: ["summary": .string(), "urgent": .boolean(), "name": .string()])
        let answers = merge(
            schema, ["summary": "one", "urgent": true, "name": "Ada"],
            ["summary": "two", "urgent": true])
        #expect(
            answers.merged(textsFrom: ["summary": "both", "urgent": false, "name": "Eve"])
                == ["summary": "both", "urgent": true, "name": "Ada"])
        // Where it says nothing of a text, the vote does.
        #expect(
            answers.merged(textsFrom: [:]) == ["summary": "one", "urgent": true, "name": "Ada"])
    }
}
