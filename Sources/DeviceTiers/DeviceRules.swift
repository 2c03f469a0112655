// schemas/device-tiers.json as values: a test holds the two equal, and the JSON says where each rule comes
// from. An app has no file to read them from, and a command should not depend on where it was installed.

/// What a stretch of hardware models can run.
package struct DeviceRule: Sendable {
    /// A model, from a version of the system on.
    package struct Run: Sendable {
        package let from: NumberPair
        package let model: DeviceTier
    }

    /// For people: the names of the devices.
    package let title: String
    package let first: String
    /// Nil where all later ones of the family are meant.
    package let last: String?
    /// Versions ascend; empty where no system makes a model run.
    package let runs: [Run]
    /// What has to be free for the model to be downloaded, at most.
    package let freeGigabytes: Int?

    fileprivate init(
        _ title: String, from first: String, to last: String? = nil, runs: [Run],
        freeGigabytes: Int? = nil
    ) {
        self.title = title
        self.first = first
        self.last = last
        self.runs = runs
        self.freeGigabytes = freeGigabytes
    }

    func covers(_ device: HardwareModel) -> Bool {
        guard let first = HardwareModel(first), first.family == device.family,
            first.numbers <= device.numbers
        else { return false }
        guard let last else { return true }
        return HardwareModel(last).map { device.numbers <= $0.numbers } ?? false
    }
}

/// The rules of one date.
package struct DeviceRules: Sendable {
    package let date: String
    /// Systems whose versions the rules know.
    package let systems: [String]
    /// Systems without an on-device model, whatever the device.
    package let systemsWithout: [String]
    /// What a Mac calls its processor, which its hardware model may not be asked for.
    package let macMachines: [String]
    package let macMachinesWithout: [String]
    package let devices: [DeviceRule]
    /// The model's own version, from a version of the system on, ascending.
    package let generations: [(from: NumberPair, name: String)]
    package let languages: [String]
    /// Devices sold there have no model.
    package let regionsWithout: [String]

    func device(_ name: String, system: String) -> DeviceRule? {
        if let model = HardwareModel(name) { return devices.first { $0.covers(model) } }
        // Every Mac with such a processor is one of the last rule for Macs with a model.
        guard system == "macOS", macMachines.contains(name) else { return nil }
        return devices.last { $0.first.hasPrefix("Mac") && !$0.runs.isEmpty }
    }

    func lacks(machine: String, system: String) -> Bool {
        system == "macOS" && macMachinesWithout.contains(machine)
    }

    package func generation(_ version: NumberPair) -> String? {
        generations.last { version >= $0.from }?.name
    }

    /// Whether a language tag, such as `de-CH`, is of a language of the list, by its first part.
    package func speaks(_ tag: String) -> Bool {
        func primary(_ tag: String) -> Substring {
            tag.split(whereSeparator: { $0 == "-" || $0 == "_" }).first ?? ""
        }
        // Norwegian without saying which of its two forms.
        let wanted = primary(tag.lowercased()) == "no" ? "nb" : primary(tag.lowercased())
        return languages.contains { primary($0) == wanted }
    }
}

extension DeviceRules {
    package static let current: Self = {
        let (os26, os27) = (NumberPair(major: 26, minor: 0), NumberPair(major: 27, minor: 0))
        let core = [DeviceRule.Run(from: os26, model: .core)]
        let coreThenAdvanced = core + [DeviceRule.Run(from: os27, model: .advanced)]
        let someModel = [DeviceRule.Run(from: os26, model: .onDevice)]
        return DeviceRules(
            date: "2026-11-30", systems: ["iOS", "iPadOS", "macOS"], systemsWithout: ["Android"],
            macMachines: ["arm64"], macMachinesWithout: ["x86_64"],
            devices: phones(core, coreThenAdvanced) + pads(someModel) + macs(someModel) + without,
            generations: [
                (os26, "AFM 2"), (NumberPair(major: 26, minor: 4), "AFM 2.1"), (os27, "AFM 3"),
            ],
            languages: [
                "da", "de", "en", "es", "fr", "it", "ja", "ko", "nb", "nl", "pt", "sv", "tr", "vi",
                "zh-Hans", "zh-Hant",
            ],
            regionsWithout: ["CN"])
    }()

    private typealias Runs = [DeviceRule.Run]

    private static func phones(_ core: Runs, _ coreThenAdvanced: Runs) -> [DeviceRule] {
        [
            .init(
                "iPhone 15 Pro and 15 Pro Max", from: "iPhone16,1", to: "iPhone16,2", runs: core,
                freeGigabytes: 8),
            .init(
                "iPhone 16, all models", from: "iPhone17,1", to: "iPhone17,5", runs: core,
                freeGigabytes: 8),
            .init(
                "iPhone 17 Pro and 17 Pro Max", from: "iPhone18,1", to: "iPhone18,2",
                runs: coreThenAdvanced, freeGigabytes: 14),
            .init("iPhone 17", from: "iPhone18,3", to: "iPhone18,3", runs: core, freeGigabytes: 8),
            .init(
                "iPhone Air", from: "iPhone18,4", to: "iPhone18,4", runs: coreThenAdvanced,
                freeGigabytes: 14),
        ]
    }

    private static func pads(_ runs: Runs) -> [DeviceRule] {
        [
            ("iPad Pro with M1", "iPad13,4", "iPad13,11"),
            ("iPad Air with M1", "iPad13,16", "iPad13,17"),
            ("iPad Pro with M2", "iPad14,3", "iPad14,6"),
            ("iPad Air with M2", "iPad14,8", "iPad14,11"),
            ("iPad Air with M3", "iPad15,3", "iPad15,6"),
            ("iPad mini with A17 Pro", "iPad16,1", "iPad16,2"),
            ("iPad Pro with M4", "iPad16,3", "iPad16,6"),
            ("iPad Pro with M5", "iPad17,1", "iPad17,4"),
        ].map { .init($0, from: $1, to: $2, runs: runs, freeGigabytes: 8) }
    }

    private static func macs(_ runs: Runs) -> [DeviceRule] {
        [
            ("MacBook Air with M1", "MacBookAir10,1"),
            ("MacBook Pro with M1, M1 Pro or M1 Max", "MacBookPro17,1"),
            ("Mac mini with M1", "Macmini9,1"),
            ("iMac with M1", "iMac21,1"),
            ("Mac Studio with M1, and all Macs since", "Mac13,1"),
        ].map { .init($0, from: $1, runs: runs, freeGigabytes: 8) }
    }

    private static let without: [DeviceRule] = [
        ("iPhones before iPhone 15 Pro", "iPhone1,1", "iPhone15,99"),
        ("iPods", "iPod1,1", nil),
        ("iPads before M1", "iPad1,1", "iPad12,99"),
        ("iPad Air with A14", "iPad13,1", "iPad13,2"),
        ("iPad with A14", "iPad13,18", "iPad13,19"),
        ("iPad mini with A15", "iPad14,1", "iPad14,2"),
        ("iPad with A16", "iPad15,7", "iPad15,8"),
        ("MacBooks with Intel", "MacBook1,1", nil),
        ("MacBook Airs with Intel", "MacBookAir1,1", "MacBookAir9,99"),
        ("MacBook Pros with Intel", "MacBookPro1,1", "MacBookPro16,99"),
        ("Mac minis with Intel", "Macmini1,1", "Macmini8,99"),
        ("iMacs with Intel", "iMac1,1", "iMac20,99"),
        ("iMac Pro", "iMacPro1,1", nil),
        ("Mac Pros with Intel", "MacPro1,1", nil),
    ].map { .init($0, from: $1, to: $2, runs: []) }
}
