// The fields of a fact by which a person chooses lines: one table for flags, help, matching and what
// the journal of reveals digests.

import EvalogFacts
import EvalogText

/// A field of facts as a filter: `--outcome failed`.
struct FilterField: Sendable {
    /// What its values are.
    enum Form: Sendable {
        case id, session, subject
        /// Compared as it is; an empty one means that the fact has none.
        case text(String)
        /// Members of a closed list.
        case names([String])
        /// `NAME` or `NAME=VALUE`, of a report.
        case member
        /// The least that passes.
        case count, length
    }

    /// How a fact has it: nil where its kind has no such field.
    enum Reading: Sendable {
        case texts(@Sendable (Fact) -> [String]?)
        case number(@Sendable (Fact) -> Int64?)
    }

    /// As it is called in a fact line.
    let key: String
    let form: Form
    let summary: String
    let reading: Reading
    /// Named only by a short help.
    var isMinor = false

    private init(_ key: String, _ form: Form, _ summary: String, _ reading: Reading) {
        self.key = key
        self.form = form
        self.summary = summary
        self.reading = reading
    }

    var flag: Flag {
        var flag = plainFlag
        flag.isMinor = isMinor
        return flag
    }

    private var plainFlag: Flag {
        let name = key.replacing("_us", with: "").replacing("_", with: "-")
        switch form {
        case .id: return Flag(name: name, value: "ID", summary: summary, mayRepeat: true)
        case .session:
            return Flag(
                name: name, value: "SESSION", summary: summary,
                detail: "A UUID, or a digest (~…) as the log has it.", mayRepeat: true)
        case .subject:
            return Flag(
                name: name, value: "SUBJECT", summary: summary,
                detail: "As the log has it, which may be a digest (~…).", mayRepeat: true)
        case .text(let value):
            return Flag(name: name, value: value, summary: summary, mayRepeat: true)
        case .names(let names):
            let value = names.count > 2 ? "NAME" : names.joined(separator: "|")
            return Flag(
                name: name, value: value, summary: summary, choices: names, mayRepeat: true)
        case .member:
            return Flag(name: name, value: "NAME=VALUE", summary: summary, mayRepeat: true)
        case .count: return Flag(name: "min-" + name, value: "N", summary: summary)
        case .length: return Flag(name: "min-" + name, value: "LENGTH", summary: summary)
        }
    }

    // MARK: Values

    /// What a person gave, in the one form in which it is compared and digested.
    ///
    /// - Throws: ``CommandFailure`` for what no fact can have.
    func canonical(_ text: String) throws -> String {
        switch form {
        case .id: return try Self.id(text, "--\(flag.name)").text
        case .session: return text.isEmpty ? text : try Self.session(text).text
        case .subject: return text.isEmpty ? text : try Self.subject(text)
        case .text, .member: return text
        case .names(let names):
            guard names.contains(text) else {
                throw CommandFailure(
                    "--\(flag.name) does not know \"\(text)\"",
                    hint: Nearest.name(to: text, among: names).map { "did you mean \($0)?" }
                        ?? "it knows \(names.joined(separator: ", "))")
            }
            return text
        case .count, .length: return String(try least(text))
        }
    }

    /// The number that a fact must have at least.
    func least(_ text: String) throws -> Int64 {
        if case .length = form {
            guard let length = Figures.parseDuration(text) else {
                throw CommandFailure("--\(flag.name) takes a length", hint: "--\(flag.name) 2s")
            }
            return length
        }
        guard let count = Int64(text), count >= 0 else {
            throw CommandFailure(
                "--\(flag.name) takes a whole number from 0 on", hint: "--\(flag.name) 2")
        }
        return count
    }

    static func id(_ text: String, _ what: String) throws(CommandFailure) -> UniqueID {
        var text = text
        guard let id = text.withUTF8({ UniqueID(UnsafeRawBufferPointer($0)) }) else {
            throw CommandFailure(
                "\(what) takes an id that is a UUID", hint: "evalog tail --json shows ids")
        }
        return id
    }

