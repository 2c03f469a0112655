// Whose lines are to be erased, and which lines those are.

import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogRecording
import EvalogText

/// One session, subject or id, in every form in which it may stand in a line.
struct EraseTarget: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case session, subject, id

        /// Why no line can hold a text as it is, by the rules of all commands; nil where one can.
        func misfit(_ text: String) -> CommandFailure? {
            do throws(CommandFailure) {
                switch self {
                case .session: _ = try FilterField.session(text)
                case .subject: _ = try FilterField.subject(text)
                case .id: _ = try FilterField.id(text, "--id")
                }
                return nil
            } catch {
                return error
            }
        }
    }

    let kind: Kind
    /// As the person gave it.
    let text: String
    /// Nil unless the kind is `session`, or the text is no session and there is no key.
    private(set) var session: SessionID?
    /// Nil unless the kind is `id`.
    private(set) var id: UniqueID?
    /// The text and the digest that stands for it, as bytes.
    private(set) var spellings: [[UInt8]]

    /// - Parameter key: The log's key; without one the log holds no digests.
    init(_ kind: Kind, _ text: String, key: [UInt8]?) {
        self.kind = kind
        self.text = text
        var shaper = key.map { Shaper(key: $0) }
        var spellings = [text]
        switch kind {
        case .session:
            var copy = text
            session =
                copy.withUTF8 { SessionID(UnsafeRawBufferPointer($0)) } ?? shaper?.session(text)
            if let session { spellings.append(session.text) }
        case .subject:
            if let subject = shaper?.subject(text) { spellings.append(subject) }
        case .id:
            var reducer = FactReducer(key: key)
            id = reducer.identified(text)
            if let id { spellings.append(id.text) }
        }
        self.spellings = Set(spellings).sorted().map { Array($0.utf8) }
    }

    /// What stands for it where it must not be named.
    func digest(key: [UInt8]?) -> String {
        var code = HMACSHA256(key: key ?? [])
        code.update(Array("\(kind.rawValue)=\(session?.text ?? id?.text ?? text)".utf8))
        return UniqueID.leading(bytesOf: code.finish()).text
    }

    /// How the flags of commands that reveal content may have named it, or one of its evaluations
    /// and events.
    func filters(_ ids: Set<UniqueID>) -> [String] {
        let own = Set(spellings.map { "--\(kind.rawValue)=\(String(decoding: $0, as: UTF8.self))" })
        return ids.union([id].compactMap(\.self)).reduce(into: Array(own)) {
            $0 += ["--id=\($1.text)", "--evaluation=\($1.text)"]
        }
    }
}

/// What the facts of a target are called, and who else they name.
struct EraseIDs: Sendable {
    /// Evaluations and events of the target.
    var own: Set<UniqueID> = []
    /// Evaluations that events of a session name. An event takes its session when it is reported, an
    /// evaluation when it starts: it may be of another session, or know none.
    var named: Set<UniqueID> = []
    /// Named ones that are of another session.
    var others: Set<UniqueID> = []

    /// All that goes.
    var all: Set<UniqueID> { own.union(named.subtracting(others)) }

    mutating func formUnion(_ other: Self) {
        own.formUnion(other.own)
        named.formUnion(other.named)
        others.formUnion(other.others)
    }
}

/// Judges lines, one after the other. One for each thread.
final class EraseMatcher: @unchecked Sendable {
    private let target: EraseTarget
    /// Evaluations and events that go, known from their facts.
    private let ids: Set<UniqueID>
    private var facts = LineFields<FactField>(
        byteCountMax: FactLimits.lineByteCountMax, loneSurrogates: .replaced)
    private var contents = LineFields<ContentField>(
        byteCountMax: ContentLimits.lineByteCountMax, loneSurrogates: .replaced)
    private var decoder = FactDecoder()
    /// Met in facts.
    private(set) var found = EraseIDs()

    init(_ target: EraseTarget, ids: Set<UniqueID> = []) {
        self.target = target
        self.ids = ids
    }

