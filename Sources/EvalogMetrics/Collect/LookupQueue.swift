// Lookups in a large index by the batch: a processor waits for many places of memory at once as
// long as it does for one.

/// Items that wait to be looked up by the hash of their identity.
final class LookupQueue<Item: BitwiseCopyable> {
    static var capacity: Int { 64 }

    private let items = UnsafeMutablePointer<Item>.allocate(capacity: capacity)
    private let hashes = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
    private let entries = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
    @exclusivity(unchecked) private(set) var count = 0

    deinit {
        items.deallocate()
        hashes.deallocate()
        entries.deallocate()
    }

    var isFull: Bool { count == Self.capacity }

    /// Adds an item to a queue that is not full.
    @inline(__always)
    func append(_ item: Item, hash: UInt64) {
        (items + count).initialize(to: item)
        (hashes + count).initialize(to: hash)
        count += 1
    }

    /// Changes all items in order.
    @inline(__always)
    func update(_ body: (inout Item) -> Void) {
        for place in 0..<count { body(&items[place]) }
    }

    /// Hands out all items in order, their places in the index near; afterwards there are none.
    @inline(__always)
    func drain(_ index: IdentityIndex, _ body: (Item, _ hash: UInt64) -> Void) {
        for place in 0..<count { entries[place] = index.entry(at: hashes[place]) }
        for place in 0..<count { body(items[place], hashes[place]) }
        count = 0
    }
}
