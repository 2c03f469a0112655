// The versions of lines whose id was seen with different bytes: how often each came, and when.

import EvalogText

/// What is known about all lines of one (type, id) that have one digest.
struct Claim: BitwiseCopyable {
    var digest: UInt64
    /// The least time among them; `Int64.max` once the tie at that time is settled against it.
    var time: Int64
    var row: UInt32
    var lineCount: UInt32
}

/// All claims, found by row and digest. One costs 24 bytes and 5 to 10 in the index.
final class ClaimTable {
    private var claims = Column<Claim>()
    private var index = IndexTable()
    private(set) var count = 0

    deinit { claims.release() }

    var byteCount: Int { count * MemoryLayout<Claim>.stride + index.byteCount }

    subscript(number: Int) -> Claim { claims[number] }

    /// Counts `lineCount` more lines of this digest for the row.
    func add(row: Int, digest: UInt64, time: Int64, lineCount: UInt32) {
        let hash = Self.hash(row: row, digest: digest)
        let known = index.row(hash: hash) {
            claims[$0].row == UInt32(row) && claims[$0].digest == digest
        }
        if let known {
            let claim = claims[known]
            claims[known] = Claim(
                digest: digest, time: min(claim.time, time), row: claim.row,
                lineCount: claim.lineCount + lineCount)
            return
        }
        if count == claims.capacity { claims.grow() }
        claims[count] = Claim(
            digest: digest, time: time, row: UInt32(row), lineCount: lineCount)
        index.insert(count, hash: hash) {
            Self.hash(row: Int(claims[$0].row), digest: claims[$0].digest)
        }
        count += 1
    }

    /// Lets a claim lose every tie from now on.
    func settle(_ number: Int) {
        var claim = claims[number]
        claim.time = .max
        claims[number] = claim
    }

    private static func hash(row: Int, digest: UInt64) -> UInt64 {
        ByteHash.hash(high: digest, low: UInt64(row), salt: 0)
    }
}
