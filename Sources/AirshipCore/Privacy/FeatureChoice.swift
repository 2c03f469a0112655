// What the app has chosen, here and in a storage that other processes change as well. A value: it
// says what to store, and stores nothing itself.

/// One process's view of the app's choice of features.
struct FeatureChoice: Sendable {
    /// What becomes of a set of features; nil where that is no choice.
    typealias Change = @Sendable (AirshipFeature) -> AirshipFeature?

    /// What is on until the app chooses.
    let defaults: AirshipFeature
    /// What counts here; nil until the app has chosen.
    private(set) var local: AirshipFeature?
    /// What the storage had when it was last read.
    private var stored: AirshipFeature?
    /// What was asked for while the storage could not be read; nil where it could.
    private var unread: [Change]?

    /// - Parameter found: What is stored. What cannot be read may hold an opt-out: then nothing is on.
    init(defaults: AirshipFeature, found: Swift.Result<AirshipFeature?, any Error>) {
        self.defaults = defaults
        switch found {
        case .success(let mask): (local, stored) = (mask, mask)
        case .failure: (local, unread) = ([], [])
        }
    }

    /// What is on here.
    var features: AirshipFeature { local ?? defaults }
    var isUnreadable: Bool { unread != nil }

    /// Lets a change count here, at once.
    mutating func apply(_ change: @escaping Change) {
        if let chosen = change(features) { local = chosen }
        unread?.append(change)
    }

    /// What is to be stored after a change that was applied; nil for nothing.
    ///
    /// It is made to what is stored now, and to what is on or off here only because storing it has
    /// failed. What others have switched off since is off here as well; what they have switched on is
    /// at the next start.
    /// - Parameters:
    ///   - before: What counted here before the change.
    ///   - found: What is stored now.
    mutating func merge(
        _ change: Change, before: AirshipFeature?,
        into found: Swift.Result<AirshipFeature?, any Error>
    ) -> AirshipFeature? {
        switch found {
        case .success(let mask):
            return unread == nil ? join(change, before, mask) : replay(on: mask)
        case .failure:
            // Nobody knows what it holds. An opt-out must outlive the process all the same.
            let base = before ?? (unread == nil ? defaults : [])
            return change(base) ?? (unread == nil ? nil : base)
        }
    }

    private mutating func join(
        _ change: Change, _ before: AirshipFeature?, _ found: AirshipFeature?
    ) -> AirshipFeature? {
        let (last, known) = (stored ?? defaults, before ?? defaults)
        let base = found.map {
            $0.union(known.subtracting(last)).subtracting(last.subtracting(known))
        }
        let next = change(base ?? known)
        leaveOut(what: found)
        return next
    }

    /// Everything that was asked for meanwhile, of what turns out to be stored.
    private mutating func replay(on found: AirshipFeature?) -> AirshipFeature? {
        var next: AirshipFeature?
        for change in unread ?? [] { next = change(next ?? found ?? defaults) ?? next }
        unread = nil
        local = next ?? found
        stored = found
        return next
    }

    /// Hears of what is stored now.
    ///
    /// - Returns: What is to be stored, where something was asked for while it could not be read.
    mutating func hear(_ found: AirshipFeature?) -> AirshipFeature? {
        if unread != nil { return replay(on: found) }
        leaveOut(what: found)
        return nil
    }

    /// Takes away what is not in the storage any more.
    private mutating func leaveOut(what found: AirshipFeature?) {
        guard let found else { return }
        let lost = (stored ?? defaults).subtracting(found)
        if !lost.isEmpty || local != nil { local = features.subtracting(lost) }
        stored = found
    }

    /// Takes note of what is in the storage after something was to be stored.
    mutating func see(_ found: AirshipFeature) { stored = found }
}