    /// What becomes of a fact line.
    ///
    /// The target's own facts go last, for others are known by them alone: evaluations and events that
    /// they name, and events that name them.
    func fact(_ line: UnsafeRawBufferPointer) -> LineVerdict {
        judge(line) { () throws(LineError<FactField>) in
            try facts.read(line)
            if (try? facts.bool(.erased)) == true { return .erased }
            let id = try facts.id(.id)
            let kind = try facts.name(.type, of: FactKind.self)
            // Of nobody, and what it holds back would leave without it; but for one that tells of a session.
            if kind == .gate || kind == .logGap {
                return isOwn(session: try facts.text(.session), subject: nil) ? .eraseLast : .keep
            }
            if id != nil, id == target.id { return .erase }
            // A catalog says what a form may report, and nothing of anybody; nobody would write
            // it again.
            if kind == .catalog { return .keep }
            if isOwn(session: try facts.text(.session), subject: try facts.text(.subject)) {
                return .eraseLast
            }
            let evaluation = try facts.id(.evaluation)
            let isKnown = [id, evaluation].contains { $0.map(ids.contains) ?? false }
            return isKnown || (evaluation != nil && evaluation == target.id) ? .erase : .keep
        }
    }

    /// What stands in for a fact line: one that no report could read may have told anything, and one of what
    /// is no session told of the gate.
    func tombstone(_ line: UnsafeRawBufferPointer) -> Tombstone {
        do {
            return try decoder.decode(line).tellsOfWholeGate ? .unread : .plain
        } catch {
            return .unread
        }
    }

    func content(_ line: UnsafeRawBufferPointer) -> LineVerdict {
        judge(line) { () throws(LineError<ContentField>) in
            try contents.read(line)
            if (try? contents.bool(.erased)) == true { return .erased }
            let id = try contents.id(.id)
            let isKnown = id.map { ids.contains($0) || $0 == target.id } ?? false
            let isOwn = isOwn(
                session: try contents.text(.session), subject: try contents.text(.subject))
            return isKnown || isOwn ? .erase : .keep
        }
    }

    /// Takes note of the ids in a fact line.
    func note(_ line: UnsafeRawBufferPointer) {
        guard (try? facts.read(line)) != nil, let id = try? facts.id(.id) else { return }
        let (session, subject) = (try? facts.text(.session), try? facts.text(.subject))
        if isOwn(session: session, subject: subject) {
            found.own.insert(id)
            if target.kind == .session, let evaluation = try? facts.id(.evaluation) {
                found.named.insert(evaluation)
            }
        } else if ids.contains(id), session != nil {
            found.others.insert(id)
        }
    }

    private func isOwn(
        session: UnsafeRawBufferPointer?, subject: UnsafeRawBufferPointer?
    ) -> Bool {
        switch target.kind {
        case .session:
            guard let session else { return false }
            return isSpelling(session)
                || (target.session != nil && SessionID(session) == target.session)
        case .subject: return subject.map(isSpelling) ?? false
        case .id: return false
        }
    }

    private func isSpelling(_ text: UnsafeRawBufferPointer) -> Bool {
        target.spellings.contains { text.elementsEqual($0) }
    }

    /// A line that cannot be read is the target's where it has the text between quotes.
    private func judge<Field>(
        _ line: UnsafeRawBufferPointer, _ body: () throws(LineError<Field>) -> LineVerdict
    ) -> LineVerdict {
        do {
            return try body()
        } catch {
            return target.spellings.contains { Self.quotes($0, in: line) } ? .erase : .keep
        }
    }

    private static func quotes(_ text: [UInt8], in line: UnsafeRawBufferPointer) -> Bool {
        let quoted = [UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")]
        var rest = line[...]
        while let quote = rest.firstIndex(of: quoted[0]) {
            if rest[quote...].starts(with: quoted) { return true }
            rest = rest[(quote + 1)...]
        }
        return false
    }
}
