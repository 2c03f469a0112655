import AirshipCore
import Foundation
import Testing

@Suite("text input field") struct TextInputFieldTests {
    static let id = UUID()

    private var field = TextInputField(isRequired: true, hasInference: true)

    /// Edits, passes the pause, and returns the question.
    private mutating func ask(_ text: String) -> [TextInputField.Action] {
        for case .waitIdle(let token) in field.edited(text, isModelAvailable: true) {
            return field.idlePassed(token: token)
        }
        return []
    }

    @Test("text is trimmed, waits for a pause, is pending, and ends valid with the answer")
    mutating func complete() {
        #expect(field.edited("  late order \n", isModelAvailable: true) == [.waitIdle(token: 1)])
        #expect(field.validity == .pending)
        #expect(field.submitted() == .notReady)
        #expect(field.idlePassed(token: 1) == [.ask(token: 1, text: "late order")])
        field.answered(token: 1, evaluation: Self.id, output: ["intent": "delivery"])
        #expect(field.validity == .valid)
        let inference = TextInputField.Inference.complete(
            evaluation: Self.id, output: ["intent": "delivery"])
        #expect(field.inference == inference)
        #expect(field.submitted() == .report(inference, []))
    }

    @Test("empty text is invalid where required, else valid, and never asked about")
    mutating func empty() {
        #expect(field.edited(" ", isModelAvailable: true) == [])
        #expect(field.validity == .invalid)
        var optional = TextInputField(isRequired: false, hasInference: true)
        #expect(optional.edited("\n", isModelAvailable: true) == [])
        #expect(optional.validity == .valid)
        #expect(optional.submitted() == .nothing)
    }

    @Test("without a configuration nothing is asked and there is no inference")
    func unconfigured() {
        var field = TextInputField(isRequired: true, hasInference: false)
        #expect(field.edited("text", isModelAvailable: true) == [])
        #expect(field.validity == .valid)
        #expect(field.inference == nil)
        #expect(field.submitted() == .nothing)
    }

    @Test("newer text cancels the pause and the question of the older, whose answer is dropped")
    mutating func superseded() {
        #expect(ask("one") == [.ask(token: 1, text: "one")])
        #expect(field.edited("two", isModelAvailable: true) == [.cancel, .waitIdle(token: 2)])
        #expect(field.idlePassed(token: 1) == [])
        field.answered(token: 1, evaluation: Self.id, output: ["intent": "old"])
        #expect(field.validity == .pending)
        #expect(field.inference == nil)
    }

    @Test("white space around the text changes nothing: no new pause, no new question")
    mutating func sameTrimmed() {
        _ = field.edited("one", isModelAvailable: true)
        #expect(field.edited("one ", isModelAvailable: true) == [])
        #expect(field.idlePassed(token: 1) == [.ask(token: 1, text: "one")])
        #expect(field.edited(" one", isModelAvailable: true) == [])
        field.answered(token: 1, evaluation: Self.id, output: [:])
        #expect(field.edited("one", isModelAvailable: true) == [])
    }

    @Test("a completed answer is used again when its text comes back")
    mutating func memo() {
        _ = ask("one")
        field.answered(token: 1, evaluation: Self.id, output: ["a": 1])
        #expect(field.edited("two", isModelAvailable: true) == [.waitIdle(token: 2)])
        #expect(field.edited("one", isModelAvailable: true) == [.cancel])
        #expect(field.validity == .valid)
        #expect(field.inference == .complete(evaluation: Self.id, output: ["a": 1]))
    }

    @Test("a failure is not remembered: the same text is asked again")
    mutating func failure() {
        _ = ask("one")
        field.answered(token: 1, evaluation: Self.id, output: nil)
        #expect(field.validity == .valid)
        #expect(field.submitted() == .report(.failed(evaluation: Self.id), []))
        #expect(ask("one") == [.ask(token: 2, text: "one")])
        field.answered(token: 2, evaluation: Self.id, output: ["a": 1])
        #expect(field.inference == .complete(evaluation: Self.id, output: ["a": 1]))
    }

    @Test("with an unavailable model the field is valid at once and its inference failed")
    mutating func unavailable() {
        #expect(field.edited("one", isModelAvailable: false) == [.waitIdle(token: 1)])
        #expect(field.validity == .valid)
        #expect(field.inference == .failed(evaluation: nil))
        #expect(
            field.submitted()
                == .report(.failed(evaluation: nil), [.cancel, .ask(token: 1, text: "one")]))
        #expect(field.submitted() == .report(.failed(evaluation: nil), []))
        #expect(
            field.idlePassed(token: 1) == [], "the pause that was under way asks no second time")
        field.answered(token: 1, evaluation: Self.id, output: nil)
        #expect(field.submitted() == .report(.failed(evaluation: Self.id), []))
    }

    @Test("e-mail addresses and phone numbers allow no inference")
    func kinds() {
        #expect(
            TextInputKind.allCases.filter(\.allowsInference) == [.number, .text, .multiline])
    }
}
