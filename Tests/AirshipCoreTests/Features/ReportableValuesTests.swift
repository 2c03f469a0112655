import AirshipCore
import Foundation
import Testing

@Suite("what of an inference may be reported") struct ReportableValuesTests {
    static let flag: [String: AirshipJSON] = ["x-ua-report-property": true]
    static let schema = AirshipJSONSchema.object(
        properties: [
            "intent": .string(choices: ["billing", "delivery"], extensions: flag),
            "secret": .string(choices: ["a", "b"]),
            "inner": .object(
                properties: [
                    "urgent": .boolean(extensions: flag), "hidden": .boolean(),
                ], extensions: flag),
            "plain": .object(properties: ["on": .boolean(extensions: flag)]),
            "tags": .array(
                items: .string(choices: ["x", "y"], extensions: flag), extensions: flag),
            "free": .string(extensions: flag),
            "count": .integer(extensions: flag),
        ], extensions: flag)
    static let answer: AirshipJSON = [
        "intent": "billing", "secret": "a", "inner": ["urgent": true, "hidden": true],
        "plain": ["on": true], "tags": ["x", "y"], "free": "user text", "count": 7, "extra": 1,
    ]

    @Test("only values on a flagged path, and of those only closed ones, are in the subset")
    func subset() {
        #expect(
            ReportableValues(Self.schema).subset(of: Self.answer)
                == ["intent": "billing", "inner": ["urgent": true], "tags": ["x", "y"]])
    }

    @Test(
        "DECISION: an opted-in free text or number is not reported, a model can put anything there")
    func openValues() {
        for kind in [AirshipJSONSchema.Kind.string(choices: nil), .integer, .number] {
            let reportable = ReportableValues(AirshipJSONSchema(kind, extensions: Self.flag))
            #expect(reportable.subset(of: "x") == nil)
            #expect(reportable.subset(of: 1) == nil)
            #expect(reportable.catalog.isEmpty)
        }
    }

    @Test("under an unflagged root nothing counts")
    func unflaggedRoot() {
        let schema = AirshipJSONSchema.object(
            properties: ["on": .boolean(extensions: Self.flag)])
        #expect(ReportableValues(schema).subset(of: ["on": true]) == nil)
        #expect(ReportableValues(schema).report(of: ["on": true]).isEmpty)
        #expect(ReportableValues(schema).catalog.isEmpty)
    }

    @Test("an array counts when it and its items are flagged, then with all elements")
    func arrays() {
        let flagged = AirshipJSONSchema.boolean(extensions: Self.flag)
        let both = AirshipJSONSchema.array(items: flagged, extensions: Self.flag)
        #expect(ReportableValues(both).subset(of: [true, false]) == [true, false])
        #expect(ReportableValues(.array(items: flagged)).subset(of: [true]) == nil)
        let onlyArray = AirshipJSONSchema.array(items: .boolean(), extensions: Self.flag)
        #expect(ReportableValues(onlyArray).subset(of: [true]) == nil)
    }

    @Test(
        "a flag that is not exactly true does not count",
        arguments: [false, 1, "true", nil] as [AirshipJSON])
    func otherFlags(flag: AirshipJSON) {
        let schema = AirshipJSONSchema.boolean(extensions: ["x-ua-report-property": flag])
        #expect(ReportableValues(schema).subset(of: true) == nil)
    }

    @Test("the report and its catalogue have the same paths, and arrays have none")
    func report() {
        let reportable = ReportableValues(Self.schema)
        #expect(
            reportable.report(of: Self.answer)
                == ["intent": .text("billing"), "inner.urgent": .flag(true)])
        #expect(
            reportable.catalog == [
                "intent": [.text("billing"), .text("delivery")],
                "inner.urgent": [.flag(true), .flag(false)],
            ])
        let root = ReportableValues(.string(choices: ["a"], extensions: Self.flag))
        #expect(root.report(of: "a") == ["result": .text("a")])
    }

    @Test("a name with a dot in it is not the path of a nested property")
    func dottedNames() {
        func choice(_ word: String) -> AirshipJSONSchema {
            .string(choices: [word], extensions: Self.flag)
        }
        let nested = AirshipJSONSchema.object(
            properties: ["b": choice("nested"), "b\\": choice("slash")], extensions: Self.flag)
        let schema = AirshipJSONSchema.object(
            properties: ["a.b": choice("flat"), "a": nested, "a\\.b": choice("both")],
            extensions: Self.flag)
        let reportable = ReportableValues(schema)
        #expect(
            reportable.catalog == [
                "a\\.b": [.text("flat")], "a.b": [.text("nested")], "a.b\\\\": [.text("slash")],
                "a\\\\\\.b": [.text("both")],
            ])
        #expect(
            reportable.report(of: ["a.b": "flat", "a": ["b": "nested"]])
                == ["a\\.b": .text("flat"), "a.b": .text("nested")])
    }

    @Test("a value outside its set is not reported, whatever the schema let through")
    func outside() {
        let reportable = ReportableValues(Self.schema)
        #expect(reportable.report(of: ["intent": "user text"]).isEmpty)
        #expect(reportable.subset(of: ["intent": "user text", "inner": ["urgent": "x"]]) == nil)
    }

    @Test("a set that is too large to be listed is not reported")
    func large() {
        let many = (0...CoreLimits.reportChoiceMax).map(String.init)
        let long = String(repeating: "é", count: CoreLimits.reportChoiceByteCountMax / 2 + 1)
        for choices in [many, [long]] {
            let schema = AirshipJSONSchema.string(choices: choices, extensions: Self.flag)
            #expect(ReportableValues(schema).subset(of: .string(choices[0])) == nil)
            #expect(ReportableValues(schema).catalog.isEmpty)
        }
    }

    @Test("the layout sees the whole answer, the form result only the reportable part")
    func projections() {
        let complete = TextInputField.Inference.complete(evaluation: UUID(), output: Self.answer)
        let reportable = ReportableValues(Self.schema)
        #expect(complete.layoutState == ["status": "complete", "result": Self.answer])
        #expect(
            complete.formResult(reportable)
                == ["result": "success", "output": reportable.subset(of: Self.answer) ?? nil])
        #expect(complete.formResult(ReportableValues(.object())) == ["result": "success"])
        let failed = TextInputField.Inference.failed(evaluation: nil)
        #expect(failed.layoutState == ["status": "failed"])
        #expect(failed.formResult(reportable) == ["result": "failed"])
    }

    @Test("a form child keeps type and value beside the inference, and has none without one")
    func formChild() {
        let reportable = ReportableValues(Self.schema)
        #expect(
            TextInputFormChild.json(value: "v", inference: .failed(evaluation: nil), reportable)
                == ["type": "text_input", "value": "v", "ai_inference": ["result": "failed"]])
        #expect(
            TextInputFormChild.json(value: "v", inference: nil, reportable)
                == ["type": "text_input", "value": "v"])
    }
}
