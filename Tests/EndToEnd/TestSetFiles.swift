// A test set of 24 cases, and recorded answers of models that get some of them wrong.

import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

enum TestSetFiles {
    static let caseCount = 24
    /// Stands in questions, answers and what is expected.
    static let marker = "SECRETPARCEL"

    private static func team(_ number: Int) -> String {
        number.isMultiple(of: 2) ? "sales" : "support"
    }

    /// The case that a question is about.
    static func number(in question: String) -> Int? {
        question.firstRange(of: "\(marker) ").flatMap { range in
            Int(question[range.upperBound...].prefix { $0.isASCII && $0.isNumber })
        }
    }

    /// What is expected of a case.
    static func answer(_ number: Int) -> String {
        #"{"team":"\#(team(number))","why":"\#(marker)"}"#
    }

    private static let schema =
        #"{"type":"object","properties":{"team":{"type":"string","enum":["sales","support"]},"why":{"type":"string"}},"required":["team"]}"#

    static let cases = (0..<caseCount).map { number in
        #"{"id":"c\#(number)","task":"sort_mail","instructions":"Pick the team.","#
            + #""schema":\#(schema),"input":"\#(marker) \#(number)","rule":"exact","#
            + #""expected":\#(answer(number))}"# + "\n"
    }.joined()

    /// - Parameters:
    ///   - wrong: Numbers of cases that the model gets wrong.
    ///   - seconds: How long each answer takes.
    static func answers(
        model: String, wrong: Set<Int> = [], seconds: Double = 0.001
    ) -> String {
        (0..<caseCount).map { number in
            let team = wrong.contains(number) ? team(number + 1) : team(number)
            return
                #"{"usage":"any","subject":"c\#(number)","model":"\#(model)","outcome":"completed","#
                + #""output":{"team":"\#(team)","why":"\#(marker)"},"duration":\#(seconds),"#
                + #""attempts":1}"# + "\n"
        }.joined()
    }

    /// Writes `cases`, and `answers` of a model `good` that gets two of them wrong.
    static func write(to fixture: CommandFixture) throws {
        try Files.write(cases, to: fixture.path("cases"))
        try Files.write(answers(model: "good", wrong: [3, 4]), to: fixture.path("answers"))
    }
}

extension CommandFixture {
    /// Waits until a run has logged so many results; false if it ends before.
    func results(of running: RunningProgram, reach count: Int) throws -> Bool {
        while true {
            let isRunning = running.isRunning
            let found = try factLines().count { $0.contains("\"test_result\"") }
            if found >= count { return true }
            guard isRunning else { return false }
            usleep(10_000)
        }
    }
}
