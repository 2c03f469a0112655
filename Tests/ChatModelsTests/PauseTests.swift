import AirshipCore
import ChatModels
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PauseTests {
    private func limited(_ value: String) -> ScriptedTransport.Step {
        ScriptedTransport.reply(429, "", headers: ["Retry-After": value])
    }

    @Test(
        "a pause that fits into the budget is kept, and the question asked again",
        arguments: [429, 503, 500])
    func fits(status: Int) async throws {
        let time = SteppingTime()
        let transport = ScriptedTransport(
            ScriptedTransport.reply(status, "", headers: ["Retry-After": "20"]),
            ScriptedTransport.answer("true"))
        #expect(try await ChatCompletionsModel(transport, time: time).respond(letters("")) == true)
        #expect(time.sleeps == [.seconds(20)])
    }

    @Test("a pause given as a date is kept by the server's clock or by this one's")
    func date() async throws {
        let time = SteppingTime()
        let transport = ScriptedTransport(
            limited("Sun, 06 Nov 1994 08:49:42 GMT"), ScriptedTransport.answer("true"))
        _ = try await ChatCompletionsModel(transport, time: time).respond(letters(""))
        #expect(time.sleeps == [.seconds(5)])
    }

    @Test("a pause that does not fit fails at once, and nobody asks before it is over")
    func doesNotFit() async throws {
        let time = SteppingTime()
        let transport = ScriptedTransport(limited("40"), ScriptedTransport.answer("true"))
        let model = ChatCompletionsModel(transport, time: time)
        for _ in 0..<3 { #expect(await failure(of: model) == .rateLimited) }
        #expect(transport.requests.count == 1)
        #expect(time.sleeps.isEmpty)
        time.advance(by: .seconds(11))
        // Now 29 seconds are left, and they fit into 30.
        #expect(try await model.respond(letters("")) == true)
        #expect(time.sleeps == [.seconds(29)])
        #expect(transport.requests.count == 2)
    }

    @Test("what earlier attempts left of the budget is all that a pause and an answer may take")
    func remaining() async throws {
        let time = SteppingTime()
        let transport = ScriptedTransport(
            limited("20"), limited("10"), ScriptedTransport.answer("true"))
        let model = ChatCompletionsModel(transport, time: time)
        var request = letters("")
        request.remainingBudget = { .seconds(15) }
        #expect(await failure(of: model, asked: request) == .rateLimited)
        #expect(time.sleeps.isEmpty)
        time.advance(by: .seconds(20))
        #expect(try await model.respond(request) == true)
        #expect(time.sleeps == [.seconds(10)])
        #expect(
            transport.requests.map(\.timeout)
                == [15, 15, 5].map { .seconds($0) + ChatLimits.timeoutGrace })
    }

    @Test("what is left of an evaluation's budget never makes a model's own longer")
    func noLonger() async {
        let time = SteppingTime()
        var request = letters("")
        request.remainingBudget = { .seconds(60) }
        let model = ChatCompletionsModel(ScriptedTransport(limited("40")), time: time)
        #expect(await failure(of: model, asked: request) == .rateLimited)
        #expect(time.sleeps.isEmpty)
    }

    @Test("without a pause asked for, the failure is the evaluator's to retry")
    func noPause() async {
        let time = SteppingTime()
        let transport = ScriptedTransport(ScriptedTransport.reply(429, ""))
        #expect(await failure(of: ChatCompletionsModel(transport, time: time)) == .rateLimited)
        #expect(transport.requests.count == 1 && time.sleeps.isEmpty)
    }

    @Test("a server that says `again, at once` for ever is not asked for ever")
    func endless() async {
        let transport = ScriptedTransport(limited("0"))
        #expect(await failure(of: ChatCompletionsModel(transport)) == .rateLimited)
        #expect(transport.requests.count == ChatLimits.pauseCountMax + 1)
    }

    @Test("no pause is kept for what waiting does not cure", arguments: [400, 401, 404, 402])
    func uselessPause(status: Int) async {
        let time = SteppingTime()
        let transport = ScriptedTransport(
            ScriptedTransport.reply(status, "", headers: ["Retry-After": "1"]))
        #expect(await failure(of: ChatCompletionsModel(transport, time: time)) != nil)
        #expect(transport.requests.count == 1 && time.sleeps.isEmpty)
    }

    @Test(
        "budgets that make no sense do not trap",
        arguments: [0, -1, .nan, .infinity, -.infinity, 1e300, 1e-300] as [TimeInterval])
    func budgets(seconds: TimeInterval) async {
        var options = ChatCompletionsModel.Options()
        options.responseTimeout = seconds
        let transport = ScriptedTransport(ScriptedTransport.answer("true"))
        let error = await failure(of: ChatCompletionsModel(transport, options: options))
        #expect(error == (seconds > 1 || seconds.isNaN ? nil : .timedOut))
    }
}
