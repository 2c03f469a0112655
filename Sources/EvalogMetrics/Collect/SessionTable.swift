// Sessions by number: 16 bytes and a flag each instead of 36 bytes of text in every row.

import EvalogFacts
import EvalogText

/// Interned sessions. Number 0 is none.
///
/// A session costs 17 bytes and 5 to 10 in the index.
final class SessionTable {
    @exclusivity(unchecked) private var highs = Column<UInt64>()
    @exclusivity(unchecked) private var lows = Column<UInt64>()
    @exclusivity(unchecked) private var digestFlags = Column<Bool>()
    @exclusivity(unchecked) private var index = IndexTable()
    @exclusivity(unchecked) private(set) var count = 1

    init() {
        grow()
    }

    deinit {
        highs.release()
        lows.release()
        digestFlags.release()
    }

    var byteCount: Int { count * 17 + index.byteCount }

    func session(_ number: UInt32) -> SessionID {
        let row = Int(number)
        return SessionID(
            bits: UniqueID(high: highs[row], low: lows[row]), isDigest: digestFlags[row])
    }

    func number(of session: SessionID?) -> UInt32 {
        guard let session else { return 0 }
        let hash = Self.hash(session)
        let (highs, lows, digestFlags) = (highs, lows, digestFlags)
        let found = index.row(hash: hash) {
            lows[$0] == session.bits.low && highs[$0] == session.bits.high
                && digestFlags[$0] == session.isDigest
        }
        if let row = found {
            return UInt32(row)
        }
        if count == self.highs.capacity { grow() }
        self.highs[count] = session.bits.high
        self.lows[count] = session.bits.low
        self.digestFlags[count] = session.isDigest
        index.insert(count, hash: hash) { Self.hash(self.session(UInt32($0))) }
        count += 1
        return UInt32(count - 1)
    }

    private func grow() {
        highs.grow()
        lows.grow()
        digestFlags.grow()
    }

    private static func hash(_ session: SessionID) -> UInt64 {
        ByteHash.hash(
            high: session.bits.high, low: session.bits.low, salt: session.isDigest ? 1 : 0)
    }
}
