// Which evaluations a collector takes when a log is read in several passes.

import EvalogFacts
import EvalogText

/// A share of all evaluations. Shares of one kind and count leave none out and have none twice.
enum Admission: Sendable {
    case all
    /// By id: all versions of a fact are in one share, so that the one that stays can be told.
    case ids(part: Int, of: Int)
    /// By usage, subject and session: all evaluations of an impression are in one share. Versions
    /// that do not stay are left out.
    case keys(part: Int, of: Int, Verdicts)
    /// As by key, but with all evaluations of a session in one share.
    case sessions(part: Int, of: Int, Verdicts)

    /// Whether an evaluation is in the share.
    @inline(__always)
    func admits(_ view: borrowing FactView, idHash: UInt64, digest: UInt64) -> Bool {
        switch self {
        case .all: return true
        case .ids(let part, let count): return Self.part(of: idHash, count) == part
        case .keys(let part, let count, let verdicts):
            guard verdicts.stays(view.id, digest) else { return false }
            return Self.part(of: Self.keyHash(view) ?? idHash, count) == part
        case .sessions(let part, let count, let verdicts):
            guard verdicts.stays(view.id, digest) else { return false }
            return Self.part(of: view.session.map(SessionTable.hash) ?? idHash, count) == part
        }
    }

    /// Nil for an evaluation without a key, which is an impression of its own.
    private static func keyHash(_ view: borrowing FactView) -> UInt64? {
        guard let session = view.session, !view.subject.isEmpty else { return nil }
        let names = ByteHash.hash(view.subject, seed: ByteHash.hash(view.usage))
        return ByteHash.hash(high: session.bits.high, low: session.bits.low, salt: names)
    }

    /// The share of a hash by its first bits, which tables do not look at: in a share they are all
    /// alike.
    static func part(of hash: UInt64, _ count: Int) -> Int {
        Int(hash.multipliedFullWidth(by: UInt64(count)).high)
    }
}

/// Which version stays of the evaluations that came in several.
struct Verdicts: Sendable {
    /// The digest of the staying line by id.
    var digests: [UniqueID: UInt64] = [:]

    @inline(__always)
    func stays(_ id: UniqueID, _ digest: UInt64) -> Bool {
        digests[id].map { $0 == digest } ?? true
    }
}
