import AirshipCore
import ChatModels
import Testing

struct ChatAnswerTests {
    @Test(
        "an answer is found bare, in a code fence, between words, after thoughts",
        arguments: [
            #"{"a":1}"#, " \n{\"a\":1}\n", "```json\n{\"a\":1}\n```", "```\r\n{\"a\":1}\r\n```",
            "Here you are:\n```JSON\n{\"a\": 1}\n```\nAnything else?",
            "<think>\nmaybe {\"a\":2}\n</think>\n\n{\"a\":1}",
            "\n<think></think>```json\n{\"a\":1}\n```",
        ])
    func found(content: String) {
        #expect(read(200, completion(content)) == .success(["a": 1]))
    }

    @Test(
        "what is no answer says what it is instead",
        arguments: [
            ("", "stop", .emptyAnswer), (" \n", "stop", .emptyAnswer),
            ("<think>only thoughts", "stop", .emptyAnswer),
            ("The user is not", "stop", .notJSON), (#"{"a":1}{"b":2}"#, "stop", .notJSON),
            (#"{"a":"#, "stop", .notJSON), ("```json\n{\"a\":", "stop", .notJSON),
            (#"{"a":1}"#, "length", .truncated), ("```js", "length", .truncated),
            ("12", "length", .truncated), (#"{"a":1}"#, "max_tokens", .truncated),
            (#"{"a":1}"#, "content_filter", .filtered), ("", "tool_calls", .toolCall),
            ("I cannot help", "refusal", .refused),
        ] as [(String, String, ChatModelError)])
    func notAnAnswer(content: String, finishReason: String, error: ChatModelError) {
        #expect(read(200, completion(content, finishReason: finishReason)) == .failure(error))
    }

    @Test(
        "responses of other shapes say what they are",
        arguments: [
            ("", .malformedResponse), ("<html><body>Sign in</body></html>", .malformedResponse),
            ("null", .malformedResponse), ("[]", .malformedResponse), ("{}", .malformedResponse),
            (#"{"choices":[]}"#, .malformedResponse), (#"{"choices":[{}]}"#, .malformedResponse),
            (#"{"choices":[{"message":"text"}]}"#, .malformedResponse),
            (#"{"choices":[{"message":{}}]}"#, .emptyAnswer),
            (#"{"choices":[{"message":{"content":null}}]}"#, .emptyAnswer),
            (#"{"choices":[{"message":{"content":7}}]}"#, .emptyAnswer),
            (#"{"choices":[{"message":{"content":null,"refusal":"No."}}]}"#, .refused),
            (#"{"choices":[{"message":{"content":null,"tool_calls":[{}]}}]}"#, .toolCall),
            (#"{"choices":[{"message":{"content":"","tool_calls":[{}]}}]}"#, .toolCall),
            (#"{"error":{"code":429,"message":"slow down"}}"#, .rateLimited),
            (#"{"error":"out of memory"}"#, .serverFailed(status: 500)),
            (
                #"{"choices":[{"error":{"code":502},"message":{"content":"{}"}}]}"#,
                .serverFailed(status: 502)
            ),
        ] as [(String, ChatModelError)])
    func shapes(body: String, error: ChatModelError) {
        #expect(read(200, body) == .failure(error))
    }

    @Test("content in parts is the text among them")
    func parts() {
        let body = """
            {"choices":[{"finish_reason":"stop","error":null,"message":{"refusal":"","content":[\
            {"type":"thinking","thinking":[{"type":"text","text":"hm"}]},\
            {"type":"text","text":"{\\"a\\":"},{"type":"text","text":"1}"}]}}]}
            """
        #expect(read(200, body) == .success(["a": 1]))
    }
}
