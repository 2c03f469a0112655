import AirshipCore
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite("deadline and cancellation", .timeLimit(.minutes(10))) struct DeadlineTests {
    private func blocked(on release: DispatchSemaphore) { release.wait() }

    @Test("six models that block their threads return at the deadline, on however few cores")
    func blocking() async {
        let release = DispatchSemaphore(value: 0)
        let blocked = blocked(on:)
        let model = ScriptedModel(
            { _ in
                blocked(release)
                return .good
            }, budget: 0.2)
        let fixture = Fixture(model)
        // The models are released only after every evaluation has returned: were one to wait for
        // its model, this would never end.
        let results = await withTaskGroup(of: AirshipAI.Result<Verdict>.self) { group in
            for _ in 1...6 { group.addTask { await fixture.evaluate() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(
            results == Array(repeating: .failed(AirshipCoreError.timedOut(seconds: 0.2)), count: 6))
        let records = await fixture.records
        #expect(records.map(\.attempts) == [1, 1, 1, 1, 1, 1])
        #expect(records.allSatisfy { $0.duration >= 0.2 })
        for _ in 1...6 { release.signal() }
    }

    /// Its isolation is an actor's, and it blocks whatever thread it is on.
    private actor BlockingActor: AirshipAI.ModelProtocol {
        nonisolated let responseTimeout: TimeInterval = 0.1
        private let release: DispatchSemaphore

        init(_ release: DispatchSemaphore) { self.release = release }

        func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON {
            block()
            return .good
        }

        private func block() { release.wait() }
    }

    @Test("actors that block hold no thread that other tasks need")
    func blockingActors() async {
        let release = DispatchSemaphore(value: 0)
        let results = await withTaskGroup(of: AirshipAI.Result<Verdict>.self) { group in
            for _ in 1...6 {
                group.addTask { await Fixture(BlockingActor(release)).evaluate() }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let timeout = AirshipCoreError.timedOut(seconds: 0.1)
        #expect(results == Array(repeating: .failed(timeout), count: 6))
        for _ in 1...6 { release.signal() }
    }

    @Test("a model that ignores cancellation is left at the deadline and its late answer dropped")
    func ignoring() async {
        let time = ManualTime()
        let release = Rendezvous<Void>()
        let answered = Rendezvous<Void>()
        let model = ScriptedModel(
            { _ in
                await Task.detached { await release.value }.value
                answered.settle(())
                return .good
            }, budget: 5)
        let fixture = Fixture(model, time: time)
        async let result = fixture.evaluate()
        await time.alarms(1)
        await model.asked(1)
        time.advance(by: .seconds(5))
        #expect(await result == .failed(AirshipCoreError.timedOut(seconds: 5)))
        release.settle(())
        await answered.value(ifCancelled: ())
        let records = await fixture.records
        #expect(records.map(\.attempts) == [1])
        #expect(records.map(\.duration) == [5])
        #expect(records.map(\.outcome) == [.failed(AirshipCoreError.timedOut(seconds: 5))])
    }

    @Test("the budget is for all attempts together: the second is cut off by what the first used")
    func combined() async {
        let time = ManualTime()
        let model = ScriptedModel(
            { _ in
                time.advance(by: .seconds(3))
                throw ModelFailure()
            }, ScriptedModel.hang, budget: 4)
        let fixture = Fixture(model, time: time)
        async let result = fixture.evaluate()
        await model.asked(2)
        time.advance(by: .seconds(1))
        #expect(await result == .failed(AirshipCoreError.timedOut(seconds: 4)))
        let records = await fixture.records
        #expect(records.map(\.attempts) == [2])
        #expect(records.map(\.duration) == [4])
        #expect(time.pendingCount == 0, "no alarm is left behind")
    }

    /// As after a sleep of the device.
    private struct LateAlarms: TimeSource {
        let manual = ManualTime()
        var date: Date { manual.date }
        var elapsed: Duration { manual.elapsed }
        func schedule(
            after delay: Duration, _ call: @escaping @Sendable () -> Void
        ) -> any Alarm {
            manual.schedule(after: .seconds(1_000_000), call)
        }
    }

    @Test("an answer from after the deadline is late even if the alarm has not rung yet")
    func sleptThrough() async {
        let time = LateAlarms()
        let model = ScriptedModel(
            { _ in
                time.manual.advance(by: .seconds(3_600))
                return .good
            }, budget: 30)
        let result = await Fixture(model, time: time).evaluate()
        #expect(result == .failed(AirshipCoreError.timedOut(seconds: 30)))
    }

    @Test(
        "a budget of zero or less fails at once without a call",
        arguments: [0, -1, -Double.infinity])
    func noBudget(seconds: Double) async {
        let model = ScriptedModel(ScriptedModel.answer(.good), budget: seconds)
        let fixture = Fixture(model)
        #expect(await fixture.evaluate() == .failed(AirshipCoreError.timedOut(seconds: 0)))
        #expect(model.requests.isEmpty)
        #expect(await fixture.records.map(\.attempts) == [0])
    }

    @Test(
        "a budget that is not finite, or huge, is a day and traps nowhere",
        arguments: [Double.nan, .infinity, .greatestFiniteMagnitude, 1e19])
    func endlessBudget(seconds: Double) async {
        let time = ManualTime()
        let model = ScriptedModel(ScriptedModel.hang, budget: seconds)
        let fixture = Fixture(model, time: time)
        async let result = fixture.evaluate()
        await time.alarms(1)
        await model.asked(1)
        time.advance(by: CoreLimits.budgetMax - .milliseconds(1))
        #expect(time.pendingCount == 1, "the deadline is no earlier than a day")
        time.advance(by: .milliseconds(1))
        #expect(await result == .failed(AirshipCoreError.timedOut(seconds: 86_400)))
    }

    @Test("a caller cancelled during an attempt gets a failed result, and there is one record")
    func cancelledInAttempt() async {
        let time = ManualTime()
        let model = ScriptedModel(ScriptedModel.hang)
        let fixture = Fixture(model, time: time)
        let task = Task { await fixture.evaluate() }
        await time.alarms(1)
        await model.asked(1)
        task.cancel()
        #expect(await task.inTime == .failed(CancellationError()))
        let records = await fixture.records
        #expect(records.map(\.outcome) == [.failed(CancellationError())])
        #expect(records.map(\.attempts) == [1])
        // The call ends when it hears of it, and its alarm with it.
        await waitUntil { time.pendingCount == 0 }
    }

    @Test("cancellation reaches the provider, and no model is asked afterwards")
    func cancelledInProvider() async {
        let model = ScriptedModel(ScriptedModel.answer(.good))
        let fixture = Fixture(model)
        let entered = Rendezvous<Void>()
        fixture.evaluator.setDefaultContextProvider {
            entered.settle(())
            for await _ in AsyncStream<Never>(unfolding: {
                try? await Task.sleep(for: .seconds(86_400))
                return nil
            }) {}
            return .empty
        }
        let task = Task { await fixture.evaluate() }
        await entered.value(ifCancelled: ())
        task.cancel()
        #expect(await task.inTime == .failed(CancellationError()))
        #expect(await fixture.records.map(\.attempts) == [0])
        #expect(model.requests.isEmpty)
    }

    @Test("a provider that ignores cancellation is not waited for once the caller is cancelled")
    func providerIgnores() async {
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(.good)))
        let (entered, release) = (Rendezvous<Void>(), Rendezvous<Void>())
        fixture.evaluator.setDefaultContextProvider {
            entered.settle(())
            await release.value
            return .empty
        }
        let task = Task { await fixture.evaluate() }
        await entered.value(ifCancelled: ())
        task.cancel()
        #expect(await task.inTime == .failed(CancellationError()))
        #expect(await fixture.records.count == 1)
        release.settle(())
    }

    @Test("a model is told when it is no longer waited for")
    func modelIsCancelled() async {
        let time = ManualTime()
        let told = Rendezvous<Void>()
        let model = ScriptedModel(
            { request in
                defer { told.settle(()) }
                return try await ScriptedModel.hang(request)
            }, budget: 1)
        let fixture = Fixture(model, time: time)
        async let result = fixture.evaluate()
        await time.alarms(1)
        await model.asked(1)
        time.advance(by: .seconds(1))
        _ = await result
        await told.value(ifCancelled: ())
    }

    @Test("an answer that came in time counts, however late its caller's thread gets to it")
    func stamped() async {
        let time = ManualTime()
        let held = HeldExecutor()
        let model = ScriptedModel(
            { _ in
                time.advance(by: .seconds(3))
                held.hold()
                return .good
            }, budget: 5)
        let fixture = Fixture(model, time: time)
        let task = Task(executorPreference: held) { await fixture.evaluate() }
        await held.isNeeded()
        time.advance(by: .seconds(60))
        held.release()
        #expect(await task.inTime == .completed(Verdict.good))
        #expect(await fixture.records.map(\.duration) == [3])
    }

    @Test("an answer at the very deadline counts, a failure then is not followed by an attempt")
    func atDeadline() async {
        for (answer, expected) in [
            (AirshipJSON.good, AirshipAI.Result<Verdict>.completed(Verdict.good)),
            (.offSchema, .failed(AirshipCoreError.timedOut(seconds: 5))),
        ] {
            let time = LateAlarms()
            let model = ScriptedModel(
                { _ in
                    time.manual.advance(by: .seconds(5))
                    return answer
                }, budget: 5)
            let fixture = Fixture(model, time: time)
            #expect(await fixture.evaluate() == expected)
            #expect(await fixture.records.map(\.attempts) == [1])
        }
    }

    @Test("attempts go on while the caller's thread is blocked, and cost none of its evaluations")
    func retriedMeanwhile() async {
        let time = ManualTime()
        let held = HeldExecutor()
        let model = ScriptedModel(
            { _ in
                held.hold()
                throw ModelFailure()
            }, ScriptedModel.answer(.good), budget: 5)
        let fixture = Fixture(model, time: time)
        let task = Task(executorPreference: held) { await fixture.evaluate() }
        await held.isNeeded()
        time.advance(by: .seconds(60))
        held.release()
        #expect(await task.inTime == .completed(Verdict.good))
        #expect(await fixture.records.map(\.attempts) == [2])
    }

    @Test("a model can tell what earlier attempts and its own work left of the budget")
    func remainingBudget() async {
        let time = ManualTime()
        let left = Shared<[Duration?]>([])
        let model = ScriptedModel(
            { request in
                left.change { $0.append(request.remainingBudget?()) }
                time.advance(by: .seconds(3))
                left.change { $0.append(request.remainingBudget?()) }
                throw ModelFailure()
            }, attempts: 2, budget: 10)
        _ = await Fixture(model, time: time).evaluate()
        #expect(left.value == [10, 7, 7, 4].map(Duration.seconds))
    }
}
