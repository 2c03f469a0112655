// A file of cases: read as a whole, or refused with all that is wrong with it.

import AirshipCore
import EvalogFacts
import EvalogText

/// The cases of one file, in its order.
package struct TestSuite: Sendable {
    /// Of the shape that facts ask for.
    package let name: String
    package let cases: [TestCase]
    /// Of the file's bytes: tells versions of a suite apart, in logs with different keys as well. Only who
    /// has, or guesses, the whole file can tell that it is its digest.
    package let digest: String

    /// Reads NDJSON as `schemas/test-case-v1.schema.json` has it; empty lines are passed over.
    ///
    /// - Throws: ``TestSuiteError`` with every problem of every line.
    package init(name: String, ndjson: some Collection<UInt8>) throws(TestSuiteError) {
        var problems: [TestSuiteError.Problem] = []
        var cases: [TestCase] = []
        var lines: [String: Int] = [:]
        for (index, line) in ndjson.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
        ).enumerated() where !line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) {
            let number = index + 1
            do throws(CaseProblem) {
                let testCase = try TestCase(line: line)
                if let first = lines.updateValue(number, forKey: testCase.id) {
                    lines[testCase.id] = first
                    throw CaseProblem("the id \(testCase.id) stands in line \(first) already")
                }
                guard cases.count < TestSetLimits.caseCountMax else {
                    throw CaseProblem("no more than \(TestSetLimits.caseCountMax) cases are taken")
                }
                cases.append(testCase)
            } catch {
                problems.append(.init(line: number, words: error.words))
            }
        }
        if !Shape.testName.fits(name) {
            problems.append(.init(line: nil, words: "the suite's name has to be \(Self.nameForm)"))
        }
        if cases.isEmpty, problems.isEmpty {
            problems.append(.init(line: nil, words: "there is no case in it"))
        }
        guard problems.isEmpty else { throw TestSuiteError(problems: problems) }
        self.name = name
        self.cases = cases
        digest = String(
            SHA256.text(of: Array(ndjson)).prefix(FactLimits.suiteDigestByteCount))
    }

    /// What is a name of a suite or a case, in words.
    package static let nameForm =
        "1 to \(FactLimits.testNameByteCountMax) letters, digits, dots, hyphens or underscores"

    /// Tasks with the number of their cases, by name.
    package var tasks: [(name: String, caseCount: Int)] {
        Dictionary(grouping: cases, by: \.task).map { ($0.key, $0.value.count) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Where the suite is not what practice asks for, in words.
    package var warnings: [String] {
        let usual = TestSetLimits.usualCaseCount
        return tasks.filter { !usual.contains($0.caseCount) }.map { task in
            let range = "\(usual.lowerBound) to \(usual.upperBound) are usual"
            let what = "the task \(task.name) has \(task.caseCount) cases, \(range)"
            return task.caseCount < usual.lowerBound
                ? "\(what): a pass rate of so few says little" : what
        }
    }
}

/// All that is wrong with a file of cases.
package struct TestSuiteError: Error, Equatable {
    package struct Problem: Equatable, Sendable {
        /// From 1; nil where no line is to blame.
        package var line: Int?
        /// Names fields, never what they hold.
        package var words: String
    }

    package var problems: [Problem]

    /// The first of them, for a person.
    package var words: String {
        let told = problems.prefix(TestSetLimits.problemCountMax).map { problem in
            problem.line.map { "line \($0): \(problem.words)" } ?? problem.words
        }
        let rest = problems.count - told.count
        return (told + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: "; ")
    }
}
