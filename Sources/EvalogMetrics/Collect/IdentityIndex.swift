// Finds the row of a (type, id): what duplicates are found by.

import EvalogFacts
import EvalogText

/// The rows of a store by the type and id of their facts.
///
/// It is cut into sixteen tables: each grows alone, so that at most a sixteenth is ever there twice.
final class IdentityIndex {
    private static let shardCount = 16

    private let records: RecordStore
    private let shards: UnsafeMutablePointer<IndexTable>

    init(records: RecordStore) {
        self.records = records
        shards = .allocate(capacity: Self.shardCount)
        for shard in 0..<Self.shardCount { (shards + shard).initialize(to: IndexTable()) }
    }

    deinit {
        shards.deinitialize(count: Self.shardCount)
        shards.deallocate()
    }

    /// Forgets all rows, and gives their memory back.
    func release() {
        for shard in 0..<Self.shardCount { shards[shard] = IndexTable() }
    }

    var byteCount: Int {
        (0..<Self.shardCount).reduce(0) { $0 + shards[$1].byteCount }
    }

    /// Distinct (type, id).
    var count: Int {
        (0..<Self.shardCount).reduce(0) { $0 + shards[$1].count }
    }

    /// The table of a hash, by bits of their own: the first ones choose the part of a log
    /// (``Admission``), those below 36 the slot (``IndexTable``).
    @inline(__always)
    static func shard(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash >> 36) & (shardCount - 1)
    }

    static func hash(_ id: UniqueID, kind: UInt8) -> UInt64 {
        ByteHash.hash(high: id.high, low: id.low, salt: UInt64(kind))
    }

    @inline(__always)
    func row(of id: UniqueID, kind: UInt8, hash: UInt64) -> Int? {
        let records = records
        return shards[Self.shard(hash)].row(hash: hash) { row in
            records.idLows[row] == id.low && records.idHighs[row] == id.high
                && records.bits[row].code.kind == kind
        }
    }

    /// The evaluation with this id.
    func evaluation(_ id: UniqueID) -> Int? {
        row(of: id, kind: 0, hash: Self.hash(id, kind: 0))
    }

    @inline(__always)
    func insert(_ row: Int, hash: UInt64) {
        let records = records
        shards[Self.shard(hash)].insert(row, hash: hash) { row in
            Self.hash(
                UniqueID(high: records.idHighs[row], low: records.idLows[row]),
                kind: records.bits[row].code.kind)
        }
    }
}
