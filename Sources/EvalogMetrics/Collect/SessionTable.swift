// Sessions by number: 16 bytes and a flag each instead of 36 bytes of text in every row.

import EvalogFacts
import EvalogText

/// Interned sessions. Number 0 is none.
///
/// A session costs 17 bytes and 5 to 10 in the index.
final class SessionTable {
    @exclusivity(unchecked) private var bits = Column<UniqueID>()
    @exclusivity(unchecked) private var digestFlags = Column<Bool>()
    @exclusivity(unchecked) private var index = IndexTable()
    @exclusivity(unchecked) private(set) var count = 1

    init() {
        grow()
    }

    deinit {
        bits.release()
        digestFlags.release()
    }

    var byteCount: Int { count * 17 + index.byteCount }

    @inline(__always)
    func session(_ number: UInt32) -> SessionID {
        SessionID(bits: bits[Int(number)], isDigest: digestFlags[Int(number)])
    }

    /// The session that a hash most likely belongs to; 0 if it looks like a new one.
    @inline(__always)
    func candidate(_ hash: UInt64) -> UInt32 { UInt32(index.candidate(hash: hash) ?? 0) }

    /// The number of a session, which is entered when it is new.
    ///
    /// - Parameter candidate: What is looked at first; 0 if nothing is known.
    @inline(__always)
    func number(of session: SessionID, hash: UInt64, candidate: UInt32 = 0) -> UInt32 {
        if candidate != 0, isSame(Int(candidate), session) { return candidate }
        return find(session, hash)
    }

    /// As ``number(of:hash:candidate:)``; no session has the number 0.
    func number(of session: SessionID?) -> UInt32 {
        guard let session else { return 0 }
        return number(of: session, hash: Self.hash(session))
    }

    @inline(__always)
    private func isSame(_ row: Int, _ session: SessionID) -> Bool {
        bits[row].low == session.bits.low && bits[row].high == session.bits.high
            && digestFlags[row] == session.isDigest
    }

    @inline(never)
    private func find(_ session: SessionID, _ hash: UInt64) -> UInt32 {
        if let row = index.row(hash: hash, where: { isSame($0, session) }) { return UInt32(row) }
        if count == bits.capacity { grow() }
        bits[count] = session.bits
        digestFlags[count] = session.isDigest
        index.insert(count, hash: hash) { Self.hash(self.session(UInt32($0))) }
        count += 1
        return UInt32(count - 1)
    }

    private func grow() {
        bits.grow()
        digestFlags.grow()
    }

    @inline(__always)
    static func hash(_ session: SessionID) -> UInt64 {
        ByteHash.hash(
            high: session.bits.high, low: session.bits.low, salt: session.isDigest ? 1 : 0)
    }
}
