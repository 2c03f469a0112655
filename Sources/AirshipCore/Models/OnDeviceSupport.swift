// What to expect of Apple's on-device model before anything is asked of the system: for an app that
// plans its other path. Beside the documented API, which does not depend on it.

import DeviceTiers

extension AirshipAI {
    /// What a device can be expected to run by the rules of `schemas/device-tiers.json`, which have a
    /// date and know nothing newer.
    ///
    /// It is an expectation, for planning and for telling a person what is missing; whether the model
    /// can be asked now is what its ``Availability`` says. Routing by the expectation:
    ///
    /// ```swift
    /// let support = AirshipAI.OnDeviceSupport(device: "iPhone15,4", os: "iOS 26.1")
    /// if support.canRun == false {
    ///     Airship.ai.setModelResolver { _ in .custom(remoteModel) }
    /// }
    /// ```
    public struct OnDeviceSupport: Hashable, Sendable {
        /// The model that goes with a device and its system, by the names that `evalog --by tier` has.
        public enum Tier: String, CaseIterable, Sendable {
            /// AFM Core Advanced, 20 billion parameters.
            case advanced
            /// AFM Core, 3 billion parameters.
            case core
            /// An on-device model; which, Apple's matrix of iPhones does not say.
            case onDevice = "on_device"
            /// None before the system is updated.
            case oldSystem = "old_os"
            /// None on this device.
            case notEligible = "not_eligible"
            /// Not in the rules, as what is newer than they are.
            case unknown
        }

        /// What stands in the way of the model.
        public enum Obstacle: Hashable, CaseIterable, Sendable {
            /// The hardware will never run one.
            case device
            /// The system is too old.
            case system
            /// The device's language is not supported.
            case language
            /// Devices sold there have no model.
            case region
            /// Too little is free for the model to be downloaded; of no matter once it is there.
            case storage
        }

        /// The model of this device and system.
        public let tier: Tier

        /// The version that the model has with this system, such as `AFM 2.1`; nil without a model.
        public let generation: String?

        /// All that is known to stand in the way, in the order of the cases.
        public let obstacles: [Obstacle]

        /// Whether the model can be expected to run; nil where the rules do not know the device.
        public var canRun: Bool? {
            guard obstacles.isEmpty else { return false }
            return tier == .unknown ? nil : true
        }

        /// What the rules say of a device. What is nil is not judged.
        ///
        /// - Parameters:
        ///   - device: The hardware model as `uname` has it, such as `iPhone17,1`; on a Mac its
        ///     processor, `arm64`, will do.
        ///   - os: A system and its version, such as `iOS 26.1`.
        ///   - language: The tag of the device's language, such as `de-CH`.
        ///   - regionOfSale: Where the device was sold, as two letters: `CN`.
        ///   - freeStorage: Bytes free on the device.
        public init(
            device: String, os: String, language: String? = nil, regionOfSale: String? = nil,
            freeStorage: Int64? = nil
        ) {
            let found = DeviceSupport(
                device: device, os: os, language: language, region: regionOfSale,
                freeStorage: freeStorage)
            tier = Tier(found.tier)
            generation = found.generation
            obstacles = found.obstacles.map(Obstacle.init)
        }
    }
}

extension AirshipAI.OnDeviceSupport.Tier {
    init(_ tier: DeviceTier) {
        self =
            switch tier {
            case .advanced: .advanced
            case .core: .core
            case .onDevice: .onDevice
            case .oldSystem: .oldSystem
            case .notEligible: .notEligible
            case .unknown: .unknown
            }
    }
}

extension AirshipAI.OnDeviceSupport.Obstacle {
    init(_ obstacle: DeviceSupport.Obstacle) {
        self =
            switch obstacle {
            case .device: .device
            case .system: .system
            case .language: .language
            case .region: .region
            case .storage: .storage
            }
    }
}
