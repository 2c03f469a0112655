// Finds the row of a (type, id): what duplicates are found by.

import EvalogFacts
import EvalogText

/// The rows of a store by the type and id of their facts.
///
/// It is cut into sixteen tables, so that several threads can fill it: one for each table.
final class IdentityIndex {
    static let shardCount = 16

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

    @inline(__always)
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

    /// What is at the place where a hash would be looked for; reading it brings the place near.
    @inline(__always)
    func entry(at hash: UInt64) -> UInt32 { shards[Self.shard(hash)].entry(at: hash) }

    /// Enters a row for which there is room (``makeRoom(for:)``).
    @inline(__always)
    func insert(_ row: Int, hash: UInt64) {
        shards[Self.shard(hash)].insert(row, hash: hash)
    }

    /// Makes sure that so many rows more can be entered, wherever they belong.
    func makeRoom(forAny rowCount: Int) {
        guard (0..<Self.shardCount).contains(where: { !shards[$0].hasRoom(for: rowCount) })
        else { return }
        // Tables of a good hash fill alike: one walk over the rows serves all of them.
        refill(.max) { shards[$0].count * 2 + rowCount }
    }

    /// Makes room for about so many rows more, if their hashes are spread as they should be.
    func makeRoom(for rowCount: Int) {
        let share = rowCount / Self.shardCount + rowCount / 256
        guard !shards[0].hasRoom(for: share) else { return }
        refill(.max) { shards[$0].count + share }
    }

    /// Makes sure that all rows of another index can be entered.
    func makeRoom(for other: IdentityIndex) {
        var full: UInt32 = 0
        for shard in 0..<Self.shardCount
        where !shards[shard].hasRoom(for: other.shards[shard].count) {
            full |= 1 << UInt32(shard)
        }
        if full != 0 { refill(full) { shards[$0].count + other.shards[$0].count } }
    }

    /// Enters all rows of some tables again, in their order: to go through a table instead would
    /// read ids all over the memory.
    private func refill(_ chosen: UInt32, _ rowCount: (Int) -> Int) {
        let hadRows = count > 0
        for shard in 0..<Self.shardCount where chosen >> UInt32(shard) & 1 == 1 {
            shards[shard] = IndexTable(rowCount: rowCount(shard))
        }
        guard hadRows else { return }
        for row in 0..<records.count where records.bits[row].code != .hole {
            let hash = Self.hash(records.id(row), kind: records.bits[row].code.kind)
            let shard = Self.shard(hash)
            if chosen >> UInt32(shard) & 1 == 1 { shards[shard].insert(row, hash: hash) }
        }
    }
}
