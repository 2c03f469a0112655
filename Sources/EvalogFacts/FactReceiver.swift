// What a reading of the facts delivers to: metrics, the report for the vendor.

/// Takes the decoded lines of one thread, one at a time.
package protocol FactReceiver: AnyObject, Sendable {
    /// Takes one line. Both arguments are used during the call only.
    func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer)
    /// Takes note of a line that no decoder could read.
    func countUnreadable()
}
