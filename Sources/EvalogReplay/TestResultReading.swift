// The results of test sets with what they judge.

package import EvalogFacts
package import EvalogLog
package import EvalogMetrics
import EvalogText

extension Replay {
    /// Every distinct result of the log with its evaluation, and what the reader knows of the log; a
    /// reading or two.
    ///
    /// Memory grows with the results alone.
    package func testResults() throws -> (results: [TestedEvaluation], report: ReadReport) {
        let reader = RepeatedReading(self, first: nil)
        return (try testResults(reader), reader.first)
    }

    func testResults(_ reader: RepeatedReading) throws -> [TestedEvaluation] {
        let found = try facts(reader) { $0.kind == .testResult }
        var results: [TestResultFact] = []
        for case .testResult(let result) in found { results.append(result) }
        guard !results.isEmpty else { return [] }
        let wanted = Set(results.map(\.evaluation))
        var evaluations: [UniqueID: EvaluationFact] = [:]
        for fact in try facts(reader, where: { $0.kind == .evaluation && wanted.contains($0.id) }) {
            if case .evaluation(let evaluation) = fact { evaluations[evaluation.id] = evaluation }
        }
        return results.map { TestedEvaluation($0, evaluations[$0.evaluation]) }
    }

    /// The subjects of a session's evaluations that failed; one reading.
    package func failedSubjects(of session: SessionID) throws -> [String] {
        let reader = RepeatedReading(self, first: nil)
        let found = try facts(reader) { view in
            view.kind == .evaluation && view.outcome == .failed && view.session == session
        }
        return found.compactMap { fact in
            guard case .evaluation(let evaluation) = fact else { return nil }
            return evaluation.subject
        }
    }

    private func facts(
        _ reader: RepeatedReading, where choose: @escaping @Sendable (borrowing FactView) -> Bool
    ) throws -> [Fact] {
        let receivers = (0..<threads).map { _ in ChosenFacts(choose) }
        try reader.read(into: receivers)
        for other in receivers.dropFirst() { receivers[0].absorb(other) }
        return receivers[0].facts
    }
}