    static func session(_ text: String) throws(CommandFailure) -> SessionID {
        var text = text
        guard let session = text.withUTF8({ SessionID(UnsafeRawBufferPointer($0)) }) else {
            throw CommandFailure(
                "no session in a log looks like that: a digest stands in its place",
                hint: "evalog tail --json shows it")
        }
        return session
    }

    static func subject(_ text: String) throws(CommandFailure) -> String {
        guard Shape.subject.fits(text) else {
            throw CommandFailure(
                "no subject in a log looks like that: a digest stands in its place",
                hint: "evalog tail --json shows it")
        }
        return text
    }
}

// MARK: The table

extension FilterField {
    /// Every field but the time, which `--since` and `--until` are about.
    static let all: [FilterField] = [
        Self(
            "type", names(of: FactKind.self), "Only facts of this type.",
            .texts { ["\($0.kind.name)"] }),
        Self("id", .id, "Only this evaluation or event.", .texts { [$0.id.text] }),
        Self("subject", .subject, "Only what is about this subject.", .texts(subject)),
        Self("session", .session, "Only this session.", .texts(session)),
        evaluation("usage", .text("NAME"), "Only this usage.") { $0.usage },
        evaluation("model", .text("NAME"), "Only this model.") { $0.model },
        evaluation("os", .text("NAME"), "Only this system, such as \"iOS 26.1\".") { $0.os },
        evaluation("device", .text("NAME"), "Only this hardware model.") { $0.device },
        evaluation("app", .text("VERSION"), "Only this version of the app.") { $0.app },
        evaluation("outcome", names(of: Outcome.self), "Only evaluations that ended so.") {
            "\($0.outcome.name)"
        },
        evaluation("reason", names(of: SkipReason.self), "Only those skipped for this reason.") {
            $0.reason.map { "\($0.name)" }
        },
        evaluation("detail", names(of: SkipDetail.self), "Only those skipped in this detail.") {
            $0.detail.map { "\($0.name)" }
        },
        evaluation("error", names(of: ErrorClass.self), "Only failures of this class.") {
            $0.error.map { "\($0.name)" }
        },
        Self(
            "duration_us", .length, "Only evaluations that took so long, such as 2s.",
            .number(ofEvaluation { $0.duration })),
        Self(
            "attempts", .count, "Only evaluations of so many attempts.",
            .number(ofEvaluation { Int64($0.attempts) })),
        evaluation("decoded", truth, "Whether the feature could use the answer.") {
            "\($0.isDecoded)"
        },
        evaluation("duration_invalid", truth, "Whether the measured duration was none.") {
            "\($0.isDurationInvalid)"
        }.minor,
        evaluation("assumed", .names(["time"]), "Only those whose time is that of the import.") {
            $0.isTimeAssumed ? "time" : nil
        }.minor,
        Self("evaluation", .id, "Only events that name this evaluation.", .texts(named)),
        Self(
            "miss_behavior", names(of: MissBehavior.self), "Only suppressions that do this.",
            .texts {
                guard case .aiSuppressed(let fact) = $0 else { return nil }
                return ["\(fact.missBehavior.name)"]
            }),
        Self(
            "status", names(of: InferenceStatus.self), "Only inferences that ended so.",
            .texts {
                guard case .formInference(let fact) = $0 else { return nil }
                return ["\(fact.status.name)"]
            }),
        Self("report", .member, "Only what reports this, or can, such as intent=billing.", report),
        Self(
            "on_device_ai", truth, "Only switches of on-device AI to on (true) or off.",
            .texts {
                guard case .gate(let fact) = $0 else { return nil }
                return ["\(fact.isOnDeviceAIEnabled)"]
            }),
        gap("stream", names(of: GapStream.self), "Only gaps of this stream.") {
            "\($0.stream.name)"
        },
        gap("cause", names(of: GapCause.self), "Only gaps with this cause.") { "\($0.cause.name)" },
        Self(
            "refused", .count, "Only gaps of so many lines.",
            .number {
                guard case .logGap(let fact) = $0 else { return nil }
                return fact.refused
            }),
        test("suite", .text("NAME"), "Only results of this test set.") { $0.suite },
        test("suite_digest", .text("HEX"), "Only results of this version of a test set.") {
            $0.suiteDigest ?? ""
        }.minor,
        test("case", .text("NAME"), "Only results of this case of a test set.") { $0.testCase },
        test("task", .text("NAME"), "Only results of tests of this task.") { $0.task },
        test("verdict", names(of: Verdict.self), "Only results judged so.") {
            "\($0.verdict.name)"
        },
        test("failure", names(of: TestFailure.self), "Only results that failed so.") {
            $0.failure.map { "\($0.name)" } ?? ""
        },
        Self(
            "repetition", .count, "Only results of this asking about a case or a later one.",
            .number {
                guard case .testResult(let fact) = $0 else { return nil }
                return Int64(fact.repetition)
            }
        ).minor,
    ]

