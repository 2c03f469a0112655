// Facts that own their values: what is written, and what tools keep.

package import EvalogText

/// One evaluation: everything that may be known about it outside of the content stream.
///
/// Texts must have their ``Shape``; encoding replaces one that has it not, so that none gets out.
package struct EvaluationFact: Hashable, Sendable {
    package var id: UniqueID
    /// The start, in microseconds since 1970.
    package var time: Int64
    /// The time is that of the import, as none was recorded.
    package var isTimeAssumed = false
    package var usage: String
    package var subject: String?
    package var session: SessionID?
    package var model: String?
    package var os: String?
    package var device: String?
    package var app: String?
    package var outcome: Outcome
    package var reason: SkipReason?
    package var detail: SkipDetail?
    package var error: ErrorClass?
    /// Whole microseconds, 0 to 24 h; nil when absent or invalid.
    package var duration: Int64?
    /// The measured duration was none; excludes ``duration``.
    package var isDurationInvalid = false
    /// 0 to ``FactLimits/attemptsMax``.
    package var attempts: Int32
    /// False: the answer was valid, and the feature could not make sense of it.
    package var isDecoded = true

    package init(id: UniqueID, time: Int64, usage: String, outcome: Outcome, attempts: Int32) {
        self.id = id
        self.time = time
        self.usage = usage
        self.outcome = outcome
        self.attempts = attempts
    }
}

/// A feature did not show something because of an evaluation.
package struct SuppressionFact: Hashable, Sendable {
    package var id: UniqueID
    package var time: Int64
    package var evaluation: UniqueID
    package var subject: String?
    package var session: SessionID?
    package var missBehavior: MissBehavior

    package init(id: UniqueID, time: Int64, evaluation: UniqueID, missBehavior: MissBehavior) {
        self.id = id
        self.time = time
        self.evaluation = evaluation
        self.missBehavior = missBehavior
    }
}

/// A form field was submitted with what an evaluation inferred from it.
package struct FormInferenceFact: Hashable, Sendable {
    package var id: UniqueID
    package var time: Int64
    package var evaluation: UniqueID
    package var subject: String?
    package var session: SessionID?
    package var status: InferenceStatus
    /// What the author opted in to; names all different.
    package var report: [Member] = []

    /// A reported member and what it was.
    package struct Member: Hashable, Sendable {
        package var name: String
        package var value: ReportValue

        package init(name: String, value: ReportValue) {
            self.name = name
            self.value = value
        }
    }

    package init(id: UniqueID, time: Int64, evaluation: UniqueID, status: InferenceStatus) {
        self.id = id
        self.time = time
        self.evaluation = evaluation
        self.status = status
    }
}

/// A value of a report.
package enum ReportValue: Hashable, Sendable {
    case text(String)
    case flag(Bool)
}

/// The values that the reports of one form field may have.
package struct CatalogFact: Hashable, Sendable {
    package var id: UniqueID
    package var time: Int64
    package var subject: String?
    /// Names all different.
    package var report: [Member]

    /// A reported member and all that it can be.
    package struct Member: Hashable, Sendable {
        package var name: String
        package var values: [ReportValue]

        package init(name: String, values: [ReportValue]) {
            self.name = name
            self.values = values
        }
    }

    package init(id: UniqueID, time: Int64, subject: String?, report: [Member]) {
        self.id = id
        self.time = time
        self.subject = subject
        self.report = report
    }
}

/// On-device AI was switched on or off.
package struct GateFact: Hashable, Sendable {
    package var id: UniqueID
    package var time: Int64
    /// In the place of an erased evaluation that was skipped because it was off: it was off for this session,
    /// and nothing is said of others.
    package var session: SessionID?
    package var isOnDeviceAIEnabled: Bool

    package init(id: UniqueID, time: Int64, isOnDeviceAIEnabled: Bool) {
        self.id = id
        self.time = time
        self.isOnDeviceAIEnabled = isOnDeviceAIEnabled
    }
}

/// A writer had to refuse lines.
package struct LogGapFact: Hashable, Sendable {
    package var id: UniqueID
    package var time: Int64
    package var stream: GapStream
    /// When the first line was refused, in microseconds since 1970.
    package var since: Int64
    /// The number of lines, 0 or more.
    package var refused: Int64
    package var cause: GapCause

    package init(
        id: UniqueID, time: Int64, stream: GapStream, since: Int64, refused: Int64, cause: GapCause
    ) {
        self.id = id
        self.time = time
        self.stream = stream
        self.since = since
        self.refused = refused
        self.cause = cause
    }
}

