// evalog testset run: from a file of cases to results in the log, and a table of them.

import AirshipCore
import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogMetrics
import EvalogRecording
import EvalogText
import TestSets

struct TestRunCommand {
    private let path: String
    private let suiteName: String
    private let models: TestModels
    private let repeats: Int
    private let parallel: Int
    private let content: ContentRetention
    private let isJSON: Bool
    private let reading: TestReading
    private let console: Console

    init(_ arguments: Arguments, _ console: Console) throws {
        try arguments.demandOnly(
            [
                .testModelURL, .testModelName, .recorded, .suite, .repeats, .parallel, .testContent,
            ], operandCount: 2)
        path = arguments.operands[1]
        let file = path.split(separator: "/").last ?? ""
        suiteName =
            try arguments.suiteName()
            ?? String(file.split(separator: ".", omittingEmptySubsequences: false).first ?? "")
        models = try TestModels(arguments, console)
        repeats =
            try arguments.wholeNumber(.repeats, in: 1...Int(FactLimits.repetitionMax)) ?? 1
        parallel = try arguments.wholeNumber(.parallel, in: 1...TestRun.parallelMax) ?? 1
        guard
            let content = ContentRetention(name: arguments.last(.testContent) ?? "all")
        else {
            throw CommandFailure("--content takes off, failures or all", hint: "--content all")
        }
        self.content = content
        isJSON = arguments.has(.json)
        reading = try TestReading(arguments, console)
        self.console = console
    }

    func run() throws -> ExitStatus {
        let (suite, bytes) = try readSuite()
        guard suite.cases.count * repeats <= TestSetLimits.askingCountMax else {
            throw CommandFailure(
                "\(Figures.counted(suite.cases.count, "case")) × \(Figures.count(repeats)) are more than"
                    + " the \(Figures.count(TestSetLimits.askingCountMax)) results that a run may have",
                hint: "a smaller --repeat, or a test set in parts")
        }
        let answerer = try models.answerer(for: suite)
        let source = try models.source()
        for warning in suite.warnings { console.note(warning) }
        let directory = reading.directory
        let isLog = FileSystem.exists(directory.path)
        let results = isLog ? try reading.results().map(\.result) : []
        let known = Set(results.map(\.id))
        let device = DeviceDescription.current
        let identity = try Interrupts.whole {
            TestRunIdentity(
                key: try ContentAccess.key(of: directory),
                parts: [Array(suite.name.utf8), bytes, Array("\(repeats)".utf8), source]
                    + [answerer.label, device.os, device.device, device.app].map {
                        Array(($0 ?? "").utf8)
                    })
        }
        var plan = TestPlan(suite, repeats: repeats, identity) { known.contains($0) }
        if isLog { plan.putLast(try reading.unanswered(of: plan.run, suite)) }
        if plan.doneCount > 0 {
            console.note(
                "going on with run \(short(plan.run)): \(Figures.count(plan.doneCount)) of"
                    + " \(Figures.count(plan.doneCount + plan.jobs.count)) were done")
        }
        let session = SessionID(bits: plan.run, isDigest: false)
        let answered = results.first { $0.session == session && $0.verdict != .error }
        let ended = try ask(
            suite, plan, answerer, device,
            answered: answered.flatMap { one in
                suite.cases.firstIndex { $0.id == one.testCase }
            })
        let all = try reading.rows()
        let rows = all.filter { $0.run.text == plan.run.text }
        warnOfPractice(suite, all)
        let missing = plan.jobs.count - ended.judgedCount
        return try console.show {
            try TestSetTable(rows).show(on: console.output, isJSON: isJSON)
        } then: {
            guard missing > 0 else { return .done }
            throw CommandFailure(
                "\(words(of: ended.obstacle)); \(Figures.count(missing)) of"
                    + " \(Figures.count(plan.doneCount + plan.jobs.count)) are still to be asked",
                hint: "the same command goes on where it stopped")
        }
    }

    private func readSuite() throws -> (TestSuite, [UInt8]) {
        try FileSystem.demandReadable(path)
        guard
            let bytes = try FileSystem.contents(of: path, atMost: TestSetLimits.fileByteCountMax)
        else {
            throw CommandFailure("cannot open \(path)", hint: "check the path")
        }
        do throws(TestSuiteError) {
            return (try TestSuite(name: suiteName, ndjson: bytes), bytes)
        } catch {
            throw CommandFailure(
                "\(path) is no test set: \(error.words)",
                hint: "schemas/test-case-v1.schema.json says what a case is")
        }
    }

    /// To the end, or until a signal: then with what was judged by then.
    private func ask(
        _ suite: TestSuite, _ plan: TestPlan, _ answerer: TestAnswerer,
        _ device: DeviceDescription, answered: Int?
    ) throws -> TestRun.Ended {
        let recorder = EvaluationRecorder(
            reading.directory, content: content, device: device, options: WriterOptions(),
            maintainsLog: false)
        let run = TestRun(
            suite, plan, answerer, answered: answered, into: recorder, now: console.now)
        let progress = Progress("asking", console: console)
        let total = plan.doneCount + plan.jobs.count
        return try Interrupts.stopping({ run.cancel() }) {
            let ended = waiting { [parallel] in
                await run.run(parallel: parallel) { progress.update(done: $0, total: total) }
            }
            progress.end()
            guard recorder.close() else {
                throw CommandFailure(
                    "\(reading.directory.path) could not be written completely",
                    hint: "check the space and the permissions there; the same command goes on"
                        + " where it stopped")
            }
            return ended
        }
    }

    /// A pass rate is one of a device. Which tiers there are is not known here; that there was only one
    /// device is.
    private func warnOfPractice(_ suite: TestSuite, _ rows: [TestSetRow]) {
        let devices = Set(rows.filter { $0.suite.text == suite.name }.map(\.device))
        if devices.count <= 1 {
            console.note(
                "all runs of \(suite.name) are of one device; run it on a device of each tier, and on"
                    + " the oldest for response times")
        }
    }

    private func words(of obstacle: TestRun.Obstacle?) -> String {
        switch obstacle {
        case .failing(.transport): "the model cannot be reached"
        case .failing(.auth): "the server wants a key, or another one than EVALOG_MODEL_KEY"
        case .failing(.quota): "the server's quota is used up"
        case .failing(let found): "the model does not answer: \(found.rawValue)"
        case .skipped(let reason): "the model was not asked: \(reason)"
        case .fullLog: "the log does not take results"
        case nil: "the run was stopped"
        }
    }

    private func short(_ run: UniqueID) -> String {
        String(run.text.prefix(RunChoice.prefixShown))
    }
}
