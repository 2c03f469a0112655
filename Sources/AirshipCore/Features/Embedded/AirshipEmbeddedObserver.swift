// Lets an app see which embedded content is pending, without a view.

#if canImport(Combine)
    public import Combine
#endif

/// Watches the pending instances of one embedded id, of all, or of those that a filter includes.
///
/// With Combine it is an `ObservableObject`; elsewhere read ``updates``.
public final class AirshipEmbeddedObserver: Sendable {
    private let pending: PendingEmbedded
    private let isIncluded: @Sendable (AirshipEmbeddedInfo) -> Bool

    #if canImport(Combine)
        // Unchecked by the compiler: a publisher may be used from any thread.
        public nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()
        private let following = Locked<Task<Void, Never>?>(nil)
    #endif

    /// Watches one embedded id.
    public convenience init(embeddedID: String) {
        self.init { $0.embeddedID == embeddedID }
    }

    /// Watches all embedded ids.
    public convenience init() {
        self.init { _ in true }
    }

    /// Watches what the filter includes; it must decide by its argument alone.
    public convenience init(predicate: @escaping @Sendable (AirshipEmbeddedInfo) -> Bool) {
        self.init(pending: .shared, predicate)
    }

    package init(
        pending: PendingEmbedded, _ isIncluded: @escaping @Sendable (AirshipEmbeddedInfo) -> Bool
    ) {
        self.pending = pending
        self.isIncluded = isIncluded
        #if canImport(Combine)
            let updates = updates
            let task = Task { @MainActor [weak self] in
                for await _ in updates { self?.objectWillChange.send() }
            }
            following.withLock { $0 = task }
        #endif
    }

    #if canImport(Combine)
        deinit { following.withLock { $0 }?.cancel() }
    #endif

    /// What is pending now, first come first.
    public var embeddedInfos: [AirshipEmbeddedInfo] { pending.infos(where: isIncluded) }

    /// What is pending, now and whenever it changes; a slow reader sees the newest only.
    public var updates: AsyncStream<[AirshipEmbeddedInfo]> { pending.updates(where: isIncluded) }
}

#if canImport(Combine)
    extension AirshipEmbeddedObserver: ObservableObject {}
#endif
