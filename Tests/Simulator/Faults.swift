// How often which file call goes wrong.

/// Chances in a thousand, for one process.
struct Faults {
    /// A signal interrupts the call before it does anything.
    var interruption = 0
    /// A read or write moves fewer bytes than asked for.
    var shortTransfer = 0
    /// A write is seen by others before it is whole, or a list of names read while they change.
    var visibleHalf = 0
    var readError = 0
    /// Some of the bytes may have been written.
    var writeError = 0
    /// What was written since the last sync is lost in part, and the next one says nothing of it.
    var syncError = 0
    /// Of a failed sync: the next one fails as well.
    var secondSyncError = 0
    /// Any other call.
    var otherError = 0
}

/// Everything that goes wrong, by the name that it is counted under.
package enum Accident: String, CaseIterable, Sendable {
    case interruptedCall = "interrupted call"
    case shortRead = "short read"
    case shortWrite = "short write"
    /// Short, or on a disk without room for the rest.
    case partialWrite = "partial write"
    case halfAWriteSeen = "half a write seen"
    case halfAListRead = "half a list read"
    case readError = "read error"
    case writeError = "write error"
    case failedSync = "failed sync"
    case syncToFailTwice = "sync that will fail twice"
    case secondFailedSync = "second failed sync"
    case otherError = "other error"
    case errorOfACallCarriedOut = "error of a call that was carried out"
    case kill
    case powerCut = "power cut"
    case sectorOrNameLost = "sector or name lost"
    case spaceShort = "space short"
    case clockJump = "clock jump"
    case segmentDeleted = "segment deleted"
    case oldCopyPutBack = "old copy put back"
}

/// How often things happened, so that schedules can be shown to make them happen.
package struct Tally: Hashable, Sendable {
    package private(set) var counts: [String: Int] = [:]

    package init() {}

    mutating func count(_ event: String, _ count: Int = 1) { counts[event, default: 0] += count }
    mutating func count(_ accident: Accident, _ count: Int = 1) {
        self.count(accident.rawValue, count)
    }

    package mutating func add(_ other: Self) {
        counts.merge(other.counts) { $0 + $1 }
    }
}
