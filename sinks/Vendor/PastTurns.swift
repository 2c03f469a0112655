// Which events had their turn in a summary, under whatever id they come again.

import EvalogFacts
import EvalogText

/// What an event is about: several of one occasion are told as one.
enum Occasion: Hashable, Sendable {
    case decision(UniqueID)
    case submission(FormField?, session: SessionID?, evaluation: UniqueID, time: Int64)
    /// Of an event that names no evaluation and no submission.
    case own(FactKey)
}

/// Events that had their turn, withheld ones included.
package struct PastTurns: Sendable {
    private var keys: Set<FactKey> = []
    private var occasions: Set<Occasion> = []

    package init() {}

    mutating func insert(_ key: FactKey, _ occasion: Occasion) {
        keys.insert(key)
        occasions.insert(occasion)
    }

    func contain(_ key: FactKey, _ occasion: Occasion) -> Bool {
        keys.contains(key) || occasions.contains(occasion)
    }
}
