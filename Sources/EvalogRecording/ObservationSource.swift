// Somebody who tells a recorder of what happens, later than it happened.

/// A manager as a recorder sees it.
package struct ObservationSource: Sendable {
    /// Returns once the recorder was told of all that happened before; false where that took too
    /// long.
    package let deliver: @Sendable () -> Bool
    /// Tells the recorder of nothing more; called once, at its end.
    package let detach: @Sendable (EvaluationRecorder) -> Void

    package init(
        deliver: @escaping @Sendable () -> Bool,
        detach: @escaping @Sendable (EvaluationRecorder) -> Void
    ) {
        self.deliver = deliver
        self.detach = detach
    }
}
