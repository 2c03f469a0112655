// evalog explain: which evaluations made one impression, and why.

import EvalogFacts
import EvalogLog
import EvalogMetrics
import EvalogReplay
import EvalogText

extension Flag {
    static let ofSubject = Flag(
        name: "subject", value: "SUBJECT", summary: "All evaluations of this subject.",
        detail: "As the log has it, which may be a digest (~…): evalog tail --json shows it.")
    static let ofSession = Flag(
        name: "session", value: "SESSION", summary: "All evaluations of this session.",
        detail: "A UUID, or a digest (~…) as the log has it.")
}

extension CommandSpec {
    static let explain = CommandSpec(
        name: "explain", summary: "which evaluations made one impression, and why",
        operands: "[ID]", operandCount: 0...1,
        about: """
            Shows evaluations in order, impression by impression: why each begins a new one or joins
            the one before, its duplicates and conflicts, and the events that name it. ID is that of
            an evaluation, or of an event that names one; then its impression is shown. The fold is
            that of replay and export, by the same --gap. Status 1 if there is nothing to show.
            """,
        flags: [.ofSubject, .ofSession, .gap] + Flag.filters + [.json, .reveal, .threads],
        examples: [
            (
                "evalog explain 0193a2b4-7c11-7d3e-9a55-2f6e8c0d1b22",
                "the impression of an evaluation, or of the one that an event names"
            ),
            (
                "evalog explain --session 6f1c2a7e-9b3d-4c55-8a1b-2c3d4e5f6071 --reveal",
                "a session from first to last, with what was asked and answered"
            ),
            (
                "evalog explain --subject home_banner --since 2h --gap 10m --json",
                "how a shorter gap would fold, for a program"
            ),
        ],
        prepare: { arguments, console in
            let command = try ExplainCommand(arguments, console)
            return command.run
        })
}

struct ExplainCommand {
    private let directory: LogDirectory
    private let inquiry: Inquiry
    /// What was asked, for people.
    private let what: String
    private let rules: MetricsRules
    private let threads: Int
    private let isJSON: Bool
    private let isRevealing: Bool
    /// What was asked, for the journal of reveals.
    private let filters: [String]
    private let console: Console

    init(_ arguments: Arguments, _ console: Console) throws {
        directory = LogDirectory(path: console.logPath(arguments))
        (inquiry, what) = try Self.inquiry(arguments)
        rules = try arguments.metricsRules(now: console.now())
        threads = try arguments.threadCount()
        isJSON = arguments.has(.json)
        isRevealing = arguments.has(.reveal)
        let asked: [String] =
            if case .id(let id) = inquiry { ["--id=\(id.text)"] } else { [] }
        filters = asked + (try LineFilter(arguments, now: console.now()).descriptions)
        self.console = console
    }

    private static func inquiry(_ arguments: Arguments) throws -> (Inquiry, String) {
        let subject = arguments.last(.ofSubject)
        let session = arguments.last(.ofSession)
        switch (arguments.operands.first, subject, session) {
        case (let id?, nil, nil):
            let parsed = try FilterField.id(id, "explain")
            return (.id(parsed), "id \(parsed.text)")
        case (nil, let subject?, nil):
            return (.subject(try FilterField.subject(subject)), "subject \(subject)")
        case (nil, nil, let session?):
            let parsed = try FilterField.session(session)
            return (.session(parsed), "session \(parsed.text)")
        default:
            throw CommandFailure(
                "explain needs one of ID, --subject and --session",
                hint: "evalog explain -h shows an example")
        }
    }

    func run() throws -> ExitStatus {
        try directory.demandExisting()
        if isRevealing {
            try RevealJournal(directory, console).add(command: "explain", filters: filters)
        }
        let progress = Progress("explaining", console: console)
        defer { progress.end() }
        let replay = Replay(directory, threads: threads) { progress.update($0) }
        let explanation = try replay.explanation(of: inquiry, rules)
        progress.end()
        console.warn(
            ofDamageIn: explanation.report,
            hiding: try directory.filesHidingFacts(explanation.report.ignored))
        guard !explanation.impressions.isEmpty || !explanation.strays.isEmpty else {
            console.warn(
                explanation.isKnown
                    ? "no impression of \(what) passes --since, --until and the filters"
                    : "the log has no evaluation of \(what); evalog tail --json shows what it has")
            return .no
        }
        let view = ExplainView(explanation, hasColor: console.hasColor)
        for (number, impression) in explanation.impressions.enumerated() {
            if isJSON {
                try console.output.write(json: view.json(impression))
            } else {
                try console.output.write(view.text(impression, number: number + 1))
            }
        }
        if !isJSON { try console.output.write(view.strays) }
        if isRevealing { try reveal(explanation) }
        return .done
    }

    private func reveal(_ explanation: Explanation) throws {
        let revealer = Revealer(directory, isJSON: isJSON, console)
        for impression in explanation.impressions {
            for number in impression.evaluations {
                try revealer.expect(.evaluation(explanation.trace.evaluation(number).fact))
            }
        }
        try revealer.catchUp()
        for damage in revealer.takeDamages() { console.warn(of: damage) }
        if let shortfall = revealer.shortfall { console.warn(shortfall) }
    }
}
