// evalog testset: is the model still good enough for what it is used for?

import ChatModels
import EvalogFacts
import EvalogLog
import EvalogMetrics
import EvalogReplay
import TestSets

extension Flag {
    static let testModelURL = Flag(
        name: "model-url", value: "URL", summary: "run: ask this OpenAI-compatible server.",
        detail: "What comes before /chat/completions. A key is taken from EVALOG_MODEL_KEY.")
    static let testModelName = Flag(
        name: "model", value: "NAME", summary: "run: the name of the model.",
        detail: "As the server knows it and as the log has it. Default: local, or the recording's.")
    static let recorded = Flag(
        name: "recorded", value: "FILE", summary: "run: play recorded answers instead.",
        detail:
            "Exchanges or evaluation records as NDJSON. A line whose subject is a case's id answers"
            + " that case; without such lines each task's are played in turn.")
    static let suite = Flag(
        name: "suite", value: "NAME", summary: "The name of the test set.",
        detail:
            "run: as the log will have it; default: the file's name without what follows the first"
            + " dot. compare, list: only runs of it.")
    static let repeats = Flag(
        name: "repeat", value: "N", summary: "run: ask about each case so many times.",
        detail:
            "Default: 1. A case passes if it passes more often than not; one that does both is flaky."
    )
    static let parallel = Flag(
        name: "parallel", value: "N", summary: "run: ask about so many cases at once.",
        detail:
            "Default: 1, as the models of a phone take one request at a time and a response time is"
            + " then not that of a queue. At most \(TestRun.parallelMax).")
    static let baseline = Flag(
        name: "baseline", value: "RUN", summary: "compare: the run that was good enough.",
        detail:
            "The start of a run's id, a model, or a system such as \"iOS 26.1\"; of several runs the"
            + " newest.")
    static let candidate = Flag(
        name: "candidate", value: "RUN", summary: "compare: the run in question.",
        detail: "As --baseline.")
    static let partial = Flag(
        name: "partial", summary: "compare: what both runs have, though they are of other cases.",
        detail:
            "Without it status 2 where a run lacks cases or answers of the other, or where the file of"
            + " the test set was another.")
    static let level = Flag(
        name: "level", value: "SHARE", summary: "compare: how often a false alarm is put up with.",
        detail: "Default: 0.05, over all tasks together.")
}

extension CommandSpec {
    static let testSet = CommandSpec(
        name: "testset", summary: "test sets: run one, compare two runs; status 1 on a loss",
        operands: "run FILE | compare | list", operandCount: 1...2,
        about: """
            run asks a model about every case of a file through the evaluator, judges the answers by
            the case's rule, logs a result for each and shows pass rates with 95 % intervals. Run
            again after an interrupt it goes on where it stopped; complete, it starts anew. compare
            holds two runs of a test set against each other, case by case, and ends with status 1 if
            a task lost more cases than it won by more than chance (McNemar's exact test, corrected
            for the number of tasks). list shows all runs. docs/testing-models.md has the rules.
            """,
        flags: [
            .testModelURL, .testModelName, .recorded, .suite, .repeats, .parallel, .testContent,
            .baseline, .candidate, .partial, .level, .json, .threads,
        ],
        examples: [
            (
                "evalog testset run mail.ndjson --model-url http://127.0.0.1:8089/v1 --model small",
                "asks a server's model about every case and shows the pass rates"
            ),
            (
                "evalog testset run mail.ndjson --recorded answers.ndjson --repeat 3",
                "the same with recorded answers, three times each"
            ),
            (
                "evalog testset compare --baseline small --candidate smaller",
                "the newest runs of two models: status 1 if the second one is worse"
            ),
            ("evalog testset list --suite mail", "all runs of a test set"),
        ],
        prepare: { arguments, console in
            switch arguments.operands[0] {
            case "run": return try TestRunCommand(arguments, console).run
            case "compare": return try TestCompareCommand(arguments, console).run
            case "list": return try TestListCommand(arguments, console).run
            default:
                throw CommandFailure(
                    "testset does not know \"\(arguments.operands[0])\"",
                    hint: "it knows run, compare and list")
            }
        })
}

extension Flag {
    /// As import's, with another default: a result without what was expected and what came says little.
    static let testContent = Flag(
        name: "content", value: "KEEP",
        summary: "run: what of the content to keep: off, failures, all.",
        detail:
            "Questions, answers, what was expected, and why an answer failed. Default: all, for a"
            + " week.", choices: Flag.content.choices)
}

extension Arguments {
    /// Demands that a part of testset gets only what it has a use for.
    func demandOnly(_ flags: [Flag], operandCount: Int) throws {
        let part = operands[0]
        guard operands.count == operandCount else {
            throw CommandFailure(
                operandCount > operands.count
                    ? "testset \(part) needs a file"
                    : "testset \(part) does not take \"\(operands[1])\"",
                hint: "evalog testset -h shows an example")
        }
        let known = (flags + Flag.common + [.threads, .json]).map(\.name)
        for flag in CommandSpec.testSet.flags where has(flag) && !known.contains(flag.name) {
            throw CommandFailure(
                "--\(flag.name) is of no use to testset \(part)",
                hint: "evalog testset -h says what is for what")
        }
    }

    /// The name of a suite, where it is given.
    func suiteName() throws -> String? {
        guard let name = last(.suite) else { return nil }
        guard Shape.testName.fits(name) else {
            throw CommandFailure("--suite takes \(TestSuite.nameForm)", hint: "--suite mail")
        }
        return name
    }
}

/// evalog testset list.
struct TestListCommand {
    private let reading: TestReading
    private let suite: String?
    private let isJSON: Bool

    init(_ arguments: Arguments, _ console: Console) throws {
        try arguments.demandOnly([.suite], operandCount: 1)
        suite = try arguments.suiteName()
        isJSON = arguments.has(.json)
        reading = try TestReading(arguments, console)
    }

    func run() throws -> ExitStatus {
        let rows = try reading.rows().filter { suite == nil || $0.suite.text == suite }
        if rows.isEmpty { reading.console.note("no run of a test set is in the log") }
        try TestSetTable(rows).show(on: reading.console.output, isJSON: isJSON)
        return .done
    }
}
