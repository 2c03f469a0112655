// All that the rules say of one device, what no fact holds included.

/// What a device can be expected to run, and what stands in the way.
package struct DeviceSupport: Hashable, Sendable {
    /// What keeps the model from being there.
    package enum Obstacle: Hashable, CaseIterable, Sendable {
        case device, system, language, region, storage
    }

    package let tier: DeviceTier
    /// The model's own version, such as `AFM 2.1`; nil where there is none, or it is not known.
    package let generation: String?
    /// In the order of the cases; empty where nothing is known to stand in the way.
    package let obstacles: [Obstacle]

    /// - Parameters:
    ///   - device: The hardware model, such as `iPhone17,1`.
    ///   - os: A system and its version, such as `iOS 26.1`.
    ///   - language: A language tag, such as `de-CH`; nil where it is not known, as all that follow.
    ///   - region: Where the device was sold, two letters of ISO 3166.
    ///   - freeStorage: Bytes that are free while the model is not there yet.
    package init(
        device: String, os: String, language: String?, region: String?, freeStorage: Int64?
    ) {
        let rules = DeviceRules.current
        let system = SystemVersion(os)
        tier = DeviceTier(device: device, os: os)
        generation =
            tier.hasModel == true ? system.version.flatMap { rules.generation($0) } : nil
        var obstacles: [Obstacle] = []
        if tier == .notEligible { obstacles.append(.device) }
        if tier == .oldSystem { obstacles.append(.system) }
        if let language, !rules.speaks(language) { obstacles.append(.language) }
        if let region, rules.regionsWithout.contains(region.uppercased()) {
            obstacles.append(.region)
        }
        if let freeStorage,
            let needed = rules.device(device, system: system.name)?.freeGigabytes,
            freeStorage < Int64(needed) * 1_000_000_000
        {
            obstacles.append(.storage)
        }
        self.obstacles = obstacles
    }
}
