import AirshipCore
import Foundation
import TestSupport
import Testing

@Suite("records and events", .timeLimit(.minutes(10))) struct ReportingTests {
    @Test("1,000 concurrent evaluations give 1,000 records, one at a time, each once")
    func concurrent() async {
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(.good)))
        let inside = Shared(0)
        let overlaps = Shared(0)
        fixture.evaluator.setEvaluationObserver { _ in
            inside.change { $0 += 1 }
            if inside.value != 1 { overlaps.change { $0 += 1 } }
            inside.change { $0 -= 1 }
        }
        let evaluator = fixture.evaluator
        let ids = await withTaskGroup(of: UUID.self) { group in
            for _ in 1...1_000 {
                group.addTask { await evaluator.evaluate(TestEvaluation()).id }
            }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        let records = await fixture.records
        #expect(records.count == 1_000)
        #expect(Set(records.map(\.id)) == ids)
        #expect(overlaps.value == 0)
    }

    @Test("records arrive in the order in which evaluations ended", arguments: [1, 2, 3])
    func completionOrder(seed: UInt64) async {
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(.good)))
        let count = 50
        let entered = (0..<count).map { _ in Rendezvous<Void>() }
        let release = (0..<count).map { _ in Rendezvous<Void>() }
        fixture.evaluator.setContextProvider(for: TestEvaluation.usage) { subject in
            let index = Int(subject) ?? 0
            entered[index].settle(())
            await release[index].value
            return .empty
        }
        let running = (0..<count).map { index in
            Task {
                await fixture.evaluate(TestEvaluation(subject: "\(index)", subjectID: "\(index)"))
            }
        }
        for each in entered { await each.value(ifCancelled: ()) }
        var random = SeededGenerator(seed: seed)
        let order = (0..<count).shuffled(using: &random)
        for index in order {
            release[index].settle(())
            _ = await running[index].inTime
        }
        #expect(await fixture.records.map(\.subjectID) == order.map { "\($0)" })
    }

    @Test("an evaluation is received before the event that names it")
    func order() async {
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(.good)))
        let evaluator = fixture.evaluator
        await withTaskGroup { group in
            for _ in 1...50 {
                group.addTask {
                    let id = await evaluator.evaluate(TestEvaluation()).id
                    evaluator.report(
                        .aiSuppressed(evaluation: id, message: "m", missBehavior: .skip))
                }
            }
        }
        await evaluator.drained()
        var known: Set<UUID> = []
        var named = 0
        for observation in fixture.collector.observations {
            switch observation {
            case .evaluation(let record): known.insert(record.id)
            case .attached: break
            case .event(let event):
                guard case .aiSuppressed(let id, _, _) = event.kind else { continue }
                #expect(known.contains(id))
                named += 1
            }
        }
        #expect(named == 50)
    }

    @Test("sinks leave the observer's slot alone, and attaching twice is attaching once")
    func sinks() async {
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(.good)))
        let seen = Shared(0)
        fixture.evaluator.setEvaluationObserver { _ in seen.change { $0 += 1 } }
        fixture.evaluator.attach(fixture.collector)
        _ = await fixture.evaluate()
        #expect(await fixture.records.count == 1)
        #expect(seen.value == 1)
        fixture.evaluator.detach(fixture.collector)
        _ = await fixture.evaluate()
        #expect(await fixture.records.count == 1)
        #expect(seen.value == 2)
    }

    @Test("an evaluation's id is a version 7 UUID of its start, an event's a version 4")
    func ids() async throws {
        let time = ManualTime()
        time.advance(by: .milliseconds(1_234))
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(.good)), time: time)
        _ = await fixture.evaluate()
        fixture.evaluator.report(.gate(onDeviceAI: true))
        let record = try #require(await fixture.records.first)
        let event = try #require(await fixture.events.first)
        let milliseconds = UInt64(1_800_000_001_234)
        let hex = record.id.uuidString.replacing("-", with: "").lowercased()
        #expect(hex.prefix(12) == String(milliseconds, radix: 16).leftPadded(to: 12))
        #expect(Array(hex)[12] == "7" && "89ab".contains(Array(hex)[16]))
        #expect(record.startedAt == time.date)
        #expect(Array(event.id.uuidString)[14] == "4")
        #expect("89AB".contains(Array(event.id.uuidString)[19]))
        #expect((event.time, event.sessionID) == (time.date, Fixture.session))
    }

    @Test("ids made from the same random numbers are the same")
    func seededIDs() {
        let numbers = Shared<UInt64>(0)
        let identifiers = Identifiers {
            numbers.change { $0 += 0x0123_4567_89AB_CDEF }
            return numbers.value
        }
        let first = identifiers.timeOrdered(at: Date(timeIntervalSince1970: 1))
        numbers.change { $0 = 0 }
        #expect(identifiers.timeOrdered(at: Date(timeIntervalSince1970: 1)) == first)
        #expect(identifiers.timeOrdered(at: .distantPast) != first)
        #expect(first.uuidString.hasPrefix("00000000-03E8-7"))
    }

    @Test("the session in a record is that of the start")
    func session() async throws {
        let session = Shared(UUID())
        let evaluator = AirshipAI.Evaluator(
            privacy: AirshipPrivacyManager(storage: MemoryFeatureStorage()),
            sessionID: { session.value })
        let collector = Collector()
        evaluator.attach(collector)
        let before = session.value
        let model = ScriptedModel({ _ in
            session.change { $0 = UUID() }
            return .good
        })
        evaluator.setModelResolver { _ in .custom(model) }
        _ = await evaluator.evaluate(TestEvaluation())
        await evaluator.drained()
        #expect(collector.records.map(\.sessionID) == [before])
    }
}

extension String {
    fileprivate func leftPadded(to length: Int) -> String {
        String(repeating: "0", count: max(0, length - count)) + self
    }
}
