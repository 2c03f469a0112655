// What the log is told of the gate beside its switches, so that each event stands behind a fact of it.

import EvalogFacts
import EvalogLog
import EvalogRecording
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Gate facts") struct GateFactTests {
    private let fixture = RecorderFixture()
    private static let hour: Int64 = 3_600_000_000
    private static let second: Int64 = 1_000_000

    /// - Parameter time: nil: now.
    private func inference(at time: Int64? = nil) -> FeatureReport {
        var report = FeatureReport(
            .formInference(evaluation: nil, field: "contact/message", isSuccess: true, values: [:]))
        report.time = time
        return report
    }

    private func switched(_ isOn: Bool) -> FeatureReport {
        FeatureReport(.gate(isOnDeviceAIEnabled: isOn))
    }

    /// What the facts say of the gate, and where events stand among that, with times since the fixture's
    /// start.
    private func gateAndEvents() throws -> [String] {
        try fixture.facts().compactMap { fact in
            let time = fact.time - SettableClock.start
            return switch fact {
            case .gate(let gate): "\(gate.isOnDeviceAIEnabled ? "on" : "off") \(time)"
            case .formInference: "event \(time)"
            default: nil
            }
        }
    }

    @Test("an event stands behind a fact of how the gate is, in every opening and every hour anew")
    func toldGate() throws {
        let recorder = fixture.recorder(.off)
        recorder.learnGate(isOnDeviceAIEnabled: false)
        recorder.record(.marked(number: 1))
        let steps = [0, 1, Self.hour - 2, 1]
        for step in steps {
            fixture.clock.advance(by: step)
            recorder.record(inference())
        }
        recorder.suspend()
        recorder.resume()
        fixture.clock.advance(by: Self.second)
        recorder.record(inference())
        recorder.record(switched(true))
        recorder.record(inference())
        recorder.close()
        let (hour, later) = (Self.hour, Self.hour + Self.second)
        #expect(
            try gateAndEvents() == [
                "off 0", "event 0", "event 1", "event \(hour - 1)", "off \(hour)", "event \(hour)",
                "off \(later)", "event \(later)", "on \(later)", "event \(later)",
            ])
    }

    @Test(
        "events that wait in a suspension stand behind one fact of the gate, whatever it was before"
    )
    func suspended() throws {
        let recorder = fixture.recorder(.off)
        recorder.learnGate(isOnDeviceAIEnabled: true)
        recorder.record(inference())
        recorder.suspend()
        fixture.clock.advance(by: Self.second)
        for _ in 0..<3 { recorder.record(inference()) }
        recorder.resume()
        recorder.record(inference())
        recorder.close()
        let event = "event \(Self.second)"
        #expect(
            try gateAndEvents() == [
                "on 0", "event 0", "on \(Self.second)", event, event, event, event,
            ])
    }

    @Test("a suspension that the disk does not let happen loses no fact of the gate")
    func failingSuspension() throws {
        let recorder = fixture.recorder(.off)
        recorder.learnGate(isOnDeviceAIEnabled: true)
        recorder.record(inference())
        fixture.disk.failWrites(EIO)
        #expect(!recorder.suspend())
        recorder.record(inference())
        fixture.disk.failWrites(nil)
        recorder.resume()
        recorder.close()
        #expect(try gateAndEvents() == ["on 0", "event 0", "on 0", "event 0"])
    }

    @Test("so do those that the same recorder writes under another identity")
    func identities() throws {
        let process = Mutable<Int32>(1)
        let recorder = fixture.recorder(.off, process: { process.withValue { $0 } })
        recorder.learnGate(isOnDeviceAIEnabled: true)
        recorder.record(inference())
        #expect(recorder.flush())
        process.withValue { $0 = 2 }
        fixture.clock.advance(by: Self.second)
        for _ in 0..<2 { recorder.record(inference()) }
        recorder.close()
        let event = "event \(Self.second)"
        #expect(try gateAndEvents() == ["on 0", "event 0", "on \(Self.second)", event, event])
    }

    @Test("an event that is told late makes nobody say that it was on before it was switched on")
    func late() throws {
        let recorder = fixture.recorder(.off)
        recorder.learnGate(isOnDeviceAIEnabled: true)
        for isOn in [false, true] {
            fixture.clock.advance(by: Self.second)
            recorder.record(switched(isOn))
        }
        recorder.record(inference(at: SettableClock.start + Self.second + 1))
        recorder.close()
        let gate = try gateAndEvents()
        #expect(
            gate == [
                "off \(Self.second)", "on \(2 * Self.second)", "event \(Self.second + 1)",
            ])
    }

    @Test(
        "a clock that is set back makes the gate told anew, and no event waits for it to catch up")
    func clockSetBack() throws {
        let recorder = fixture.recorder(.off)
        recorder.record(switched(true))
        fixture.clock.advance(by: -Self.hour)
        for _ in 0..<2 { recorder.record(inference()) }
        recorder.close()
        let event = "event \(-Self.hour)"
        #expect(try gateAndEvents() == ["on 0", "on \(-Self.hour)", event, event])
    }

    @Test("a gate that nobody told of is not made up, and a skip tells that it is off")
    func untold() throws {
        let recorder = fixture.recorder(.off)
        recorder.record(inference())
        fixture.clock.advance(by: Self.second)
        var skipped = ObservedEvaluation.marked("m", .skipped(reason: "ai_disabled"), number: 2)
        skipped.time = SettableClock.start + Self.second
        recorder.record(skipped)
        recorder.record(inference())
        recorder.close()
        #expect(
            try gateAndEvents() == ["event 0", "off \(Self.second)", "event \(Self.second)"])
    }

    @Test("an event is refused with the fact of the gate that has to stand before it")
    func refused() throws {
        let recorder = fixture.recorder(.off)
        recorder.record(switched(true))
        recorder.record(inference())
        #expect(recorder.flush())
        fixture.disk.failWrites(EIO)
        for _ in 0..<100_000 where recorder.status.refusedCounts.isEmpty {
            recorder.record(switched(true))
        }
        recorder.record(switched(false))
        // The disk is well again, but there is room only once the next line was refused.
        fixture.disk.failWrites(nil)
        fixture.clock.advance(by: Self.hour)
        let refusedCount = recorder.status.refusedCounts.values.reduce(0, +)
        recorder.record(inference())
        #expect(recorder.status.refusedCounts.values.reduce(0, +) == refusedCount + 2)
        recorder.record(inference())
        recorder.close()
        let facts = try gateAndEvents().filter { $0 != "on 0" }
        #expect(facts == ["event 0", "off \(Self.hour)", "event \(Self.hour)"])
    }
}
