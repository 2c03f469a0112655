// Evaluation records as an app with nothing but an observer would write them.

import TestSupport

/// Lines of evaluation records, the same for the same numbers.
enum Records {
    private static let usages = [
        "embedded_selection", "scene_text_input", "in_app_message_suppression", "support_triage",
    ]
    private static let endings = [
        #""outcome":"completed","output":{"answer":"\#(Planted.mark) secret-output"}"#,
        #""outcome":"completed""#,
        #""outcome":"failed","error":"\#(Planted.mark) secret-error happened","error_class":"timeout""#,
        #""outcome":"skipped","reason":"no_context""#, #""outcome":"cancelled""#,
    ]

    /// Record number `number`; records are minutes apart, and some share session and subject.
    static func line(_ number: Int, hasTime: Bool = true) -> String {
        let minute = number * 7
        let time = "2026-11-29T\(two(minute / 60 % 24)):\(two(minute % 60)):00Z"
        let members = [
            #""usage":"\#(usages[number % 4])""#,
            #""request":{"instructions":"\#(Planted.mark) secret-instructions \#(number)","schema":{"type":"object"},"#
                + #""context":{"items":[{"content":"\#(Planted.mark) secret-context","priority":0}]}}"#,
            endings[number % 5], #""duration":0.\#(1000 + number)"#,
            #""attempts":\#(1 + number % 3)"#,
            #""session":"0b54f0ee-9c5d-4d0a-8f52-0000000000\#(two(number / 6))""#,
            #""model":"model-\#(number % 2)""#, #""os":"iOS 26.\#(number % 3)""#,
        ]
        return "{" + (members + (hasTime ? [#""time":"\#(time)""#] : [])).joined(separator: ",")
            + "}"
    }

    /// A file of records.
    static func text(_ numbers: Range<Int>, hasTime: Bool = true) -> String {
        numbers.map { line($0, hasTime: hasTime) + "\n" }.joined()
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
