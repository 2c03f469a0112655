// A case as a question to the evaluator.

package import AirshipCore
import EvalogFacts

/// Asks what a case asks, and takes any valid answer: judging comes later.
package struct TestQuestion: AirshipAI.Evaluation {
    package typealias Subject = TestCase
    package typealias Output = AirshipJSON

    package let subject: TestCase
    package let subjectID: String?

    package init(_ testCase: TestCase, suite: String) {
        subject = testCase
        subjectID = Self.subject(testCase.id, of: suite)
    }

    /// As evaluations name a case of a suite.
    package static func subject(_ testCase: String, of suite: String) -> String {
        "\(suite)/\(testCase)"
    }

    package var usage: AirshipAI.Usage<TestCase> { AirshipAI.Usage(rawValue: TestResultFact.usage) }
    package var schema: AirshipJSONSchema { subject.schema }

    package func instructions() -> String { subject.instructions }

    package func prompt(context: AirshipAI.Context) -> String {
        guard let bullets = context.renderBullets() else { return subject.input }
        return "Context:\n\(bullets)\n\n\(subject.input)"
    }

    package func decode(_ output: AirshipJSON) -> AirshipJSON { output }
}