/// One answer to one case of a test set was judged.
package struct TestResultFact: Hashable, Sendable {
    /// That of the evaluations of all test runs, by which figures about ordinary traffic tell them apart.
    package static let usage = "testset"

    package var id: UniqueID
    package var time: Int64
    /// The one that was judged.
    package var evaluation: UniqueID
    /// The run that it belongs to, which is also the session of its evaluations.
    package var session: SessionID?
    package var suite: String
    /// What tells versions of the suite apart: ``Shape/suiteDigest``. Nil where it is not known.
    package var suiteDigest: String?
    package var testCase: String
    package var task: String
    /// The how manieth asking about the case in its run, from 1.
    package var repetition: Int32
    package var verdict: Verdict
    /// Only of ``Verdict/fail``.
    package var failure: TestFailure?

    package init(
        id: UniqueID, time: Int64, evaluation: UniqueID, suite: String, testCase: String,
        task: String, repetition: Int32, verdict: Verdict
    ) {
        self.id = id
        self.time = time
        self.evaluation = evaluation
        self.suite = suite
        self.testCase = testCase
        self.task = task
        self.repetition = repetition
        self.verdict = verdict
    }
}

/// One line of the facts stream.
package enum Fact: Hashable, Sendable {
    case evaluation(EvaluationFact)
    case aiSuppressed(SuppressionFact)
    case formInference(FormInferenceFact)
    case catalog(CatalogFact)
    case gate(GateFact)
    case logGap(LogGapFact)
    case testResult(TestResultFact)

    package var id: UniqueID {
        switch self {
        case .evaluation(let fact): fact.id
        case .aiSuppressed(let fact): fact.id
        case .formInference(let fact): fact.id
        case .catalog(let fact): fact.id
        case .gate(let fact): fact.id
        case .logGap(let fact): fact.id
        case .testResult(let fact): fact.id
        }
    }

    /// Microseconds since 1970.
    package var time: Int64 {
        switch self {
        case .evaluation(let fact): fact.time
        case .aiSuppressed(let fact): fact.time
        case .formInference(let fact): fact.time
        case .catalog(let fact): fact.time
        case .gate(let fact): fact.time
        case .logGap(let fact): fact.time
        case .testResult(let fact): fact.time
        }
    }
}

extension Fact {
    /// The type of its line; never `unknown`.
    package var kind: FactKind {
        switch self {
        case .evaluation: .evaluation
        case .aiSuppressed: .aiSuppressed
        case .formInference: .formInference
        case .catalog: .catalog
        case .gate: .gate
        case .logGap: .logGap
        case .testResult: .testResult
        }
    }

    /// What it is about; kinds without a subject ignore what is set.
    package internal(set) var subject: String? {
        get {
            switch self {
            case .evaluation(let fact): fact.subject
            case .aiSuppressed(let fact): fact.subject
            case .formInference(let fact): fact.subject
            case .catalog(let fact): fact.subject
            case .gate, .logGap, .testResult: nil
            }
        }
        set {
            switch self {
            case .evaluation(var fact):
                fact.subject = newValue
                self = .evaluation(fact)
            case .aiSuppressed(var fact):
                fact.subject = newValue
                self = .aiSuppressed(fact)
            case .formInference(var fact):
                fact.subject = newValue
                self = .formInference(fact)
            case .catalog(var fact):
                fact.subject = newValue
                self = .catalog(fact)
            case .gate, .logGap, .testResult: break
            }
        }
    }

    /// The session it happened in; kinds without one ignore what is set.
    package internal(set) var session: SessionID? {
        get {
            switch self {
            case .evaluation(let fact): fact.session
            case .aiSuppressed(let fact): fact.session
            case .formInference(let fact): fact.session
            case .gate(let fact): fact.session
            case .testResult(let fact): fact.session
            case .catalog, .logGap: nil
            }
        }
        set {
            switch self {
            case .evaluation(var fact):
                fact.session = newValue
                self = .evaluation(fact)
            case .aiSuppressed(var fact):
                fact.session = newValue
                self = .aiSuppressed(fact)
            case .formInference(var fact):
                fact.session = newValue
                self = .formInference(fact)
            case .testResult(var fact):
                fact.session = newValue
                self = .testResult(fact)
            case .gate(var fact):
                fact.session = newValue
                self = .gate(fact)
            case .catalog, .logGap: break
            }
        }
    }
}
