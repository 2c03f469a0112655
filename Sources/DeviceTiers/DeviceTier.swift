// Which on-device model a device can run: closed rules, the same in an app and in the metrics.

/// The on-device model that goes with a device and its system, or why there is none.
package enum DeviceTier: String, CaseIterable, Sendable {
    /// AFM Core Advanced.
    case advanced
    /// AFM Core.
    case core
    /// Some model; the source does not say which.
    case onDevice = "on_device"
    /// None yet: the device could, its system is too old.
    case oldSystem = "old_os"
    /// None, whatever the system.
    case notEligible = "not_eligible"
    /// Not in the rules, or the device or its system is not known.
    case unknown

    /// Whether a model is expected; nil where nothing is.
    package var hasModel: Bool? {
        switch self {
        case .advanced, .core, .onDevice: true
        case .oldSystem, .notEligible: false
        case .unknown: nil
        }
    }

    /// - Parameters:
    ///   - device: The hardware model, such as `iPhone17,1`.
    ///   - os: A system and its version, such as `iOS 26.1`.
    package init(device: String, os: String) {
        let system = SystemVersion(os)
        let rules = DeviceRules.current
        guard !rules.systemsWithout.contains(system.name) else {
            self = .notEligible
            return
        }
        guard let rule = rules.device(device, system: system.name) else {
            self = rules.lacks(machine: device, system: system.name) ? .notEligible : .unknown
            return
        }
        guard let first = rule.runs.first else {
            self = .notEligible
            return
        }
        guard rules.systems.contains(system.name), let version = system.version else {
            self = .unknown
            return
        }
        guard version >= first.from else {
            self = .oldSystem
            return
        }
        self = rule.runs.last { version >= $0.from }?.model ?? .unknown
    }
}

/// Two numbers, of which the first decides: of a hardware model, or of a system's version.
package struct NumberPair: Comparable, Sendable {
    package let major: Int
    package let minor: Int

    package static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}

/// `iPhone17,1` as a family and two numbers.
package struct HardwareModel: Sendable {
    package let family: String
    package let numbers: NumberPair

    /// Nil for a name that is of another form.
    package init?(_ name: String) {
        let family = name.prefix { $0.isASCII && $0.isLetter }
        let parts = name.dropFirst(family.count).split(
            separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        guard !family.isEmpty, parts.count == 2, let major = UInt16(parts[0]),
            let minor = UInt16(parts[1])
        else { return nil }
        self.family = String(family)
        numbers = NumberPair(major: Int(major), minor: Int(minor))
    }
}

/// `iOS 26.1` as a name and a version, of which two numbers count.
package struct SystemVersion: Sendable {
    package let name: String
    /// Nil where there is none.
    package let version: NumberPair?

    package init(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        name = parts.first.map(String.init) ?? ""
        version = parts.count > 1 ? Self.version(parts[1]) : nil
    }

    /// `26.4.1` as 26 and 4.
    static func version(_ text: Substring) -> NumberPair? {
        let numbers = text.split(separator: ".").prefix(2).map { UInt16($0) }
        guard let major = numbers.first.flatMap(\.self) else { return nil }
        guard numbers.count > 1 else { return NumberPair(major: Int(major), minor: 0) }
        return numbers[1].map { NumberPair(major: Int(major), minor: Int($0)) }
    }
}
