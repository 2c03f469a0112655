// A log, and a name of it, that try to steer the terminal of whoever looks at them.

import EvalogContent
import EvalogLog
import EvalogText

enum HostileLog {
    /// Sequences that set a title, clear the screen, move the cursor, turn the direction of writing.
    static let text = #"\u001b]0;title\u0007\u009b31m\r\n\u007f"# + "\u{9B}2J\u{202E}\u{2028}"
    static let id = "01a22060-ffa8-77eb-887e-ee36c6edff4e"
    static let session = "0b54f0ee-9c5d-4d0a-8f52-000000000001"

    private static let event = #""time":"2026-11-29T10:00:00Z","evaluation":"\#(id)""#
    private static let facts = [
        #"{"v":1,"type":"evaluation","id":"\#(id)","time":"2026-11-29T10:00:00Z","#
            + #""usage":"TEXT","subject":"TEXT","session":"\#(session)","model":"TEXT","os":"TEXT","device":"TEXT","#
            + #""app":"TEXT","outcome":"failed","error":"TEXT","duration_us":5,"attempts":1,"TEXT":1}"#,
        #"{"v":1,"type":"evaluation","id":"\#(id)","time":"2026-11-29T10:00:01Z","#
            + #""usage":"u","subject":"TEXT","outcome":"skipped","reason":"TEXT","attempts":0,"TEXT":"TEXT"}"#,
        #"{"v":1,"type":"ai_suppressed","id":"01a22060-ffa8-77eb-887e-ee36c6edff41",\#(event),"#
            + #""subject":"TEXT","session":"TEXT","miss_behavior":"skip"}"#,
        #"{"v":1,"type":"form_inference","id":"01a22060-ffa8-77eb-887e-ee36c6edff42",\#(event),"#
            + #""subject":"TEXT","status":"success","report":{"TEXT":"TEXT"}}"#,
        #"{"v":1,"type":"catalog","id":"01a22060-ffa8-77eb-887e-ee36c6edff43",\#(event),"subject":"TEXT","#
            + #""report":{"TEXT":["TEXT"]}}"#,
        #"{"v":1,"type":"TEXT","id":"01a22060-ffa8-77eb-887e-ee36c6edff44",\#(event)}"#,
        "\u{1B}[31mnot JSON",
    ]
    private static let content = [
        #"{"v":1,"id":"\#(id)","time":"2026-11-29T10:00:00Z","session":"\#(session)","subject":"TEXT","#
            + #""instructions":"TEXT","schema":{"TEXT":1},"context":[{"content":"TEXT","priority":0}],"error":"TEXT"}"#,
        "\u{1B}[31mnot JSON",
    ]

    static func make() throws -> CommandFixture {
        let fixture = CommandFixture()
        let writer = try LogWriter(fixture.directory)
        for (lines, stream) in [(facts, LogStream.facts), (content, ContentAccess.stream)] {
            for line in lines {
                _ = writer.append(
                    Array(line.replacing("TEXT", with: text).utf8), to: stream, eventTime: 0)
            }
        }
        try writer.close()
        try fixture.shell("touch \"log/facts/$(printf 'a\\033[31m\\302\\233b\\nc')\"")
        return fixture
    }

    /// Whether a terminal would do more with it than show it and begin new lines.
    static func steers(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.isControl && $0 != "\n" }
    }
}
