// The ids of a run and its results: functions of what is run, so that a run goes on where it was
// interrupted, and nothing that was done twice counts twice.

package import EvalogText

/// What makes a run the same run.
package struct TestRunIdentity: Sendable {
    private let code: HMACSHA256

    /// - Parameters:
    ///   - key: The log's: what a test set says cannot be guessed from an id.
    ///   - parts: The suite's name and bytes, the model and who answers for it, the device, how often
    ///     each case is asked.
    package init(key: [UInt8], parts: [[UInt8]]) {
        var code = HMACSHA256(key: key)
        Self.add([Array("test run".utf8)] + parts, to: &code)
        self.code = code
    }

    /// The id of the run that comes after so many others of the same.
    package func run(_ ordinal: Int) -> UniqueID { id([String(ordinal)]) }

    /// The id of a result of that run.
    package func result(_ run: UniqueID, _ testCase: String, repetition: Int) -> UniqueID {
        id([run.text, testCase, String(repetition)])
    }

    private func id(_ parts: [String]) -> UniqueID {
        var code = code
        Self.add(parts.map { Array($0.utf8) }, to: &code)
        return .derived(fromDigest: code.finish())
    }

    /// Each part with its length before it, so that no two lists are the same bytes.
    private static func add(_ parts: [[UInt8]], to code: inout HMACSHA256) {
        for part in parts {
            code.update(Array("\(part.count):".utf8))
            code.update(part)
        }
    }
}

/// What is left of a run.
package struct TestPlan: Sendable {
    /// One asking about a case.
    package struct Job: Hashable, Sendable {
        package var testCase: Int
        /// From 1.
        package var repetition: Int
        package var result: UniqueID

        package init(testCase: Int, repetition: Int, result: UniqueID) {
            self.testCase = testCase
            self.repetition = repetition
            self.result = result
        }
    }

    package let run: UniqueID
    package private(set) var jobs: [Job]
    /// Results that the log has already.
    package let doneCount: Int

    private init(run: UniqueID, jobs: [Job], doneCount: Int) {
        self.run = run
        self.jobs = jobs
        self.doneCount = doneCount
    }

    /// Has some cases asked about after all others. Those that got no answer when the run was asked for
    /// before would else stop it again at the same place.
    package mutating func putLast(_ cases: Set<Int>) {
        jobs =
            jobs.filter { !cases.contains($0.testCase) }
            + jobs.filter { cases.contains($0.testCase) }
    }

    /// The newest run of that identity if it is not complete, else a new one. An older one that was left
    /// is not gone on with: its answers are of another time.
    ///
    /// - Parameter isDone: Whether the log has a result of that id.
    package init(
        _ suite: TestSuite, repeats: Int, _ identity: TestRunIdentity,
        isDone: (UniqueID) -> Bool
    ) {
        var ordinal = 0
        var newest: Self?
        while true {
            let run = identity.run(ordinal)
            // Repetitions one after the other: an interrupted run has asked about all cases first.
            let all = (1...max(1, repeats)).flatMap { repetition in
                suite.cases.indices.map { index in
                    Job(
                        testCase: index, repetition: repetition,
                        result: identity.result(
                            run, suite.cases[index].id, repetition: repetition))
                }
            }
            let jobs = all.filter { !isDone($0.result) }
            let plan = Self(run: run, jobs: jobs, doneCount: all.count - jobs.count)
            if plan.doneCount == 0 {
                self = newest.flatMap { $0.jobs.isEmpty ? nil : $0 } ?? plan
                return
            }
            newest = plan
            ordinal += 1
        }
    }
}
