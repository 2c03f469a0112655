// Where the app's choice of features outlives the process.

import Foundation

/// Keeps one bit mask; nil until the app has chosen.
public protocol AirshipFeatureStorage: Sendable {
    /// The stored mask; read once, when the privacy manager is made.
    func load() -> UInt64?

    /// Replaces the mask, and returns when that outlives the process: the next one must not ask a
    /// model that the user switched off, however this one ends. Called once the change counts, for
    /// one change at a time and in their order; may call the privacy manager back on the same
    /// thread.
    func save(_ mask: UInt64)
}

/// Keeps the mask in user defaults. Where these cannot be written, such as without a home folder,
/// the choice counts for as long as the process runs.
package struct UserDefaultsFeatureStorage: AirshipFeatureStorage {
    private static let key = "evalog.enabledFeatures"
    private let suite: String?

    /// - Parameter suite: The name of the defaults; nil is the app's standard ones.
    package init(suite: String? = nil) {
        self.suite = suite
    }

    package func load() -> UInt64? {
        // As text: a property list's integers are signed.
        defaults.string(forKey: Self.key).flatMap(UInt64.init)
    }

    package func save(_ mask: UInt64) {
        let defaults = defaults
        defaults.set(String(mask), forKey: Self.key)
        // Without Apple's preferences daemon nothing else writes them, not even a clean exit.
        _ = defaults.synchronize()
    }

    private var defaults: UserDefaults {
        suite.flatMap(UserDefaults.init(suiteName:)) ?? .standard
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
