import AirshipCore
import AirshipFoundationModels
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AirshipFoundationModelTests {
    @Test("a counted prompt is trimmed until 512 tokens are left for the answer")
    func trimsBeforehand() async throws {
        let backend = ScriptedBackend(count: { prompt in
            TokenUse(tokenCount: prompt.count * 100, windowSize: 512 + 250)
        })
        _ = try await AirshipFoundationModel(backend).respond(letters("abcd"))
        #expect(backend.prompts == ["ab"])
    }

    @Test("a prompt that leaves exactly 512 tokens is sent whole", arguments: [(512, 1), (511, 0)])
    func exactFit(room: Int, asked: Int) async throws {
        let backend = ScriptedBackend(count: { _ in
            TokenUse(tokenCount: 100, windowSize: 100 + room)
        })
        _ = try? await AirshipFoundationModel(backend).respond(letters(""))
        #expect(backend.prompts.count == asked)
    }

    @Test("a window smaller than the instructions fails after all context is given up, unasked")
    func windowTooSmall() async {
        let backend = ScriptedBackend(count: { _ in
            TokenUse(tokenCount: .max, windowSize: .max)
        })
        await #expect(throws: FoundationModelError.contextOverflow) {
            try await AirshipFoundationModel(backend).respond(letters("abc"))
        }
        #expect(backend.prompts.isEmpty)
    }

    @Test("tokens that cannot be counted are no reason not to ask")
    func countFails() async throws {
        let backend = ScriptedBackend(count: { _ in throw FoundationModelError.unavailable })
        #expect(try await AirshipFoundationModel(backend).respond(letters("ab")) == true)
        #expect(backend.prompts == ["ab"])
    }

    @Test("each overflow costs one item, the least important first, within one attempt")
    func trimsOnOverflow() async throws {
        let backend = ScriptedBackend(answer: { prompt in
            guard prompt.count <= 2 else { throw FoundationModelError.contextOverflow }
            return true
        })
        let request = letters("cabd")
        _ = try await AirshipFoundationModel(backend).respond(request)
        #expect(backend.prompts == ["cabd", "cab", "ab"])
        #expect(request.prompt() == "cabd")
    }

    @Test("an overflow with nothing left to give up is an error")
    func overflowsForEver() async {
        let backend = ScriptedBackend(answer: { _ in throw FoundationModelError.contextOverflow })
        await #expect(throws: FoundationModelError.contextOverflow) {
            try await AirshipFoundationModel(backend).respond(letters("ab"))
        }
        #expect(backend.prompts == ["ab", "a", ""])
    }

    @Test("any other error ends the attempt at once")
    func otherError() async {
        let backend = ScriptedBackend(answer: { _ in throw FoundationModelError.guardrail })
        await #expect(throws: FoundationModelError.guardrail) {
            try await AirshipFoundationModel(backend).respond(letters("ab"))
        }
        #expect(backend.prompts.count == 1)
    }

    @Test("a backend that cannot be held to a schema is not asked")
    func noGuidedGeneration() async {
        let backend = ScriptedBackend(canGuideGeneration: false)
        await #expect(throws: FoundationModelError.unsupportedSchema) {
            try await AirshipFoundationModel(backend).respond(letters("a"))
        }
        #expect(backend.prompts.isEmpty)
    }

    @Test("three attempts in 30 seconds, and 60 for Private Cloud Compute")
    func defaults() {
        let model = AirshipFoundationModel(ScriptedBackend())
        #expect(model.maxAttempts == 3)
        #expect(model.responseTimeout == 30)
        #expect(FoundationModelDefaults.cloudResponseTimeout == 60)
    }

    @Test("an app's availability replaces the backend's, and is told once")
    func appAvailability() async {
        let backend = ScriptedBackend(availability: .unavailable(reason: .missingModel))
        let plain = AirshipFoundationModel(backend)
        #expect(plain.availability == .unavailable(reason: .missingModel))
        let model = AirshipFoundationModel(
            backend, availability: { .unavailable(reason: .notEnabled) })
        #expect(model.availability == .unavailable(reason: .notEnabled))
        var updates: [AirshipAI.Availability] = []
        for await update in model.availabilityUpdates { updates.append(update) }
        #expect(updates == [.unavailable(reason: .notEnabled)])
    }

    @Test("every state of the system's models maps to the documented reason")
    func readiness() {
        let reasons: [SystemReadiness: AirshipAI.Availability] = [
            .ready: .available,
            .deviceNotEligible: .unavailable(reason: .deviceNotEligible),
            .intelligenceNotEnabled: .unavailable(reason: .notEnabled),
            .modelNotReady: .unavailable(reason: .missingModel),
            .systemNotReady: .unavailable(reason: .missingModel),
            .unknown: .unavailable(reason: .other("unknown system state")),
        ]
        for state in SystemReadiness.allCases {
            #expect(state.availability == reasons[state])
        }
    }
}
