// A test set of 24 cases, and recorded answers of models that get some of them wrong.

import TestSupport

enum TestSetFiles {
    static let caseCount = 24
    /// Stands in questions, answers and what is expected.
    static let marker = "SECRETPARCEL"

    private static func team(_ number: Int) -> String {
        number.isMultiple(of: 2) ? "sales" : "support"
    }

    private static let schema =
        #"{"type":"object","properties":{"team":{"type":"string","enum":["sales","support"]},"why":{"type":"string"}},"required":["team"]}"#

    static let cases = (0..<caseCount).map { number in
        #"{"id":"c\#(number)","task":"sort_mail","instructions":"Pick the team.","#
            + #""schema":\#(schema),"input":"\#(marker) \#(number)","rule":"exact","#
            + #""expected":{"team":"\#(team(number))","why":"\#(marker)"}}"# + "\n"
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
