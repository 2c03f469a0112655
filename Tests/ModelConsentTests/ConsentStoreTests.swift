import AirshipCore
import Foundation
import ModelConsent
import TestSupport
import Testing

@Suite("what the user has said") struct ConsentStoreTests {
    private let fixture = ConsentFixture()

    @Test("an answer is read by the next store, and nobody else may read the file")
    func stored() throws {
        let store = fixture.store()
        #expect(store.answer(to: notes) == .notAsked)
        #expect(!FileManager.default.fileExists(atPath: fixture.path))
        try store.allow(notes)
        #expect(store.answer(to: notes) == .allowed)
        #expect(fixture.store().answer(to: notes) == .allowed)
        try store.decline(notes)
        #expect(store.answer(to: notes) == .declined)
        #expect(fixture.store().answer(to: notes) == .declined)
        let mode = try FileManager.default.attributesOfItem(atPath: fixture.path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test("another provider, another version, other data: each is asked anew")
    func otherTerms() throws {
        let store = fixture.store()
        try store.allow(notes)
        let others = [
            ConsentTerms(provider: "Other AI", version: notes.version, sentData: notes.sentData),
            ConsentTerms(provider: notes.provider, version: "2", sentData: notes.sentData),
            ConsentTerms(
                provider: notes.provider, version: notes.version,
                sentData: notes.sentData + ", and photos"),
            // The same letters, cut elsewhere.
            ConsentTerms(
                provider: notes.provider + notes.version, version: "", sentData: notes.sentData),
        ]
        for terms in others { #expect(store.answer(to: terms) == .notAsked) }
        try store.decline(others[0])
        #expect(store.answer(to: notes) == .allowed)
    }

    @Test("a provider that is withdrawn from gets nothing, whatever the terms were; others do")
    func provider() throws {
        let store = fixture.store()
        let second = ConsentTerms(provider: notes.provider, version: "2", sentData: "Photos")
        let other = ConsentTerms(provider: "Other AI", version: "1", sentData: "Photos")
        for terms in [notes, second, other] { try store.allow(terms) }
        try store.withdraw(from: notes.provider)
        for store in [store, fixture.store()] {
            #expect(store.answer(to: notes) == .declined && store.answer(to: second) == .declined)
            #expect(store.answer(to: other) == .allowed)
        }
    }

    @Test(
        "a file that is damaged allows nothing, and a yes is asked for again",
        arguments: [
            "", "{", "null", "[]", "{\"v\":1}", "{\"v\":2,\"answers\":[]}", "\u{0}",
            #"{"v":1,"answers":[{"terms":{"provider":"Example AI","version":"1"},"answer":"allowed"}]}"#,
        ])
    func damaged(text: String) throws {
        let store = fixture.store()
        try store.allow(notes)
        try Data(text.utf8).write(to: URL(filePath: fixture.path))
        #expect(fixture.store().answer(to: notes) == .notAsked)
        store.reload()
        #expect(store.answer(to: notes) == .notAsked)
        try store.allow(notes)
        #expect(fixture.store().answer(to: notes) == .allowed)
    }

    @Test("every prefix of a file, and every file with a byte changed, allows nothing it did not")
    func everyByte() throws {
        let store = fixture.store()
        let declined = ConsentTerms(provider: "Other AI", version: "1", sentData: "Photos")
        try store.allow(notes)
        try store.decline(declined)
        let whole = try Data(contentsOf: URL(filePath: fixture.path))
        for length in 0..<(whole.count - 1) {
            try whole.prefix(length).write(to: URL(filePath: fixture.path))
            #expect(fixture.store().answer(to: notes) == .notAsked, "\(length)")
        }
        for index in whole.indices {
            var damaged = whole
            damaged[index] ^= 1
            try damaged.write(to: URL(filePath: fixture.path))
            #expect(fixture.store().answer(to: declined) != .allowed, "\(index)")
        }
    }

    @Test("a no stands against a yes to the same terms, wherever both are in the file")
    func contradiction() throws {
        let store = fixture.store()
        try store.allow(notes)
        let text = try String(contentsOfFile: fixture.path, encoding: .utf8)
        let entry = try #require(text.firstMatch(of: /\[(.*)\]/)?.1)
        let no = entry.replacing("allowed", with: "declined")
        for both in ["\(entry),\(no)", "\(no),\(entry)"] {
            try text.replacing(entry, with: both)
                .write(toFile: fixture.path, atomically: false, encoding: .utf8)
            #expect(fixture.store().answer(to: notes) == .declined)
        }
    }

    @Test("a file that is too long is none of ours")
    func tooLong() throws {
        let store = fixture.store()
        try store.allow(notes)
        let text = try String(contentsOfFile: fixture.path, encoding: .utf8)
        let spaces = String(repeating: " ", count: ConsentLimits.fileByteMax)
        try (text + spaces).write(toFile: fixture.path, atomically: false, encoding: .utf8)
        #expect(fixture.store().answer(to: notes) == .notAsked)
        let long = ConsentTerms(provider: "Long", version: "1", sentData: spaces)
        #expect(throws: ConsentStoreError.notStored) { try store.allow(long) }
        #expect(store.answer(to: long) == .notAsked)
    }

    @Test("a yes that cannot be stored is none")
    func nowhere() throws {
        let store = ConsentStore(file: URL(filePath: "/dev/null/nowhere/consent.json"))
        #expect(throws: ConsentStoreError.notStored) { try store.allow(notes) }
        #expect(store.answer(to: notes) == .notAsked)
        try store.decline(notes)
        #expect(store.answer(to: notes) == .declined)
    }

    @Test("a no that cannot be written takes the yes away, or says that it could not")
    func noSpace() throws {
        let store = fixture.store()
        try store.allow(notes)
        // In the place of the draft, so that no new file can be written; removing needs none.
        let draft = fixture.scratch.path("made/.consent.json.\(getpid())")
        try FileManager.default.createDirectory(
            atPath: draft, withIntermediateDirectories: false)
        try store.decline(notes)
        #expect(store.answer(to: notes) == .declined)
        #expect(!FileManager.default.fileExists(atPath: fixture.path))
        #expect(fixture.store().answer(to: notes) == .notAsked)
        #expect(throws: ConsentStoreError.notStored) { try store.allow(notes) }
        #expect(store.answer(to: notes) == .declined)
    }

    @Test("what another store of the file has withdrawn holds here at the next look")
    func otherStore() throws {
        let (store, other) = (fixture.store(), fixture.store())
        try store.allow(notes)
        #expect(other.answer(to: notes) == .notAsked)
        other.reload()
        #expect(other.answer(to: notes) == .allowed)
        try other.decline(notes)
        store.reload()
        #expect(store.answer(to: notes) == .declined)
        try other.allow(notes)
        store.reload()
        #expect(store.answer(to: notes) == .allowed)
    }

    @Test("answers that many give at once are all kept")
    func concurrent() async throws {
        let stores = [fixture.store(), fixture.store()]
        let terms = (0..<40).map {
            ConsentTerms(provider: "Provider \($0)", version: "1", sentData: "Text")
        }
        await withTaskGroup(of: Void.self) { group in
            for (number, terms) in terms.enumerated() {
                group.addTask { try? stores[number % 2].allow(terms) }
            }
        }
        let store = fixture.store()
        for terms in terms { #expect(store.answer(to: terms) == .allowed) }
    }
}
