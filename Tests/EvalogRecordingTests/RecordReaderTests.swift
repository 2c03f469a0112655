// Evaluation records written by others: what is read, what is refused, what is never repeated.

import EvalogFacts
import EvalogRecording
import EvalogText
import Testing

@Suite("RecordReader") struct RecordReaderTests {
    private func read(_ text: String) throws(RecordError) -> ObservedEvaluation {
        let bytes = Array(text.utf8)
        let result = bytes.withUnsafeBytes { line in
            Result { () throws(RecordError) in
                var reader = RecordReader()
                return try reader.read(line)
            }
        }
        return try result.get()
    }

    private func error(_ text: String) -> RecordError? {
        do throws(RecordError) {
            _ = try read(text)
            return nil
        } catch {
            return error
        }
    }

    @Test("a whole record is read in any key order, with white space and escapes")
    func whole() throws {
        let observation = try read(
            """
            { "attempts" : 2 , "outcome":"completed", "output": {"a":[1, 2]}, "us\\u0061ge":"scene_text_input",
              "request":{"context":{"items":[{"priority":-1.5,"content":"x\\n"},{"content":"y"}]},
              "schema":{"type":"object"},"instructions":"Do."}, "duration":1.005, "id":"i", "time":"2026-11-29T10:15:30Z",
              "session":"s","subject":"f","model":"m","os":"iOS 26.1","device":"iPhone17,1","app":"4.2","decoded":false }
            """.replacing("\n", with: " "))
        #expect(observation.usage == "scene_text_input")
        #expect(observation.ending == .completed(output: nil))
        #expect(observation.request.instructions == "Do.")
        #expect(observation.duration == .microseconds(1_005_000))
        #expect(observation.attempts == 2)
        #expect(observation.time == 1_795_947_330_000_000)
        #expect(!observation.isDecoded)
        #expect([observation.id, observation.session, observation.subject] == ["i", "s", "f"])
    }

    @Test(
        "an outcome may be a name, or an object named by it",
        arguments: [
            (
                #""skipped","reason":"no_model""#,
                ObservedEvaluation.Ending.skipped(reason: "no_model", detail: nil)
            ),
            (#"{"skipped":"no_model"}"#, .skipped(reason: "no_model", detail: nil)),
            (#"{"skipped":{"reason":"no_model"}}"#, .skipped(reason: "no_model", detail: nil)),
            (
                #""failed","error":"boom","error_class":"timeout""#,
                .failed(error: "boom", class: "timeout")
            ),
            (#""failed","error":"boom","error_class":"new""#, .failed(error: "boom", class: "new")),
            (#"{"failed":"boom"}"#, .failed(error: "boom", class: nil)),
            (#"{"cancelled":{}}"#, .cancelled), (#""cancelled""#, .cancelled),
            (#""completed""#, .completed(output: nil)),
        ])
    func outcomes(text: String, expected: ObservedEvaluation.Ending) throws {
        let observation = try read(#"{"usage":"u","outcome":\#(text)}"#)
        #expect(observation.ending == expected)
        if case .skipped = expected {
            #expect(observation.attempts == 0)
        } else {
            #expect(observation.attempts == 1)
        }
    }

    @Test(
        "what is missing or wrong is named by its field",
        arguments: [
            (#"{"outcome":"completed"}"#, RecordError.Kind.missing(.usage)),
            (#"{"usage":"u"}"#, .missing(.outcome)),
            (#"{"usage":1,"outcome":"completed"}"#, .badValue(.usage)),
            (#"{"usage":"u","outcome":"done"}"#, .badValue(.outcome)),
            (#"{"usage":"u","outcome":{}}"#, .badValue(.outcome)),
            (#"{"usage":"u","outcome":{"failed":"a","skipped":"b"}}"#, .badValue(.outcome)),
            (#"{"usage":"u","outcome":"completed","time":"today"}"#, .badValue(.time)),
            (#"{"usage":"u","outcome":"completed","duration":{}}"#, .badValue(.duration)),
            (#"{"usage":"u","outcome":["completed"]}"#, .badValue(.outcome)),
            (#"{"usage":"u","outcome":null}"#, .missing(.outcome)),
            (#"{"usage":"u","outcome":"completed","request":[]}"#, .badValue(.request)),
            (
                #"{"usage":"u","outcome":"completed","request":{"context":{"items":[{"priority":1}]}}}"#,
                .badValue(.request)
            ),
            (#"{"usage":"u","usage":"u","outcome":"completed"}"#, .duplicateKey(.usage)),
            (#"{"usage":"u","outcome":"completed","type":"evaluation"}"#, .badValue(.type)),
        ])
    func faults(text: String, expected: RecordError.Kind) {
        #expect(error(text)?.kind == expected)
    }

    @Test(
        "attempts are whole, not negative, and have a limit",
        arguments: ["1e308", "-1", "1.5", "9223372036854775808", "\"3\"", "1000001", "true"])
    func attempts(text: String) {
        #expect(
            error(#"{"usage":"u","outcome":"completed","attempts":\#(text)}"#)?.kind
                == .badValue(.attempts))
    }

    @Test(
        "a duration that cannot be is invalid, and the record still counts",
        arguments: ["-0.25", "1e308", "\"NaN\"", "86400.1", "-0.000001"])
    func invalidDurations(text: String) throws {
        #expect(
            try read(#"{"usage":"u","outcome":"completed","duration":\#(text)}"#).duration
                == .invalid)
    }

    @Test(
        "text that is no JSON object is refused with a place",
        arguments: [
            "", "{", "[]", "null", "{\"usage\":\"u\"", "{\"usage\":\"u\",}", "{\"a\":\u{1}}",
            "{}{}",
        ])
    func notJSON(text: String) {
        switch error(text)?.kind {
        case .notJSON, .notAnObject: break
        default: Issue.record("\(text) was read")
        }
    }

    @Test("a depth of 10,000 is refused, a depth of 500 in an output is carried")
    func depth() throws {
        let deep = { (count: Int) in
            String(repeating: "[", count: count) + String(repeating: "]", count: count)
        }
        let record = { (count: Int) in
            #"{"usage":"u","outcome":"completed","output":\#(deep(count))}"#
        }
        #expect(error(record(10_000))?.kind == .notJSON(.tooDeep))
        _ = try read(record(500))
    }

    @Test("invalid UTF-8 is refused")
    func invalidUTF8() {
        var bytes = Array(#"{"usage":"u","outcome":"completed","subject":"x"}"#.utf8)
        bytes[bytes.count - 3] = 0xFF
        var reader = RecordReader()
        let isRefused = bytes.withUnsafeBytes { (try? reader.read($0)) == nil }
        #expect(isRefused)
    }

    @Test("unknown keys are passed over at every level, and counted")
    func unknownKeys() throws {
        let text =
            #"{"usage":"u","outcome":"completed","new":[1],"request":{"x":1,"context":{"y":{},"items":[{"content":"c","z":0}]}}}"#
        let bytes = Array(text.utf8)
        var reader = RecordReader()
        _ = try bytes.withUnsafeBytes { try reader.read($0) }
        #expect(reader.unknownKeyCount == 4)
    }
}
