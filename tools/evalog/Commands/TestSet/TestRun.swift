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

    /// What came of asking about a case.
    private enum Answer: Sendable {
        case judged(Judgement, AirshipAI.Evaluated<AirshipJSON>)
        /// None came, and one case does not tell whether because of it or of the server.
        case none(AirshipAI.ErrorClass, AirshipAI.Evaluated<AirshipJSON>)
        case stopped(Obstacle)
        case cancelled
    }

    private enum JobEnd: Sendable {
        case judged
        case open(TestPlan.Job, AirshipAI.ErrorClass)
        case stopped(Obstacle)
        case cancelled
    }

    /// What is being asked: it decides who answers, which a request does not tell.
    @TaskLocal private static var asked: TestPlan.Job?

    private let suite: TestSuite
    private let plan: TestPlan
    private let answerer: TestAnswerer
    private let evaluator: AirshipAI.Evaluator
    private let recorder: EvaluationRecorder
    private let now: @Sendable () -> Int64
    private let cancellation = Locked<(isAsked: Bool, task: Task<Ended, Never>?)>((false, nil))
    /// A case that got an answer in this run.
    private let answered: Locked<Int?>

    /// - Parameter answered: A case that has got an answer in this run already.
    init(
        _ suite: TestSuite, _ plan: TestPlan, _ answerer: TestAnswerer, answered: Int?,
        into recorder: EvaluationRecorder, now: @escaping @Sendable () -> Int64
    ) {
        self.suite = suite
        self.plan = plan
        self.answerer = answerer
        self.answered = Locked(answered)
        self.recorder = recorder
        self.now = now
        evaluator = Self.evaluator(answerer, session: UUID(uuidString: plan.run.text))
        recorder.attach(to: evaluator)
    }

    private static func evaluator(
        _ answerer: TestAnswerer, session: UUID?
    ) -> AirshipAI.Evaluator {
        let evaluator = AirshipAI.Evaluator(
            privacy: AirshipPrivacyManager(storage: MemoryFeatureStorage()),
            sessionID: { session })
        evaluator.setModelResolver { _ in
            // The evaluator resolves in the task that asks.
            asked.map { .custom(answerer.model($0)) } ?? .defaultModel
        }
        return evaluator
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
        var ended = Ended()
        func count(_ end: JobEnd) {
            switch end {
            case .judged:
                ended.judgedCount += 1
                progress(plan.doneCount + ended.judgedCount)
            case .stopped(let obstacle): ended.obstacle = ended.obstacle ?? obstacle
            case .open, .cancelled: break
            }
        }
        for job in await firstPass(parallel: parallel, count) {
            guard ended.obstacle == nil, !Task.isCancelled else { break }
            count(await judge(job, isLast: true))
        }
        return ended
    }

    /// Asks about all cases, until none in a row gets an answer and none that had one gets it again.
    ///
    /// - Returns: Those that got none.
    private func firstPass(parallel: Int, _ count: (JobEnd) -> Void) async -> [TestPlan.Job] {
        await withTaskGroup(of: JobEnd.self) { group in
            var jobs = plan.jobs.makeIterator()
            var open: [TestPlan.Job] = []
            var (inRow, isStopped) = (0, false)
            for _ in 0..<parallel {
                if let job = jobs.next() { group.addTask { await self.judge(job, isLast: false) } }
            }
            while var end = await group.next() {
                switch end {
                case .judged: inRow = 0
                case .open(let job, let error):
                    open.append(job)
                    inRow += 1
                    if inRow >= TestSetLimits.unansweredInRowMax {
                        inRow = 0
                        if await !isAnswering() { end = .stopped(.failing(error)) }
                    }
                case .stopped, .cancelled: break
                }
                count(end)
                if case .stopped = end {
                    isStopped = true
                    group.cancelAll()
                }
                if !isStopped, !Task.isCancelled, let job = jobs.next() {
                    group.addTask { await self.judge(job, isLast: false) }
                }
            }
            return open
        }
    }

    /// - Parameter isLast: It got no answer before: if there is none again, while another case gets one,
    ///   that is the case's own.
    private func judge(_ job: TestPlan.Job, isLast: Bool) async -> JobEnd {
        switch await ask(job, evaluator) {
        case .judged(let judgement, let asked): return await record(job, judgement, asked)
        case .none(let error, let asked):
            guard isLast else { return .open(job, error) }
            guard await isAnswering() else { return .stopped(.failing(error)) }
            return await record(job, TestCase.judge(failedBy: error), asked)
        case .stopped(let obstacle): return .stopped(obstacle)
        case .cancelled: return .cancelled
        }
    }

    /// Whether a case that got an answer gets one again. Nothing of this is logged.
    private func isAnswering() async -> Bool {
        guard let testCase = answered.withLock({ $0 }) else { return false }
        let job = TestPlan.Job(testCase: testCase, repetition: 1, result: plan.run)
        switch await ask(job, Self.evaluator(answerer, session: nil)) {
        case .judged: return true
        case .none, .stopped, .cancelled: return false
        }
    }

    private func ask(_ job: TestPlan.Job, _ evaluator: AirshipAI.Evaluator) async -> Answer {
        let testCase = suite.cases[job.testCase]
        let asked = await Self.$asked.withValue(job) {
            await evaluator.evaluate(
                TestQuestion(testCase, suite: suite.name), additionalContext: testCase.context)
        }
        let judgement: Judgement
        switch asked.result {
        case .completed(let answer): judgement = testCase.judge(answer)
        case .skipped(let reason): return .stopped(.skipped(reason))
        case .failed(is CancellationError): return .cancelled
        case .failed(let error):
            let found = AirshipAI.ErrorClass(classifying: error)
            judgement = TestCase.judge(failedBy: found)
            switch Blame(found) {
            case .access where answerer.isLive: return .stopped(.failing(found))
            case .serverOrCase where answerer.isLive: return .none(found, asked)
            case .answer, .question, .access, .serverOrCase: break
            }
        }
        if judgement.verdict != .error { answered.withLock { $0 = job.testCase } }
        return .judged(judgement, asked)
    }

    private func record(
        _ job: TestPlan.Job, _ judgement: Judgement, _ asked: AirshipAI.Evaluated<AirshipJSON>
    ) async -> JobEnd {
        // The evaluation's line comes before the one that names it.
        await evaluator.drained()
        return record(job, suite.cases[job.testCase], judgement, asked)
            ? .judged : .stopped(.fullLog)
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
        result.suiteDigest = suite.digest
        result.failure = judgement.failure
        result.session = SessionID(bits: plan.run, isDigest: false)
        var content = ContentRecord(id: job.result, time: time)
        content.session = result.session
        content.subject = TestQuestion.subject(testCase.id, of: suite.name)
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
