// Which part of a log counts, decided on block headers: what is left out is not even inflated.

package import EvalogLog

/// A part of a log, to the precision of whole blocks.
package struct ReplayScope: Hashable, Sendable {
    /// Leaves out blocks that were closed after this time (µs, the writer's wall clock). A block is
    /// closed at most a second after its first line, and one that maintenance has joined has the
    /// time of its latest part.
    package var asOf: Int64?
    /// Leaves out blocks whose facts all happened before this time (µs).
    package var since: Int64?

    /// The whole log.
    package init() {}

    /// Whether lines of a block may be in the part.
    package func includes(_ header: BlockHeader) -> Bool {
        (asOf.map { header.appendTime <= $0 } ?? true)
            && (since.map { header.greatestEventTime >= $0 } ?? true)
    }
}