    private var minor: Self {
        var field = self
        field.isMinor = true
        return field
    }

    private static let truth = Form.names(["true", "false"])

    private static func names<List: ClosedList>(of list: List.Type) -> Form {
        .names(list.allCases.map { "\($0.name)" }.filter { !$0.isEmpty })
    }

    private static func ofEvaluation<Value>(
        _ value: @escaping @Sendable (EvaluationFact) -> Value?
    ) -> @Sendable (Fact) -> Value? {
        { fact in
            guard case .evaluation(let evaluation) = fact else { return nil }
            return value(evaluation)
        }
    }

    /// A field of evaluations, which may lack it.
    private static func evaluation(
        _ key: String, _ form: Form, _ summary: String,
        _ value: @escaping @Sendable (EvaluationFact) -> String?
    ) -> Self {
        Self(key, form, summary, .texts(ofEvaluation { [value($0) ?? ""] }))
    }

    private static func gap(
        _ key: String, _ form: Form, _ summary: String,
        _ value: @escaping @Sendable (LogGapFact) -> String
    ) -> Self {
        Self(
            key, form, summary,
            .texts {
                guard case .logGap(let fact) = $0 else { return nil }
                return [value(fact)]
            })
    }

    private static func test(
        _ key: String, _ form: Form, _ summary: String,
        _ value: @escaping @Sendable (TestResultFact) -> String
    ) -> Self {
        Self(
            key, form, summary,
            .texts {
                guard case .testResult(let fact) = $0 else { return nil }
                return [value(fact)]
            }
        ).minor
    }

    private static func subject(_ fact: Fact) -> [String]? {
        switch fact {
        case .gate, .logGap, .testResult: nil
        default: [fact.subject ?? ""]
        }
    }

    private static func session(_ fact: Fact) -> [String]? {
        switch fact {
        case .catalog, .logGap: nil
        default: [fact.session?.text ?? ""]
        }
    }

    private static func named(_ fact: Fact) -> [String]? {
        switch fact {
        case .aiSuppressed(let fact): [fact.evaluation.text]
        case .formInference(let fact): [fact.evaluation.text]
        case .testResult(let fact): [fact.evaluation.text]
        default: nil
        }
    }

    /// Names of members, and names with values.
    private static let report = Reading.texts { fact in
        let members: [(name: String, values: [ReportValue])]
        switch fact {
        case .formInference(let fact): members = fact.report.map { ($0.name, [$0.value]) }
        case .catalog(let fact): members = fact.report.map { ($0.name, $0.values) }
        default: return nil
        }
        return members.flatMap { member in
            [member.name] + member.values.map { "\(member.name)=\($0.text)" }
        }
    }
}

extension ReportValue {
    /// As a person reads it.
    var text: String {
        switch self {
        case .text(let text): text
        case .flag(let flag): "\(flag)"
        }
    }
}
