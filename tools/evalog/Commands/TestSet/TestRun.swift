// Asks about the cases of a plan through the evaluator, and records what came of each.

import AirshipCore
import AirshipRecording
import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogRecording
import EvalogText
import Foundation
import TestSets

/// One run of a suite, or what is left of it.
final class TestRun: Sendable {
    /// As many calls as one model may have at once.
    static let parallelMax = CoreLimits.callThreadMax

    /// How a run ended.
    struct Ended: Sendable {
        var judgedCount = 0
        /// Why it stopped early.
        var obstacle: Obstacle?
    }

    /// What makes asking on pointless: a result of it would say nothing about the model.
    enum Obstacle: Sendable {
        case failing(AirshipAI.ErrorClass)
        case skipped(String)
        case fullLog
    }

    private enum JobEnd: Sendable {
        case judged, cancelled
        case stopped(Obstacle)
    }

    private let suite: TestSuite
    private let plan: TestPlan
    private let evaluator: AirshipAI.Evaluator
    private let recorder: EvaluationRecorder
    private let now: @Sendable () -> Int64
    private let cancellation = Locked<(isAsked: Bool, task: Task<Ended, Never>?)>((false, nil))

    init(
        _ suite: TestSuite, _ plan: TestPlan, _ model: any AirshipAI.ModelProtocol,
        into recorder: EvaluationRecorder, now: @escaping @Sendable () -> Int64
    ) {
        self.suite = suite
        self.plan = plan
        self.recorder = recorder
        self.now = now
        let session = UUID(uuidString: plan.run.text)
        evaluator = AirshipAI.Evaluator(
            privacy: AirshipPrivacyManager(storage: MemoryFeatureStorage()),
            sessionID: { session })
        evaluator.setModelResolver { _ in .custom(model) }
        recorder.attach(to: evaluator)
    }

    /// Asks about so many cases at once; `progress` is told how many are done.
    func run(parallel: Int, progress: @escaping @Sendable (Int) -> Void) async -> Ended {
        let task = Task { await self.runAll(parallel: parallel, progress: progress) }
        let isAsked = cancellation.withLock { state in
            state.task = task
            return state.isAsked
        }
        if isAsked { task.cancel() }
        return await task.value
    }

    /// Has the run end soon, with what was judged.
    func cancel() {
        cancellation.withLock { state in
            state.isAsked = true
            return state.task
        }?.cancel()
    }

    private func runAll(
        parallel: Int, progress: @escaping @Sendable (Int) -> Void
    ) async -> Ended {
        await withTaskGroup(of: JobEnd.self) { group in
            var jobs = plan.jobs.makeIterator()
            for _ in 0..<parallel {
                if let job = jobs.next() { group.addTask { await self.judge(job) } }
            }
            var ended = Ended()
            while let end = await group.next() {
                switch end {
                case .judged:
                    ended.judgedCount += 1
                    progress(plan.doneCount + ended.judgedCount)
                case .cancelled: break
                case .stopped(let obstacle):
                    ended.obstacle = ended.obstacle ?? obstacle
                    group.cancelAll()
                }
                if ended.obstacle == nil, !Task.isCancelled, let job = jobs.next() {
                    group.addTask { await self.judge(job) }
                }
            }
            return ended
        }
    }

    private func judge(_ job: TestPlan.Job) async -> JobEnd {
        let testCase = suite.cases[job.testCase]
        let question = TestQuestion(testCase, suite: suite.name)
        let asked = await evaluator.evaluate(question, additionalContext: testCase.context)
        let judgement: Judgement
        switch asked.result {
        case .completed(let answer): judgement = testCase.judge(answer)
        case .skipped(let reason): return .stopped(.skipped(reason))
        case .failed(is CancellationError): return .cancelled
        case .failed(let error):
            let found = AirshipAI.ErrorClass(classifying: error)
            if Self.isHopeless(found) { return .stopped(.failing(found)) }
            judgement = TestCase.judge(failedBy: found)
        }
        // The evaluation's line comes before the one that names it.
        await evaluator.drained()
        let isTaken = record(job, testCase, judgement, asked)
        return isTaken ? .judged : .stopped(.fullLog)
    }

    /// Whether the next question would fail as well, and not because of the model.
    private static func isHopeless(_ error: AirshipAI.ErrorClass) -> Bool {
        [.transport, .auth, .quota, .unavailable].contains(error)
    }

    private func record(
        _ job: TestPlan.Job, _ testCase: TestCase, _ judgement: Judgement,
        _ asked: AirshipAI.Evaluated<AirshipJSON>
    ) -> Bool {
        guard let evaluation = Array(asked.id.uuidString.utf8).withUnsafeBytes({ UniqueID($0) })
        else { return false }
        let time = now()
        var result = TestResultFact(
            id: job.result, time: time, evaluation: evaluation, suite: suite.name,
            testCase: testCase.id, task: testCase.task, repetition: Int32(job.repetition),
            verdict: judgement.verdict)
        result.failure = judgement.failure
        result.session = SessionID(bits: plan.run, isDigest: false)
        var content = ContentRecord(id: job.result, time: time)
        content.session = result.session
        content.subject = "\(suite.name)/\(testCase.id)"
        if case .completed(let answer) = asked.result {
            content.answer = Self.raw(answer).map { .output($0) }
        }
        if !testCase.expected.isNull { content.expected = Self.raw(testCase.expected) }
        content.finding = judgement.finding
        return recorder.record(result, content)
    }

    private static func raw(_ value: AirshipJSON) -> RawJSON? {
        (try? value.toString()).flatMap { try? RawJSON(Array($0.utf8)) }
    }
}
