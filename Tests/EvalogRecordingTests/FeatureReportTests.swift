// Events, catalogs and the gate: what gets through, and what the gate stops.

import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogRecording
import EvalogText
import Foundation
import TestSupport
import Testing

@Suite("feature reports") struct FeatureReportTests {
    private let fixture = RecorderFixture()
    private let field = "contact/message"

    private func inference(_ values: [String: ReportedValue]) -> FeatureReport {
        FeatureReport(
            .formInference(
                evaluation: ObservedEvaluation.uuid(1), field: field, isSuccess: true,
                values: values))
    }

    @Test("an event that names an evaluation seen before is no orphan, another is, and both stay")
    func orphans() throws {
        let recorder = fixture.recorder(.off)
        recorder.record(.marked(number: 1))
        for number in [1, 2] {
            var report = FeatureReport(
                .suppressed(
                    evaluation: ObservedEvaluation.uuid(number), message: "m-\(number)",
                    missBehavior: "penalize"))
            report.time = 7
            report.session = "902de532-ce43-4778-895a-09c3efa7364b"
            recorder.record(report)
        }
        recorder.record(
            FeatureReport(
                .formInference(evaluation: nil, field: field, isSuccess: false, values: [:])))
        recorder.close()
        #expect(recorder.status.orphanCount == 1)
        let facts = try fixture.facts()
        #expect(facts.count == 4)
        guard case .aiSuppressed(let event) = facts[1], case .formInference(let form) = facts[3]
        else {
            Issue.record("the events are not in the order of the calls")
            return
        }
        #expect((event.subject, event.missBehavior, event.time) == ("m-1", .penalize, 7))
        #expect(event.session?.text == "902de532-ce43-4778-895a-09c3efa7364b")
        #expect(Array(event.id.text.utf8)[14] == UInt8(ascii: "4"), "an event's id is random")
        #expect(form.evaluation == FactReducer.noEvaluation)
        #expect((form.status, form.subject) == (.failure, field))
    }

