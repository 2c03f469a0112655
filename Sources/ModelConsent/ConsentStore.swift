// The answers in a file, and the calls that are made because of them.

import AirshipCore
public import Foundation

/// Keeps what the user has said, and ends calls when a yes is taken back.
///
/// The file is the truth: what is not in it, or cannot be read, is not allowed. So only what was
/// stored counts as a yes, while a no counts at once. Several processes may share the file; each
/// reads it again before every call of a model.
public final class ConsentStore: Sendable {
    typealias Answers = [ConsentTerms: ConsentAnswer]

    private struct State {
        var stored: Answers = [:]
        /// Declined here, whatever the file still says.
        var refused: Set<ConsentTerms> = []
        var calls: [Int: (terms: ConsentTerms, call: RunningCall)] = [:]
        var callCount = 0

        func answer(to terms: ConsentTerms) -> ConsentAnswer {
            refused.contains(terms) ? .declined : stored[terms] ?? .notAsked
        }

        /// Takes out the calls that may not go on.
        mutating func takeWithdrawn() -> [RunningCall] {
            let withdrawn = calls.filter { answer(to: $0.value.terms) != .allowed }
            for id in withdrawn.keys { calls[id] = nil }
            return withdrawn.values.map(\.call)
        }
    }

    private let file: ConsentFile
    private let state: Locked<State>
    /// Held while the file is read or written and what follows from it is done.
    /// Recursive, because a model may come back for an answer from where it is cancelled.
    private let changing = NSRecursiveLock()
    let change = ChangeSignal()

    /// - Parameter file: Its folder is made where it is missing. Keep it out of backups, where a yes
    ///   would come back that was withdrawn.
    public init(file: URL) {
        self.file = ConsentFile(file)
        state = Locked(State(stored: self.file.readable))
    }

    /// What the user has said to these terms, as far as this process has heard.
    public func answer(to terms: ConsentTerms) -> ConsentAnswer {
        state.withLock { $0.answer(to: terms) }
    }

    /// The user said yes.
    ///
    /// - Throws: ``ConsentStoreError/notStored``; then nothing is allowed that was not before.
    public func allow(_ terms: ConsentTerms) throws(ConsentStoreError) {
        try update(isNo: false) { $0[terms] = .allowed }
    }

    /// The user said no, or takes a yes back.
    ///
    /// Once it has returned no call begins under these terms; those that run are cancelled, and
    /// what they return is not used.
    ///
    /// - Throws: ``ConsentStoreError/notStored`` where another process may still read a yes; in
    ///   this one the no holds all the same.
    public func decline(_ terms: ConsentTerms) throws(ConsentStoreError) {
        try update(isNo: true) { $0[terms] = .declined }
    }

    /// The user wants nothing more to go to that provider, whatever the terms were: as
    /// ``decline(_:)`` for everything that was ever allowed.
    public func withdraw(from provider: String) throws(ConsentStoreError) {
        try update(isNo: true) { answers in
            for terms in answers.keys where terms.provider == provider {
                answers[terms] = .declined
            }
        }
    }

    /// Hears of what other processes have stored, for instance when the app comes to the foreground.
    /// A call of a model does so by itself.
    public func reload() {
        changing.withLock { look() }
    }

    /// Makes the call if it is allowed now, and lets nobody use its answer if that was withdrawn
    /// meanwhile.
    ///
    /// - Throws: `CancellationError` where it is not allowed, or no longer; else what the call throws.
    func run(
        under terms: ConsentTerms, _ call: @escaping @Sendable () async throws -> AirshipJSON
    ) async throws -> AirshipJSON {
        // A task of its own, so that a withdrawal ends nothing of the caller's; a child, so that it
        // runs where the caller's code runs.
        async let answer = withUnsafeCurrentTask { task in
            let running = RunningCall(task)
            // Whoever took it out to cancel it may not have done so yet.
            defer { running.end() }
            guard let id = begin(running, under: terms) else { throw CancellationError() }
            let result: Result<AirshipJSON, any Error>
            do {
                result = .success(try await call())
            } catch {
                result = .failure(error)
            }
            guard end(id) else { throw CancellationError() }
            return try result.get()
        }
        return try await answer
    }

