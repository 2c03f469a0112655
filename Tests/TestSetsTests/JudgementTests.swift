// The rules, and values compared as what they are.

import AirshipCore
import EvalogFacts
import TestSets
import Testing

@Suite("Judging answers") struct JudgementTests {
    private func judged(
        _ answer: String, _ rule: String, _ expected: String, types: String? = nil
    ) throws -> Judgement {
        let testCase = try CaseLines.testCase([
            "rule": "\"\(rule)\"", "expected": expected, "types": types,
        ])
        return testCase.judge(try AirshipJSON.from(json: answer))
    }

    @Test(
        "exact: all named fields are equal, the others do not matter",
        arguments: [
            (#"{"team":"sales","count":3}"#, true),
            (#"{"team":"sales","count":3,"due":"x"}"#, true),
            (#"{"team":"sales","count":4}"#, false), (#"{"team":"sales"}"#, false),
            (#"{"team":"Sales","count":3}"#, false), (#"{"team":"sales","count":"3"}"#, false),
        ])
    func exact(answer: String, passes: Bool) throws {
        let found = try judged(answer, "exact", #"{"team":"sales","count":3}"#)
        #expect(found.verdict == (passes ? .pass : .fail))
        #expect(found.failure == (passes ? nil : .different))
    }

    @Test("a finding names every field that differs, with what came and what was expected")
    func findings() throws {
        let found = try judged(
            #"{"team":"support"}"#, "exact", #"{"team":"sales","count":3}"#)
        #expect(
            found.finding
                == #"count is absent, expected 3; team is "support", expected "sales""#)
        #expect(try judged("{}", "class", #"{"team":"sales"}"#).failure == .wrongClass)
    }

    @Test(
        "an optional field that should not be there may be null or absent",
        arguments: [(#"{"due":null}"#, true), ("{}", true), (#"{"due":"2026-01-01"}"#, false)])
    func optional(answer: String, passes: Bool) throws {
        for types in [nil, #"{"due":"date"}"#] {
            let found = try judged(answer, "exact", #"{"due":null}"#, types: types)
            #expect(found.verdict == (passes ? .pass : .fail))
        }
    }

    @Test(
        "decimals are compared as numbers of any length",
        arguments: [
            ("\"12.50\"", true), ("12.5", true), ("\"+12.5\"", true), ("\"0012.500\"", true),
            ("\"1.25e1\"", true), ("\"1250E-2\"", true), ("\"12.51\"", false), ("\"-12.5\"", false),
            ("\"12,50\"", false), ("\"12.5 EUR\"", false), ("\"\"", false), ("\".5\"", false),
            ("\"12.\"", false), ("\"1e999999999999999999999\"", false), ("true", false),
            ("\"1e-9223372036854775808\"", false), ("null", false),
        ])
    func decimals(value: String, passes: Bool) throws {
        let found = try judged(
            #"{"total":\#(value)}"#, "exact", #"{"total":"12.5"}"#, types: #"{"total":"decimal"}"#)
        #expect((found.verdict == .pass) == passes)
    }

    @Test("a decimal beyond a double's digits is told from its neighbour, and zero from nothing")
    func longDecimals() throws {
        func same(_ left: String, _ right: String) throws -> Bool {
            try judged(
                #"{"total":"\#(left)"}"#, "exact", #"{"total":"\#(right)"}"#,
                types: #"{"total":"decimal"}"#
            ).verdict == .pass
        }
        #expect(try !same("12345678901234567890.01", "12345678901234567890.02"))
        #expect(try same("12345678901234567890.0100", "12345678901234567890.01"))
        #expect(try same("-0.00", "0"))
        #expect(try same("100", "1e2"))
    }

    @Test(
        "dates are compared as days or moments",
        arguments: [
            ("2026-11-29", "2026-11-29", true), ("2026-11-29", "2026-11-30", false),
            ("2026-11-29", "2026-11-29T10:00:00Z", true),
            ("2026-11-29T11:00:00+01:00", "2026-11-29T10:00:00Z", true),
            ("2026-11-29T11:00:00Z", "2026-11-29T10:00:00Z", false),
            ("29.11.2026", "2026-11-29", false), ("2026-11-31", "2026-11-30", false),
        ])
    func dates(answer: String, expected: String, passes: Bool) throws {
        let found = try judged(
            #"{"due":"\#(answer)"}"#, "exact", #"{"due":"\#(expected)"}"#,
            types: #"{"due":"date"}"#)
        #expect((found.verdict == .pass) == passes)
    }

    @Test(
        "contains: every required fact in one of its ways, none that is forbidden, as words of their own",
        arguments: [
            ("The customer wants 12 boxes by  Friday.", nil),
            ("THE CUSTOMER WANTS A DOZEN\\nBOXES by friday", nil),
            ("The customer wants 12 boxes.", TestFailure.missingFact),
            ("The customer wants 2012 boxes by Friday.", .missingFact),
            ("12 boxes by Friday, already paid.", .forbiddenFact),
            ("Already paid.", .forbiddenFact),
            ("", .missingFact),
        ])
    func contains(summary: String, failure: TestFailure?) throws {
        let found = try judged(
            #"{"summary":"\#(summary)"}"#, "contains",
            #"{"summary":{"required":[["12 boxes","a dozen boxes"],"Friday"],"forbidden":["paid"]}}"#
        )
        #expect(found.failure == failure)
        #expect(found.verdict == (failure == nil ? .pass : .fail))
    }

    @Test(
        "contains: a fact is no part of a longer word or number",
        arguments: [
            ("12", "1,200", false), ("1", "1,200", false), ("200", "1,200", false),
            ("1,200", "They want 1,200.", true), ("1,200", "11,200", false),
            ("1,200", "1,200.50", false), ("12", "12.5", false), ("5", "12.5", false),
            ("12", "0.12", false), ("12", "Of 12.", true), ("12", "12, 13 or 14", true),
            ("13", "12, 13 or 14", true), ("12", "-12", true), ("200", "1 200", true),
            ("12", "$12", true), ("12", "12%", true),
            ("12", "12:30", true), ("12", "no.12", true), ("12", "12'000", false),
            ("12", "12’000", false), ("12", "a12", false), ("12", "१२", false),
            ("१", "१.२", false), ("12.", "12.5", false), (".5", "12.5", false),
            ("no. 7", "No. 7 is late", true), ("e", "é", false), ("cafe", "cafés", false),
            ("x", "x\u{302}", false), ("क", "का", false), ("late", "re-late", true),
        ])
    func boundaries(fact: String, text: String, isSaid: Bool) throws {
        let found = try judged(
            #"{"summary":"\#(text)"}"#, "contains", #"{"summary":{"required":["\#(fact)"]}}"#)
        #expect((found.verdict == .pass) == isSaid)
        let forbidding = try judged(
            #"{"summary":"\#(text)"}"#, "contains", #"{"summary":{"forbidden":["\#(fact)"]}}"#)
        #expect((forbidding.failure == .forbiddenFact) == isSaid)
    }

    @Test(
        "contains: letters are the same composed and decomposed, in either case",
        arguments: [
            ("Caf\u{E9}", "cafe\u{301}"), ("M\u{DC}LLER", "mu\u{308}ller"),
            ("\u{1EC7}", "e\u{323}\u{302}"), ("\u{AC00}", "\u{1100}\u{1161}"),
            ("\u{212B}", "a\u{30A}"), ("\u{130}", "i\u{307}"),
            ("e\u{323}\u{302}", "e\u{302}\u{323}"),
        ])
    func normalization(one: String, other: String) throws {
        for (fact, text) in [(one, other), (other, one)] {
            let found = try judged(
                #"{"summary":"The \#(text)."}"#, "contains",
                #"{"summary":{"required":["\#(fact)"]}}"#)
            #expect(found.verdict == .pass)
        }
    }

    @Test("exact: texts of other bytes are others")
    func bytes() throws {
        let found = try judged(
            "{\"due\":\"e\u{301}\"}", "exact", "{\"due\":\"\u{E9}\"}")
        #expect(found.failure == .different)
    }

    @Test("numbers without a type are compared as doubles, decimals in texts digit by digit")
    func doubles() throws {
        let schema = #"{"type":"object","properties":{"sum":{"type":"number"}}}"#
        func same(_ one: String, _ other: String, _ types: String?) throws -> Bool {
            let testCase = try CaseLines.testCase([
                "schema": schema, "rule": "\"exact\"", "expected": #"{"sum":\#(other)}"#,
                "types": types,
            ])
            return testCase.judge(try AirshipJSON.from(json: #"{"sum":\#(one)}"#)).verdict == .pass
        }
        #expect(try same("0.1", "1e-1", nil) && same("3.0", "3", nil))
        #expect(try !same("0.30000000000000004", "0.3", nil))
        // Beyond 15 digits two numbers can be one double, whatever they are compared as.
        #expect(try same("12345678901234567890", "12345678901234567891", nil))
        #expect(
            try same("12345678901234567890", "12345678901234567891", #"{"sum":"decimal"}"#))
    }

    @Test("schema: any valid answer passes")
    func schema() throws {
        let testCase = try CaseLines.testCase(["rule": "\"schema\"", "expected": nil])
        #expect(testCase.judge(.object([:])).verdict == .pass)
    }

    @Test("what the model did wrong fails a case, what others did is an error")
    func withoutAnswer() {
        let failing = AirshipAI.ErrorClass.allCases.filter {
            TestCase.judge(failedBy: $0).verdict == .fail
        }
        #expect(Set(failing) == [.schemaMismatch, .badResponse, .truncated, .refused])
        #expect(TestCase.judge(failedBy: .truncated).failure == .invalid)
        #expect(TestCase.judge(failedBy: .timeout).verdict == .error)
        #expect(TestCase.judge(failedBy: .timeout).failure == nil)
    }

    @Test("each class of failure is laid to the answer, the question, the access, or nobody yet")
    func blame() {
        let found = Dictionary(grouping: AirshipAI.ErrorClass.allCases, by: Blame.init)
            .mapValues(Set.init)
        #expect(found[.answer] == [.schemaMismatch, .badResponse, .truncated, .refused])
        #expect(found[.question] == [.contextOverflow, .unsupportedLanguage])
        #expect(found[.access] == [.auth, .quota])
        #expect(
            found[.serverOrCase] == [
                .timeout, .transport, .rateLimited, .clientError, .serverError, .unavailable,
                .modelError, .other,
            ])
    }
}
