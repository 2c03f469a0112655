// What a reading of the facts delivers to: metrics, the report for the vendor.

package import EvalogText

/// Where lines come from: neighbours of one block.
package struct FactOrigin: Hashable, Sendable {
    /// One open of the log by one process.
    package var writer: UniqueID
    /// The number of the first of them among the writer's lines, from 1.
    package var sequence: UInt64
    /// When they were written, in µs since 1970, by the writer's clock.
    package var appendTime: Int64
    /// When what they tell happened, by their block: also what lines tell that cannot be read.
    package var eventTimes: ClosedRange<Int64>

    package init(
        writer: UniqueID, sequence: UInt64, appendTime: Int64, eventTimes: ClosedRange<Int64>
    ) {
        self.writer = writer
        self.sequence = sequence
        self.appendTime = appendTime
        self.eventTimes = eventTimes
    }
}

/// Takes the decoded lines of one thread, one at a time.
package protocol FactReceiver: AnyObject, Sendable {
    /// Tells where the next line comes from; those after it follow without a hole.
    func begin(_ origin: FactOrigin)
    /// Takes one line. Both arguments are used during the call only.
    func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer)
    /// Takes note of a line that no decoder could read.
    func countUnreadable()
}

extension FactReceiver {
    package func begin(_ origin: FactOrigin) {}
}
