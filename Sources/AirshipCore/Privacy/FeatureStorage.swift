// Where the app's choice of features outlives the process.

/// Keeps one bit mask; nil until the app has chosen.
public protocol AirshipFeatureStorage: Sendable {
    /// The stored mask; nil where nothing was ever stored.
    ///
    /// Read when a privacy manager is made, at each of its changes and when a session begins, on
    /// whatever thread does that.
    ///
    /// - Throws: Where there is a mask, or may be one, that cannot be read. It may hold an opt-out, so
    ///   nothing is enabled then until the app chooses.
    func load() throws -> UInt64?

    /// Replaces the mask, and returns when that outlives the process: the next one must not ask a
    /// model that the user switched off, however this one ends. Called once the change counts, for
    /// one change at a time and in their order; may call the privacy manager back on the same
    /// thread.
    func save(_ mask: UInt64)

    /// Replaces the mask by what a change makes of the one that is stored now, if it makes anything
    /// of it. Storage that several processes share lets one of them at a time do so.
    ///
    /// There is a default for storage of one process.
    ///
    /// - Parameter change: Called once, with what ``load()`` gives.
    func update(_ change: (Swift.Result<UInt64?, any Error>) -> UInt64?)
}

extension AirshipFeatureStorage {
    public func update(_ change: (Swift.Result<UInt64?, any Error>) -> UInt64?) {
        if let mask = change(Swift.Result { try load() }) { save(mask) }
    }
}

/// Keeps the mask for as long as the process runs: for tests.
public final class MemoryFeatureStorage: AirshipFeatureStorage {
    private let mask: Locked<UInt64?>

    /// - Parameter mask: Nil where the app has not chosen yet.
    public init(_ mask: UInt64? = nil) {
        self.mask = Locked(mask)
    }

    public func load() -> UInt64? { mask.withLock { $0 } }

    public func save(_ mask: UInt64) { self.mask.withLock { $0 = mask } }
}
