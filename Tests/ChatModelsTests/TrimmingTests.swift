import AirshipCore
import ChatModels
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TrimmingTests {
    @Test("context is given up beforehand until the request fits its budget")
    func beforehand() async throws {
        let texts = [instructions, try StrictSchema(.boolean()).text]
        let characters = texts.map(\.count).reduce(0, +)
        let tokens = texts.map { ($0.count + 3) / 4 }.reduce(0, +)
        let budgets: [(PromptBudget, String)] = [
            (.unlimited, "abcd"), (.characters(characters + 4), "abcd"),
            (.characters(characters + 2), "ab"), (.characters(characters), ""),
            (.tokens(tokens + 1), "abcd"), (.tokens(tokens), ""),
        ]
        for (budget, prompt) in budgets {
            let transport = ScriptedTransport(ScriptedTransport.answer("true"))
            var options = ChatCompletionsModel.Options()
            options.promptBudget = budget
            _ = try await ChatCompletionsModel(transport, options: options).respond(letters("abcd"))
            #expect(transport.prompts == [prompt])
        }
    }

    @Test("a budget smaller than the instructions is an overflow, unasked")
    func tooSmall() async {
        let transport = ScriptedTransport(ScriptedTransport.answer("true"))
        for budget in [PromptBudget.characters(5), .tokens(0), .characters(-1), .tokens(.min)] {
            var options = ChatCompletionsModel.Options()
            options.promptBudget = budget
            let model = ChatCompletionsModel(transport, options: options)
            #expect(await failure(of: model, asked: letters("ab")) == .contextOverflow)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test("each overflow that the server reports costs one item, the least important first")
    func onOverflow() async throws {
        let transport = ScriptedTransport(
            ScriptedTransport.overflow,
            ScriptedTransport.reply(400, #"{"error":{"code":"context_length_exceeded"}}"#),
            ScriptedTransport.answer("true"))
        let request = letters("cabd")
        #expect(try await ChatCompletionsModel(transport).respond(request) == true)
        #expect(transport.prompts == ["cabd", "cab", "ab"])
        #expect(request.prompt() == "cabd")
    }

    @Test("an overflow with nothing left to give up is an error")
    func nothingLeft() async {
        let transport = ScriptedTransport(ScriptedTransport.overflow)
        let model = ChatCompletionsModel(transport)
        #expect(await failure(of: model, asked: letters("ab")) == .contextOverflow)
        #expect(transport.prompts == ["ab", "a", ""])
    }

    @Test("the evaluator's next attempt starts from the whole context, and the record keeps it")
    func nextAttempt() async {
        let transport = ScriptedTransport(
            ScriptedTransport.overflow, ScriptedTransport.answer("not JSON"),
            ScriptedTransport.answer("{}"))
        let record = await record(
            of: AnyObjectEvaluation(), by: ChatCompletionsModel(transport),
            context: .init(items: [.init(content: "a", priority: 1), .init(content: "b")]))
        #expect(transport.prompts == ["- a\n- b", "- b", "- a\n- b"])
        #expect(record?.attempts == 2)
        #expect(record?.outcome == .completed([:]))
        #expect(record?.request.context.items.count == 2)
    }
}
