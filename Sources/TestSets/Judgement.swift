// Whether an answer is what it must be, and why not.

package import AirshipCore
package import EvalogFacts

/// What came of one answer.
package struct Judgement: Hashable, Sendable {
    package var verdict: Verdict
    /// Only of ``Verdict/fail``.
    package var failure: TestFailure?
    /// Why, in words; these can hold the answer.
    package var finding: String

    package init(_ verdict: Verdict, _ failure: TestFailure? = nil, finding: String) {
        self.verdict = verdict
        self.failure = failure
        self.finding = finding
    }
}

/// What is to blame where an evaluation came to no valid answer.
package enum Blame: Hashable, Sendable {
    /// Something came, and it was no valid answer.
    case answer
    /// The model cannot be asked this, whoever runs it.
    case question
    /// Whoever runs the model, or the case; whether others get an answer tells which.
    case serverOrCase
    /// Nobody gets an answer until a person has done something.
    case access

    package init(_ error: AirshipAI.ErrorClass) {
        self =
            switch error {
            case .schemaMismatch, .badResponse, .truncated, .refused: .answer
            case .contextOverflow, .unsupportedLanguage: .question
            case .auth, .quota: .access
            case .timeout, .transport, .rateLimited, .clientError, .serverError, .unavailable,
                .modelError, .other:
                .serverOrCase
            }
    }
}

extension TestCase {
    /// Judges an answer that has the case's schema.
    package func judge(_ answer: AirshipJSON) -> Judgement {
        switch rule {
        case .schema: Judgement(.pass, finding: "valid")
        case .exact(let fields):
            Self.judge(fields.filter { !$0.isMet(by: answer) }, .different, in: answer)
        case .class(let field):
            Self.judge([field].filter { !$0.isMet(by: answer) }, .wrongClass, in: answer)
        case .contains(let texts): Self.judge(texts, in: answer)
        }
    }

    /// Judges an evaluation that came to no valid answer. What the model did wrong fails the case; else
    /// there is nothing to judge.
    package static func judge(failedBy error: AirshipAI.ErrorClass) -> Judgement {
        Blame(error) == .answer
            ? Judgement(.fail, .invalid, finding: "no valid answer: \(error.rawValue)")
            : Judgement(.error, finding: "no answer: \(error.rawValue)")
    }

    private static func judge(
        _ unmet: [ExpectedField], _ failure: TestFailure, in answer: AirshipJSON
    ) -> Judgement {
        guard !unmet.isEmpty else { return Judgement(.pass, finding: "as expected") }
        let findings = unmet.map { field in
            "\(field.name) is \(text(answer[field.name])), expected \(text(field.value))"
        }
        return Judgement(.fail, failure, finding: findings.joined(separator: "; "))
    }

    private static func judge(_ texts: [ExpectedFacts], in answer: AirshipJSON) -> Judgement {
        var missing: [String] = []
        var forbidden: [String] = []
        for text in texts {
            let found = FoldedText(answer[text.name]?.string ?? "")
            missing += text.required.filter { !$0.contains(where: found.says) }
                .map { "\(text.name) does not say \"\($0.first ?? "")\"" }
            forbidden += text.forbidden.filter(found.says).map { "\(text.name) says \"\($0)\"" }
        }
        guard !missing.isEmpty || !forbidden.isEmpty else {
            return Judgement(.pass, finding: "says what it must and nothing that it must not")
        }
        // What is false is worse than what is left out.
        return Judgement(
            .fail, forbidden.isEmpty ? .missingFact : .forbiddenFact,
            finding: (forbidden + missing).joined(separator: "; "))
    }

    private static func text(_ value: AirshipJSON?) -> String {
        guard let value else { return "absent" }
        return (try? value.toString()) ?? "no JSON"
    }
}

extension ExpectedField {
    fileprivate func isMet(by answer: AirshipJSON) -> Bool {
        type.matches(answer[name], value)
    }
}
