// The rules against their JSON, and against what the source says of devices that people have.

import Foundation
import TestSupport
import Testing

@testable import DeviceTiers

/// `schemas/device-tiers.json` as far as there is Swift for it.
private struct RulesFile: Decodable {
    struct Run: Decodable {
        var from: String
        var model: String
    }
    struct Device: Decodable {
        var title: String
        var first: String
        var last: String?
        var runs: [Run]
        var free_storage_gb: Int?
    }
    struct Generation: Decodable {
        var from: String
        var name: String
    }
    struct Model: Decodable { var name: String }

    var date: String
    var sources: [String]
    var models: [Model]
    var generations: [Generation]
    var systems: [String]
    var systems_without: [String]
    var mac_machines: [String]
    var mac_machines_without: [String]
    var devices: [Device]
    var languages: [String]
    var regions_without: [String]

    init() throws {
        let path = "\(RepositoryRoot.path)/schemas/device-tiers.json"
        let data = try Data(contentsOf: URL(filePath: path))
        self = try JSONDecoder().decode(Self.self, from: data)
    }
}

@Suite("The rules of device tiers") struct DeviceTiersTests {
    private func text(_ version: NumberPair) -> String { "\(version.major).\(version.minor)" }

    @Test("are those of schemas/device-tiers.json, each of them")
    func file() throws {
        let file = try RulesFile()
        let rules = DeviceRules.current
        #expect(rules.date == file.date && !file.sources.isEmpty)
        #expect(rules.systems == file.systems && rules.systemsWithout == file.systems_without)
        #expect(rules.macMachines == file.mac_machines)
        #expect(rules.macMachinesWithout == file.mac_machines_without)
        #expect(rules.languages == file.languages)
        #expect(rules.regionsWithout == file.regions_without)
        #expect(rules.generations.map { text($0.from) } == file.generations.map(\.from))
        #expect(rules.generations.map(\.name) == file.generations.map(\.name))
        #expect(rules.devices.count == file.devices.count)
        for (rule, row) in zip(rules.devices, file.devices) {
            #expect(rule.title == row.title && rule.first == row.first && rule.last == row.last)
            #expect(rule.freeGigabytes == row.free_storage_gb, "\(row.title)")
            #expect(rule.runs.map { text($0.from) } == row.runs.map(\.from), "\(row.title)")
            #expect(rule.runs.map(\.model.rawValue) == row.runs.map(\.model), "\(row.title)")
        }
        #expect(
            Set(file.models.map(\.name))
                == Set(DeviceTier.allCases.filter { $0.hasModel == true }.map(\.rawValue)))
    }

    @Test("no hardware model is covered by two rules, and every end of a rule is one")
    func disjoint() throws {
        let rules = DeviceRules.current.devices
        for rule in rules {
            for end in [rule.first, rule.last ?? rule.first] {
                let model = try #require(HardwareModel(end))
                #expect(rules.filter { $0.covers(model) }.map(\.title) == [rule.title])
            }
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let device: String
        let os: String
        let tier: DeviceTier

        init(_ device: String, _ os: String, _ tier: DeviceTier) {
            (self.device, self.os, self.tier) = (device, os, tier)
        }

        var testDescription: String { "\(device) with \(os)" }
    }

    @Test(
        "tell the model of a device and its system",
        arguments: [
            Case("iPhone16,1", "iOS 26.0", .core), Case("iPhone16,2", "iOS 27.1.2", .core),
            Case("iPhone17,5", "iOS 26", .core), Case("iPhone18,3", "iOS 27", .core),
            Case("iPhone18,1", "iOS 26.4", .core), Case("iPhone18,1", "iOS 27.0", .advanced),
            Case("iPhone18,4", "iOS 27", .advanced), Case("iPhone18,4", "iOS 30", .advanced),
            Case("iPhone17,1", "iOS 18.6", .oldSystem),
            Case("iPhone15,4", "iOS 26.1", .notEligible),
            Case("iPhone15,3", "", .notEligible), Case("iPhone17,1", "iOS", .unknown),
            Case("iPhone17,1", "", .unknown), Case("iPhone17,1", "Linux 6.1", .unknown),
            Case("iPhone18,5", "iOS 26.4", .unknown), Case("iPhone19,1", "iOS 27", .unknown),
            Case("iPad13,4", "iPadOS 26.1", .onDevice), Case("iPad14,2", "iPadOS 26", .notEligible),
            Case("iPad16,1", "iOS 26.1", .onDevice), Case("iPad15,7", "iPadOS 27", .notEligible),
            Case("Mac16,10", "macOS 26.1", .onDevice), Case("arm64", "macOS 26.1", .onDevice),
            Case("arm64", "macOS 15.6", .oldSystem), Case("x86_64", "macOS 26", .notEligible),
            Case("arm64", "iOS 26.1", .unknown), Case("MacBookPro16,1", "macOS 26", .notEligible),
            Case("SM-S928B", "Android 16", .notEligible), Case("", "Android", .notEligible),
            Case("", "", .unknown), Case("iPhone99999999,1", "iOS 26", .unknown),
            Case("Watch7,1", "watchOS 26", .unknown), Case("iPhone17,1", "iOS 26.x", .unknown),
        ])
    func tiers(_ test: Case) {
        #expect(DeviceTier(device: test.device, os: test.os) == test.tier)
    }

    @Test("language, region and storage stand in the way where they are known, and only there")
    func obstacles() {
        func found(
            _ device: String = "iPhone17,1", language: String? = nil, region: String? = nil,
            free: Int64? = nil
        ) -> [DeviceSupport.Obstacle] {
            DeviceSupport(
                device: device, os: "iOS 26.1", language: language, region: region,
                freeStorage: free
            ).obstacles
        }
        #expect(found() == [])
        for spoken in ["de", "de-CH", "en_GB", "zh-Hant-TW", "ZH", "no", "nb-NO"] {
            #expect(found(language: spoken) == [], "\(spoken)")
        }
        for other in ["ar", "hi-IN", "", "eng"] {
            #expect(found(language: other) == [.language], "\(other)")
        }
        #expect(found(region: "cn") == [.region] && found(region: "TW") == [])
        #expect(found(free: 7_999_999_999) == [.storage] && found(free: 8_000_000_000) == [])
        #expect(found("iPhone18,4", free: 13_000_000_000) == [.storage])
        #expect(
            found("iPhone15,4", language: "ar", region: "CN", free: 0)
                == [.device, .language, .region])
    }

    @Test("the model's own version follows the system's, where there is a model")
    func generations() {
        func generation(_ device: String, _ os: String) -> String? {
            DeviceSupport(device: device, os: os, language: nil, region: nil, freeStorage: nil)
                .generation
        }
        #expect(generation("iPhone17,1", "iOS 26.3") == "AFM 2")
        #expect(generation("iPhone17,1", "iOS 26.4") == "AFM 2.1")
        #expect(generation("iPhone17,1", "iOS 27") == "AFM 3")
        #expect(generation("iPhone15,4", "iOS 27") == nil)
        #expect(generation("iPhone17,1", "iOS 18.6") == nil)
    }
}
