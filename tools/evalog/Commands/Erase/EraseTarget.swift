// Whose lines are to be erased, and which lines those are.

import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogRecording
import EvalogText

/// One session, subject or id, in every form in which it may stand in a line.
struct EraseTarget: Sendable {
    enum Kind: String, CaseIterable, Sendable { case session, subject, id }

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

    /// How the flags of commands that reveal content may have named it, or one of its evaluations
    /// and events.
    func filters(_ ids: Set<UniqueID>) -> [String] {
        let own = Set(spellings.map { "--\(kind.rawValue)=\(String(decoding: $0, as: UTF8.self))" })
        return ids.union([id].compactMap(\.self)).reduce(into: Array(own)) {
            $0 += ["--id=\($1.text)", "--evaluation=\($1.text)"]
        }
    }
}

/// Judges lines, one after the other. One for each thread.
final class EraseMatcher: @unchecked Sendable {
    private let target: EraseTarget
    /// Evaluations of the target, known from their facts.
    private let ids: Set<UniqueID>
    private var facts = LineFields<FactField>(
        byteCountMax: FactLimits.lineByteCountMax, loneSurrogates: .replaced)
    private var contents = LineFields<ContentField>(
        byteCountMax: ContentLimits.lineByteCountMax, loneSurrogates: .replaced)
    /// Evaluations and events met in facts of the target.
    private(set) var foundIDs: Set<UniqueID> = []

    init(_ target: EraseTarget, ids: Set<UniqueID> = []) {
        self.target = target
        self.ids = ids
    }

    func fact(_ line: UnsafeRawBufferPointer) -> LineVerdict {
        judge(line) { () throws(LineError<FactField>) in
            try facts.read(line)
            if (try? facts.bool(.erased)) == true { return .erased }
            let id = try facts.id(.id)
            let evaluation = try facts.id(.evaluation)
            let isOwn = matches(
                session: try facts.text(.session), subject: try facts.text(.subject), id: id)
            let isNamed = evaluation.map { ids.contains($0) || $0 == target.id } ?? false
            guard isOwn || isNamed else { return .keep }
            if let id { foundIDs.insert(id) }
            // An event may know its session where the evaluation does not.
            if isOwn, target.kind == .session, let evaluation { foundIDs.insert(evaluation) }
            return .erase
        }
    }

    func content(_ line: UnsafeRawBufferPointer) -> LineVerdict {
        judge(line) { () throws(LineError<ContentField>) in
            try contents.read(line)
            if (try? contents.bool(.erased)) == true { return .erased }
            let isOwn = matches(
                session: try contents.text(.session), subject: try contents.text(.subject),
                id: try contents.id(.id))
            return isOwn ? .erase : .keep
        }
    }

    private func matches(
        session: UnsafeRawBufferPointer?, subject: UnsafeRawBufferPointer?, id: UniqueID?
    ) -> Bool {
        if let id, ids.contains(id) { return true }
        switch target.kind {
        case .session:
            guard let session else { return false }
            return isSpelling(session)
                || (target.session != nil && SessionID(session) == target.session)
        case .subject: return subject.map(isSpelling) ?? false
        case .id: return id != nil && id == target.id
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
