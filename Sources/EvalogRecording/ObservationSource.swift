// Somebody who tells a recorder of what happens, a moment after it happened.

/// A manager as a recorder sees it.
package struct ObservationSource: Sendable {
    /// Who tells; not kept, because it keeps the recorder. Nil once it is gone, and even then there
    /// may be something on the way.
    package weak let teller: (any AnyObject & Sendable)?
    /// Returns once the recorder was told of all that the teller had to tell when it was called;
    /// false where that took too long. Called from within what it waits for it returns at once.
    package let deliver: @Sendable () -> Bool
    /// Asks the teller to tell the recorder of nothing that happens from now on; what is on the way
    /// still comes. Called when the recorder ends, and at once by a recorder that has ended.
    package let detach: @Sendable (EvaluationRecorder) -> Void

    package init(
        of teller: any AnyObject & Sendable, deliver: @escaping @Sendable () -> Bool,
        detach: @escaping @Sendable (EvaluationRecorder) -> Void
    ) {
        self.teller = teller
        self.deliver = deliver
        self.detach = detach
    }

    /// Whether one teller is behind both; of one that is gone nobody can say so.
    func hasTeller(of other: Self) -> Bool {
        guard let teller else { return false }
        return teller === other.teller
    }
}
