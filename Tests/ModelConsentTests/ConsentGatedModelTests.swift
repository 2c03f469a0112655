import AirshipCore
import ChatModels
import EvalogFacts
import Foundation
import ModelConsent
import TestSupport
import Testing

@Suite("a model behind a consent", .timeLimit(.minutes(10))) struct ConsentGatedModelTests {
    private let fixture = ConsentFixture()

    private func chat(_ server: StubServer) -> ChatCompletionsModel {
        ChatCompletionsModel(baseURL: server.baseURL, model: "small-model")
    }

    private static let answer = StubReply.http(
        200, body: #"{"choices":[{"finish_reason":"stop","message":{"content":"true"}}]}"#)

    @Test("before a yes nobody connects; after it the record names the provider")
    func nothingBeforeYes() async throws {
        let server = try StubServer(always: Self.answer)
        defer { server.stop() }
        let store = fixture.store()
        let model = ConsentGatedModel(chat(server), terms: notes, store: store)
        let asking = Asking { model }
        for answer in [ConsentAnswer.notAsked, .declined] {
            #expect(store.answer(to: notes) == answer)
            let record = try #require(await asking.ask())
            #expect(record.skipCause == .modelUnavailable(.notEnabled) && record.attempts == 0)
            // Whoever does not look at the availability gets nothing sent either.
            await #expect(throws: CancellationError.self) {
                try await model.respond(Question().request)
            }
            try store.decline(notes)
        }
        #expect(server.connectionCount == 0)
        try store.allow(notes)
        let record = try #require(await asking.ask())
        #expect(record.outcome == .completed(true))
        #expect(record.model == "Example-AI/small-model")
        #expect(server.connectionCount == 1)
    }

    @Test("a withdrawal ends the call that runs; afterwards nobody connects")
    func withdrawal() async throws {
        let (arrived, arrival) = AsyncStream<Void>.makeStream()
        let server = try StubServer { _, _ in
            arrival.yield()
            return .silence
        }
        defer { server.stop() }
        let store = fixture.store()
        try store.allow(notes)
        let model = ConsentGatedModel(chat(server), terms: notes, store: store)
        let asking = Asking { model }
        async let running = asking.ask()
        for await _ in arrived { break }
        try store.decline(notes)
        await server.hungUp()
        let record = try #require(await running)
        #expect(record.isCancelled && record.attempts == 1)
        let next = try #require(await asking.ask())
        #expect(next.skipCause == .modelUnavailable(.notEnabled))
        #expect(server.connectionCount == 1)
    }

    @Test(
        "an answer that comes although its call was cancelled is not used, nor once it is allowed again"
    )
    func lateAnswer() async throws {
        let store = fixture.store()
        try store.allow(notes)
        let calls = Locked(0)
        let probe = Probe { [store] in
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            if number == 1 {
                try store.withdraw(from: notes.provider)
                #expect(Task.isCancelled)
                try store.allow(notes)
            }
            return true
        }
        let model = ConsentGatedModel(probe, terms: notes, store: store)
        let asking = Asking { model }
        let record = try #require(await asking.ask())
        #expect(record.isCancelled && record.attempts == 1)
        #expect(await asking.ask()?.outcome == .completed(true))
        #expect(calls.withLock { $0 } == 2)
    }

    @Test("a withdrawal between two attempts leaves it at the first")
    func betweenAttempts() async throws {
        let store = fixture.store()
        try store.allow(notes)
        let calls = Locked(0)
        // A store of its own, as another process has one.
        let other = fixture.store()
        let probe = Probe {
            calls.withLock { $0 += 1 }
            try other.decline(notes)
            throw CocoaError(.fileReadUnknown)
        }
        let asking = Asking { ConsentGatedModel(probe, terms: notes, store: store) }
        let record = try #require(await asking.ask())
        #expect(record.isCancelled)
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("what another process has withdrawn is noticed before the next call")
    func otherProcess() async throws {
        let store = fixture.store()
        try store.allow(notes)
        let calls = Locked(0)
        let probe = Probe {
            calls.withLock { $0 += 1 }
            return true
        }
        let model = ConsentGatedModel(probe, terms: notes, store: store)
        let asking = Asking { model }
        #expect(await asking.ask()?.outcome == .completed(true))
        try fixture.store().decline(notes)
        // What this process remembers.
        #expect(model.availability == .available)
        #expect(await asking.ask()?.isCancelled == true)
        #expect(model.availability == .unavailable(reason: .notEnabled))
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("the caller's own task goes on after a withdrawal")
    func caller() async throws {
        let store = fixture.store()
        try store.allow(notes)
        let probe = Probe {
            try store.decline(notes)
            return true
        }
        let model = ConsentGatedModel(probe, terms: notes, store: store)
        await #expect(throws: CancellationError.self) {
            try await model.respond(Question().request)
        }
        #expect(!Task.isCancelled)
    }

    @Test("updates follow the answers, without repeats")
    func updates() async throws {
        let store = fixture.store()
        let model = ConsentGatedModel(Probe { true }, terms: notes, store: store)
        var updates = model.availabilityUpdates.makeAsyncIterator()
        #expect(await updates.next() == .unavailable(reason: .notEnabled))
        try store.decline(notes)
        try store.allow(notes)
        #expect(await updates.next() == .available)
        try FileManager.default.removeItem(atPath: fixture.path)
        store.reload()
        #expect(await updates.next() == .unavailable(reason: .notEnabled))
    }

    @Test("a resolver falls back to the device's model for those who say no")
    func fallback() async throws {
        let server = try StubServer(always: Self.answer)
        defer { server.stop() }
        let store = fixture.store()
        let cloud = ConsentGatedModel(chat(server), terms: notes, store: store)
        let device = Probe(label: "device") { false }
        let asking = Asking {
            if cloud.availability == .available { return cloud }
            return device
        }
        try store.decline(notes)
        let onDevice = try #require(await asking.ask())
        #expect(onDevice.model == "device" && onDevice.outcome == .completed(false))
        #expect(server.connectionCount == 0)
        try store.allow(notes)
        #expect(await asking.ask()?.outcome == .completed(true))
    }

    @Test("a label is one that records may have")
    func labels() {
        let store = fixture.store()
        func label(_ provider: String, _ label: String?) -> String? {
            let terms = ConsentTerms(provider: provider, version: "1", sentData: "Text")
            return ConsentGatedModel(Probe(label: label) { true }, terms: terms, store: store).label
        }
        #expect(label("OpenAI", "gpt-4o") == "OpenAI/gpt-4o")
        #expect(label("OpenAI", nil) == "OpenAI")
        #expect(label("Äpfel & Co", "m") == "-pfel---Co/m")
        #expect(label(String(repeating: "p", count: 80), "m")?.utf8.count == 64)
        for provider in ["OpenAI", "Äpfel & Co", "http://x", String(repeating: "é", count: 80)] {
            let isFit = label(provider, "small-model").map { text in
                Array(text.utf8).withUnsafeBytes(Shape.model.fits)
            }
            #expect(isFit == true, "\(provider)")
        }
    }

    @Test("while answers flip, no call begins after a withdrawal but one that is cancelled")
    func flips() async throws {
        let store = fixture.store()
        let isWithdrawn = Locked(true)
        let (begun, uncancelled) = (Locked(0), Locked(0))
        let probe = Probe {
            begun.withLock { $0 += 1 }
            // The flag is set once the withdrawal has returned, and cleared before the next yes.
            if isWithdrawn.withLock({ $0 }), !Task.isCancelled { uncancelled.withLock { $0 += 1 } }
            return true
        }
        let model = ConsentGatedModel(probe, terms: notes, store: store)
        let isOver = Locked(false)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    while !isOver.withLock({ $0 }) {
                        _ = try? await model.respond(Question().request)
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                for _ in 0..<100 {
                    isWithdrawn.withLock { $0 = false }
                    #expect(throws: Never.self) { try store.allow(notes) }
                    let before = begun.withLock { $0 }
                    // So that every round has calls to withdraw.
                    while begun.withLock({ $0 }) == before { await Task.yield() }
                    #expect(throws: Never.self) { try store.decline(notes) }
                    isWithdrawn.withLock { $0 = true }
                    for _ in 0..<20 { await Task.yield() }
                }
                isOver.withLock { $0 = true }
            }
        }
        #expect(begun.withLock { $0 } >= 100)
        #expect(uncancelled.withLock { $0 } == 0)
    }
}
