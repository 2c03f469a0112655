// Records to erase, each with its own words in its content.

import TestSupport
import Testing

/// Records of sessions whose content can be told apart.
enum EraseLines {
    /// Record `number` of a session, whose content holds `planted <number>.`.
    static func record(
        _ number: Int, session: String?, subject: String? = nil, id: String? = nil
    ) -> String {
        var members = [
            #""usage":"mood","request":{"instructions":"planted \#(number).","schema":{}}"#,
            #""outcome":"completed","output":{"n":\#(number)},"duration":0.1,"attempts":1"#,
            #""time":"2026-11-29T10:\#(number < 10 ? "0" : "")\#(number):00Z""#,
        ]
        if let session { members.append(#""session":"\#(session)""#) }
        if let subject { members.append(#""subject":"\#(subject)""#) }
        if let id { members.append(#""id":"\#(id)""#) }
        return "{" + members.joined(separator: ",") + "}\n"
    }

    static func session(_ number: Int) -> String {
        "0b54f0ee-9c5d-4d0a-8f52-00000000000\(number)"
    }

    static let ids = (0..<10).map { "0193f0a0-0000-7000-8000-00000000000\($0)" }

    /// Forty records of four sessions, ten each and mixed; session 3 is no UUID.
    static func records(but left: Int? = nil) -> String {
        (0..<40).filter { $0 % 4 != left }.map { number in
            record(
                number, session: number % 4 == 3 ? "anna@example" : session(number % 4),
                subject: number % 2 == 0 ? "banner \(number % 4)" : nil)
        }.joined()
    }

    static func event(
        _ number: Int, of evaluation: String, session: String? = nil
    ) -> String {
        #"{"v":1,"type":"ai_suppressed","id":"00000000-0000-4000-8000-0000000000a\#(number)","#
            + #""time":"2026-11-29T11:00:00Z","evaluation":"\#(evaluation)","#
            + (session.map { #""session":"\#($0)","# } ?? "") + #""miss_behavior":"skip"}"# + "\n"
    }

    /// The numbers of ``records(but:)`` that are not of a session.
    static func rest(_ session: Int) -> Set<Int> { Set((0..<40).filter { $0 % 4 != session }) }
}

extension CommandFixture {
    /// A fixture whose log has records and all of their content.
    static func erasable(_ text: String = EraseLines.records()) throws -> CommandFixture {
        let fixture = CommandFixture()
        let run = try fixture.evalog(
            "import", "--content", "all", "--source", "s", "-", input: Array(text.utf8))
        #expect(run.status == 0)
        return fixture
    }

    /// The numbers of the records whose content is in the files.
    func planted() throws -> Set<Int> {
        let text = try text(of: "content")
        return Set((0..<60).filter { text.contains("planted \($0).") })
    }
}