    /// Nil where it is not allowed. One step: a withdrawal comes before it, or finds the call.
    private func begin(_ call: RunningCall, under terms: ConsentTerms) -> Int? {
        changing.withLock {
            look()
            return state.withLock { state in
                guard state.answer(to: terms) == .allowed else { return nil }
                state.callCount += 1
                state.calls[state.callCount] = (terms, call)
                return state.callCount
            }
        }
    }

    /// Whether it was allowed throughout.
    private func end(_ id: Int) -> Bool {
        changing.withLock {
            look()
            return state.withLock { $0.calls.removeValue(forKey: id) != nil }
        }
    }

    /// Only while ``changing`` is held.
    private func look() {
        let found = file.readable
        settle { $0.stored = found }
    }

    /// - Parameter isNo: Then what cannot be stored is at least taken away.
    private func update(
        isNo: Bool, _ body: (inout Answers) -> Void
    ) throws(ConsentStoreError) {
        let isSettled = changing.withLock {
            file.locked {
                let found = try? file.read()
                settle { $0.stored = found ?? [:] }
                var answers = found ?? [:]
                body(&answers)
                let refused = answers.keys.filter {
                    answers[$0] == .declined && found?[$0] != .declined
                }
                // Before the file: a disk that is slow or full must not hold up a no.
                settle { $0.refused.formUnion(refused) }
                if file.replace(by: answers) {
                    settle { state in
                        state.stored = answers
                        state.refused.subtract(answers.keys)
                    }
                    return true
                }
                guard isNo else { return false }
                // What cannot be read may be a yes as well.
                let holdsYes = found?.contains { $1 == .allowed && answers[$0] == .declined }
                guard holdsYes ?? true else { return true }
                guard file.remove() else { return false }
                settle { $0.stored = [:] }
                return true
            }
        }
        if !isSettled { throw .notStored }
    }

    /// Changes the state, ends what is no longer allowed, and tells.
    private func settle(_ body: (inout State) -> Void) {
        let (withdrawn, isChanged) = state.withLock { state in
            let before = (state.stored, state.refused)
            body(&state)
            return (state.takeWithdrawn(), before != (state.stored, state.refused))
        }
        for call in withdrawn { call.cancel() }
        if isChanged { change.tell() }
    }
}

/// A call's task, which others may cancel until it ends.
private final class RunningCall: Sendable {
    /// Unchecked: cancelling is what may be done from elsewhere, and only before ``end()``.
    private struct Reference: @unchecked Sendable {
        let task: UnsafeCurrentTask
    }

    private let reference: Locked<Reference?>

    init(_ task: UnsafeCurrentTask?) {
        reference = Locked(task.map(Reference.init))
    }

    func cancel() { reference.withLock { $0?.task.cancel() } }

    func end() { reference.withLock { $0 = nil } }
}

/// The answers as JSON.
private struct ConsentFile {
    private struct Entry: Codable {
        let terms: ConsentTerms
        let answer: ConsentAnswer
    }

    private struct Document: Codable {
        let v: Int
        let answers: [Entry]
    }

    private let file: AtomicFile

    init(_ url: URL) {
        file = AtomicFile(
            folder: url.deletingLastPathComponent().path(percentEncoded: false),
            name: url.lastPathComponent)
    }

    /// What can be read; nothing is allowed by what cannot.
    var readable: ConsentStore.Answers { (try? read()) ?? [:] }

    func read() throws -> ConsentStore.Answers {
        guard let bytes = try file.read(upTo: ConsentLimits.fileByteMax) else { return [:] }
        let document = try JSONDecoder().decode(Document.self, from: Data(bytes))
        guard document.v == 1 else { throw AtomicFile.Unreadable() }
        return Dictionary(
            document.answers.map { ($0.terms, $0.answer) },
            uniquingKeysWith: { $0 == .allowed ? $1 : $0 })
    }

    func replace(by answers: ConsentStore.Answers) -> Bool {
        let entries = answers.map { Entry(terms: $0.key, answer: $0.value) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(Document(v: 1, answers: entries)),
            bytes.count <= ConsentLimits.fileByteMax
        else { return false }
        return file.replace(by: Array(bytes))
    }

    func remove() -> Bool { file.remove() }

    func locked<Returned>(_ body: () throws -> Returned) rethrows -> Returned {
        try file.locked(body)
    }
}