    @Test("a value gets through if the field's last catalog lists it, and no other way")
    func catalog() throws {
        let recorder = fixture.recorder()
        let typed = "typed by the user"
        recorder.record(inference(["intent": .text("billing")]))
        recorder.record(
            FeatureReport(
                .catalog(
                    field: field,
                    values: [
                        "urgent": [.flag(true), .flag(false)],
                        "intent": [.text("billing"), .text("delivery")],
                    ])))
        recorder.record(inference(["intent": .text("billing"), "urgent": .flag(true)]))
        recorder.record(inference(["intent": .text(typed), typed: .flag(true)]))
        recorder.close()
        let facts = try fixture.facts()
        let reports = facts.map { fact -> [FormInferenceFact.Member]? in
            if case .formInference(let form) = fact { form.report } else { nil }
        }
        #expect(reports[0] == [])
        #expect(
            reports[2] == [
                .init(name: "intent", value: .text("billing")),
                .init(name: "urgent", value: .flag(true)),
            ])
        #expect(reports[3] == [])
        #expect(recorder.status.replacedCount == 3)
        #expect(FolderSearch(fixture.directory.path).paths(holding: typed).isEmpty)
        guard case .catalog(let catalog) = facts[1] else {
            Issue.record("the catalog is not where it was told")
            return
        }
        #expect(catalog.report.map(\.name) == ["intent", "urgent"])
    }

    @Test("a field's catalog is written once in an opening, and again when it changed")
    func repeatedCatalog() throws {
        let recorder = fixture.recorder(.off)
        func tell(_ values: [ReportedValue]) {
            recorder.record(FeatureReport(.catalog(field: field, values: ["urgent": values])))
        }
        for _ in 0..<3 { tell([.flag(true)]) }
        tell([.flag(true), .flag(false)])
        recorder.suspend()
        tell([.flag(true), .flag(false)])
        recorder.record(inference(["urgent": .flag(false)]))
        recorder.close()
        let catalogs = try fixture.facts().compactMap { fact -> Int? in
            if case .catalog(let catalog) = fact { catalog.report[0].values.count } else { nil }
        }
        #expect(catalogs.sorted() == [1, 2, 2])
    }

    @Test("a set that is too large or has too long a member is left out of its catalog alone")
    func largeCatalog() throws {
        let recorder = fixture.recorder()
        recorder.record(
            FeatureReport(
                .catalog(
                    field: field,
                    values: [
                        "many": (0...64).map { .text("v\($0)") }, "fits": [.flag(true)],
                        "long": [.text(String(repeating: "x", count: 65))],
                        String(repeating: "n", count: 65): [.flag(true)],
                    ])))
        recorder.record(inference(["many": .text("v1"), "fits": .flag(true)]))
        recorder.close()
        let facts = try fixture.facts()
        guard case .catalog(let catalog) = facts[0], case .formInference(let form) = facts[1] else {
            Issue.record("two facts are expected")
            return
        }
        #expect(catalog.report == [.init(name: "fits", values: [.flag(true)])])
        #expect(form.report == [.init(name: "fits", value: .flag(true))])
    }

    @Test("names in the style of apps become names of facts, and two of one name are both left out")
    func names() throws {
        let recorder = fixture.recorder(.off)
        let values: [String: [ReportedValue]] = [
            "topic.needsReply": [.flag(true)], "is-urgent": [.flag(true)],
            "to.pic": [.text("secret")], "to_pic": [.text("open")],
        ]
        recorder.record(FeatureReport(.catalog(field: field, values: values)))
        recorder.record(
            inference([
                "topic.needsReply": .flag(true), "is-urgent": .flag(true), "to_pic": .text("open"),
            ]))
        recorder.close()
        let facts = try fixture.facts()
        guard case .catalog(let catalog) = facts[0], case .formInference(let form) = facts[1] else {
            Issue.record("two facts are expected")
            return
        }
        #expect(catalog.report.map(\.name) == ["is_urgent", "topic_needs_reply"])
        #expect(form.report.map(\.name) == ["is_urgent", "topic_needs_reply"])
        #expect(recorder.status.replacedCount == 3)
    }

    @Test("a name with a dot in it and a nested property of one name are both left out")
    func nestedNames() throws {
        let recorder = fixture.recorder(.off)
        let values: [String: [ReportedValue]] = [
            #"a\.b"#: [.text("flat")], "a.b": [.text("nested")], "c": [.flag(true)],
        ]
        recorder.record(FeatureReport(.catalog(field: field, values: values)))
        recorder.record(
            inference([#"a\.b"#: .text("flat"), "a.b": .text("nested"), "c": .flag(true)]))
        recorder.close()
        let facts = try fixture.facts()
        guard case .catalog(let catalog) = facts[0], case .formInference(let form) = facts[1] else {
            Issue.record("two facts are expected")
            return
        }
        #expect(catalog.report.map(\.name) == ["c"] && form.report.map(\.name) == ["c"])
        #expect(recorder.status.replacedCount == 4)
    }

    @Test(
        "a property's path gives one name",
        arguments: [
            ("needsReply", "needs_reply"), ("isURLValid", "is_url_valid"), ("a.B", "a_b"),
            ("größe", "gr_e"), ("2nd", "x_2nd"), ("URL", "url"), ("a1B", "a1_b"),
            ("plain_name", "plain_name"), ("e\u{301}", "e_"), (#"a\.b"#, "a_b"),
            // Sentences and addresses would otherwise be names.
            ("", nil), ("what Ada said", nil), ("ada@example.com", nil), ("a\tb", nil),
        ])
    func name(path: String, name: String?) {
        #expect(FactName.of(path: path) == name)
    }

    @Test("while the gate is off no content is on the disk, in no file and in no form")
    func gateOff() throws {
        let recorder = fixture.recorder()
        recorder.record(FeatureReport(.gate(isOnDeviceAIEnabled: false)))
        recorder.record(.marked(Planted.mark, .skipped(reason: "ai_disabled"), number: 1))
        recorder.record(.marked(Planted.mark, .failed(error: Planted.mark), number: 2))
        recorder.record(.marked(Planted.mark, number: 3))
        #expect(recorder.flush())
        #expect(FolderSearch(fixture.directory.path).paths(holding: Planted.mark).isEmpty)
        #expect(try fixture.contents().isEmpty)
        #expect(recorder.status.withheldCount == 2)
        recorder.record(FeatureReport(.gate(isOnDeviceAIEnabled: true)))
        recorder.record(.marked(Planted.mark, number: 4))
        recorder.record(.marked(Planted.mark, .skipped(reason: "ai_disabled"), number: 5))
        recorder.record(.marked(Planted.mark, number: 6))
        recorder.close()
        #expect(
            try fixture.contents().map(\.id.text) == [4, 6].map { ObservedEvaluation.uuid($0) },
            "a skip that comes late says nothing about the gate when its changes are told")
        let gates = try fixture.facts().compactMap { fact -> Bool? in
            if case .gate(let gate) = fact { gate.isOnDeviceAIEnabled } else { nil }
        }
        #expect(gates == [false, true])
        #expect(try fixture.evaluations().count == 6)
    }

    @Test("where nobody told of the gate, a skip because of it stops content until somebody does")
    func untoldGate() throws {
        let recorder = fixture.recorder()
        recorder.record(.marked("m", number: 1))
        // Of an evaluation that ends while the gate is off the skip is all that anybody hears.
        recorder.record(.marked("m", .skipped(reason: "AI disabled by privacy manager"), number: 2))
        recorder.record(.marked("m", .failed(error: "m"), number: 3))
        recorder.record(FeatureReport(.gate(isOnDeviceAIEnabled: true)))
        recorder.record(.marked("m", number: 4))
        recorder.close()
        // The first had not gone to the disk.
        #expect(try fixture.contents().map(\.id.text) == [ObservedEvaluation.uuid(4)])
        #expect((recorder.status.contentCount, recorder.status.withheldCount) == (1, 2))
    }

    @Test("content that waits in memory when the gate goes off is not written, suspended or not")
    func gateWhileContentWaits() throws {
        for isSuspended in [false, true] {
            let fixture = RecorderFixture()
            let recorder = fixture.recorder()
            if isSuspended { recorder.suspend() }
            recorder.record(.marked(number: 1))
            recorder.record(.marked(Planted.mark, .failed(error: Planted.mark), number: 2))
            recorder.record(FeatureReport(.gate(isOnDeviceAIEnabled: false)))
            recorder.record(.marked(number: 3))
            if isSuspended { recorder.resume() }
            #expect(recorder.flush())
            #expect(FolderSearch(fixture.directory.path).paths(holding: Planted.mark).isEmpty)
            recorder.record(FeatureReport(.gate(isOnDeviceAIEnabled: true)))
            recorder.record(.marked(number: 4))
            #expect(recorder.close())
            #expect(try fixture.contents().map(\.id.text) == [ObservedEvaluation.uuid(4)])
            #expect(try fixture.evaluations().count == 4)
            #expect(try fixture.gaps().isEmpty, "nothing was refused")
            #expect((recorder.status.contentCount, recorder.status.withheldCount) == (1, 3))
            #expect(recorder.status.refusedCounts.isEmpty)
        }
    }

    @Test("what the disk was given before the gate went off stays, with its days")
    func gateAfterContentWasWritten() throws {
        let recorder = fixture.recorder()
        recorder.record(.marked(number: 1))
        #expect(recorder.flush())
        recorder.record(FeatureReport(.gate(isOnDeviceAIEnabled: false)))
        recorder.close()
        #expect(try fixture.contents().count == 1)
        #expect((recorder.status.contentCount, recorder.status.withheldCount) == (1, 0))
    }

    @Test("content that a failing disk did not take is not tried again once the gate is off")
    func gateWhileDiskFails() throws {
        let recorder = fixture.recorder()
        recorder.record(FeatureReport(.gate(isOnDeviceAIEnabled: true)))
        #expect(recorder.flush())
        fixture.disk.failWrites(EIO)
        recorder.record(.marked(number: 1))
        #expect(!recorder.flush())
        recorder.record(FeatureReport(.gate(isOnDeviceAIEnabled: false)))
        fixture.disk.failWrites(nil)
        #expect(recorder.flush())
        recorder.record(FeatureReport(.gate(isOnDeviceAIEnabled: true)))
        recorder.record(.marked(number: 2))
        recorder.close()
        #expect(try fixture.evaluations().count == 2)
        #expect(try fixture.contents().map(\.id.text) == [ObservedEvaluation.uuid(2)])
        #expect((recorder.status.contentCount, recorder.status.withheldCount) == (1, 1))
    }

    @Test("a report shows none of its text when it is printed")
    func silent() {
        let kinds: [FeatureReport.Kind] = [
            .suppressed(
                evaluation: Planted.mark, message: Planted.mark, missBehavior: Planted.mark),
            .formInference(
                evaluation: Planted.mark, field: Planted.mark, isSuccess: true,
                values: [Planted.mark: .text(Planted.mark)]),
            .catalog(field: Planted.mark, values: [Planted.mark: [.text(Planted.mark)]]),
        ]
        for kind in kinds {
            var report = FeatureReport(kind)
            (report.id, report.session) = (Planted.mark, Planted.mark)
            let isSilent = !shown(report).contains(Planted.mark)
            #expect(isSilent && !shown(kind).contains(Planted.mark))
        }
        #expect(!shown(ReportedValue.text(Planted.mark)).contains(Planted.mark))
        #expect(
            "\(FeatureReport(kinds[1]))"
                == "FeatureReport(formInference(isSuccess: true, values: 1))")
    }
}
