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
    /// - Throws: ``TestSuiteError`` with the first problem of each line.
    package init(name: String, ndjson: some Collection<UInt8>) throws(TestSuiteError) {
        var problems: [TestSuiteError.Problem] = []
        var untoldCount = 0
        var cases: [TestCase] = []
        var lines: [String: Int] = [:]
        var (rest, number) = (ndjson[...], 0)
        while !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest[line.endIndex...].dropFirst()
            number += 1
            if line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { continue }
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
                guard problems.count < TestSetLimits.problemCountMax else {
                    untoldCount += 1
                    continue
                }
                problems.append(.init(line: number, id: error.id, words: error.words))
            }
        }
        if !Shape.testName.fits(name) {
            problems.append(.init(line: nil, words: "the suite's name has to be \(Self.nameForm)"))
        }
        if cases.isEmpty, problems.isEmpty {
            problems.append(.init(line: nil, words: "there is no case in it"))
        }
        guard problems.isEmpty else {
            throw TestSuiteError(problems: problems, untoldCount: untoldCount)
        }
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

/// What is wrong with a file of cases.
package struct TestSuiteError: Error, Equatable {
    package struct Problem: Equatable, Sendable {
        /// From 1; nil where no line is to blame.
        package var line: Int?
        /// The case's, where it has one.
        package var id: String?
        /// Says nothing of the case but its id.
        package var words: String
    }

    /// The first of them; at most ``TestSetLimits/problemCountMax`` of lines.
    package var problems: [Problem]
    /// Further lines with a problem.
    package var untoldCount = 0

    /// All of it, for a person.
    package var words: String {
        let told = problems.map { problem in
            let id = problem.id.map { " (\($0))" } ?? ""
            return problem.line.map { "line \($0)\(id): \(problem.words)" } ?? problem.words
        }
        return (told + (untoldCount > 0 ? ["and \(untoldCount) more"] : []))
            .joined(separator: "; ")
    }
}
