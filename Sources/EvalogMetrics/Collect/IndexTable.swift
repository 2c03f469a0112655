// An open-addressing hash table of row numbers. What the rows are, and their hashes, lives
// elsewhere.

/// Finds rows by hash at 4 bytes a slot.
///
/// A slot holds the row number plus one and, above it, five bits of the hash, so that nearly no
/// other row has to be looked at on the way to the right one.
struct IndexTable: ~Copyable {
    /// Tables from this size on take whole pages.
    private static let pageSlotCount = 1 << 16
    private static let tagShift: UInt32 = 27
    private static let rowMask: UInt32 = 1 << tagShift - 1
    /// Row numbers stay below this.
    static let rowCountMax = Int(rowMask)

    private var slots: UnsafeMutablePointer<UInt32>
    private var mask: Int
    private(set) var count = 0

    var byteCount: Int { (mask + 1) * MemoryLayout<UInt32>.stride }

    /// An empty table with room for so many rows at least.
    init(rowCount: Int = 12) {
        var slotCount = 16
        while slotCount * 4 < (rowCount + 1) * 5 { slotCount *= 2 }
        mask = slotCount - 1
        slots = Self.allocate(slotCount)
    }

    private static func allocate(_ slotCount: Int) -> UnsafeMutablePointer<UInt32> {
        guard slotCount >= pageSlotCount else {
            let slots = UnsafeMutablePointer<UInt32>.allocate(capacity: slotCount)
            slots.initialize(repeating: 0, count: slotCount)
            return slots
        }
        return PageMemory.allocate(byteCount: slotCount * 4, isLarge: true)
            .bindMemory(to: UInt32.self, capacity: slotCount)
    }

    private static func deallocate(_ slots: UnsafeMutablePointer<UInt32>, _ slotCount: Int) {
        if slotCount >= pageSlotCount {
            PageMemory.release(slots, byteCount: slotCount * 4)
        } else {
            slots.deallocate()
        }
    }

    deinit { Self.deallocate(slots, mask + 1) }

    /// The first row that the search for a hash would look at; nil if it would find none there.
    @inline(__always)
    func candidate(hash: UInt64) -> Int? {
        let entry = slots[Self.slot(hash, mask)]
        return entry & ~Self.rowMask == Self.tag(hash) && entry != 0
            ? Int(entry & Self.rowMask) - 1 : nil
    }

    /// The row of this hash that `isSame` accepts.
    @inline(__always)
    func row(hash: UInt64, where isSame: (Int) -> Bool) -> Int? {
        let tag = Self.tag(hash)
        var slot = Self.slot(hash, mask)
        while true {
            let entry = slots[slot]
            if entry == 0 { return nil }
            if entry & ~Self.rowMask == tag {
                let row = Int(entry & Self.rowMask) - 1
                if isSame(row) { return row }
            }
            slot = (slot + 1) & mask
        }
    }

    /// Whether so many rows more can be added without growing.
    @inline(__always)
    func hasRoom(for rowCount: Int) -> Bool { (count + rowCount) * 5 <= (mask + 1) * 4 }

    /// What stands where the search for a hash begins.
    @inline(__always)
    func entry(at hash: UInt64) -> UInt32 { slots[Self.slot(hash, mask)] }

    /// Adds a row that is not in the table, which has room for it.
    @inline(__always)
    mutating func insert(_ row: Int, hash: UInt64) {
        precondition(row < Self.rowCountMax, "more rows than an index can address")
        place(row, hash: hash)
        count += 1
    }

    /// Adds a row that is not in the table. `hashOf` gives the hash of any row in it.
    @inline(__always)
    mutating func insert(_ row: Int, hash: UInt64, hashOf: (Int) -> UInt64) {
        if !hasRoom(for: 1) { grow(hashOf) }
        insert(row, hash: hash)
    }

    @inline(__always)
    private func place(_ row: Int, hash: UInt64) {
        var slot = Self.slot(hash, mask)
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        slots[slot] = Self.tag(hash) | UInt32(truncatingIfNeeded: row + 1)
    }

    private mutating func grow(_ hashOf: (Int) -> UInt64) {
        let old = UnsafeMutableBufferPointer(start: slots, count: mask + 1)
        mask = mask << 1 | 1
        slots = Self.allocate(mask + 1)
        for entry in old where entry != 0 {
            let row = Int(entry & Self.rowMask) - 1
            place(row, hash: hashOf(row))
        }
        if let start = old.baseAddress { Self.deallocate(start, old.count) }
    }

    @inline(__always)
    private static func tag(_ hash: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: hash) << tagShift
    }

    @inline(__always)
    private static func slot(_ hash: UInt64, _ mask: Int) -> Int {
        Int(truncatingIfNeeded: hash >> 8) & mask
    }
}
