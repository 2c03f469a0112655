// What an app is told of a device, which is what the metrics say of it.

import AirshipCore
import DeviceTiers
import Testing

@Suite("AirshipAI.OnDeviceSupport") struct OnDeviceSupportTests {
    @Test("has the tiers and obstacles of the rules by their names")
    func names() {
        let tiers = AirshipAI.OnDeviceSupport.Tier.allCases
        #expect(tiers.map(\.rawValue) == DeviceTier.allCases.map(\.rawValue))
        let obstacles = AirshipAI.OnDeviceSupport.Obstacle.allCases
        #expect(obstacles.map { "\($0)" } == DeviceSupport.Obstacle.allCases.map { "\($0)" })
    }

    @Test("tells the model of a device, and whether it can be expected to run")
    func devices() {
        let new = AirshipAI.OnDeviceSupport(device: "iPhone18,1", os: "iOS 27.0")
        #expect(new.tier == .advanced && new.generation == "AFM 3" && new.canRun == true)
        let behind = AirshipAI.OnDeviceSupport(device: "iPhone18,1", os: "iOS 26.4")
        #expect(behind.tier == .core && behind.generation == "AFM 2.1" && behind.canRun == true)
        let old = AirshipAI.OnDeviceSupport(device: "iPhone17,1", os: "iOS 18.6")
        #expect(old.tier == .oldSystem && old.obstacles == [.system] && old.canRun == false)
        let never = AirshipAI.OnDeviceSupport(device: "iPhone15,4", os: "iOS 26.1")
        #expect(never.tier == .notEligible && never.obstacles == [.device])
        #expect(never.canRun == false && never.generation == nil)
        let unheard = AirshipAI.OnDeviceSupport(device: "iPhone99,1", os: "iOS 30.0")
        #expect(unheard.tier == .unknown && unheard.canRun == nil)
        let mac = AirshipAI.OnDeviceSupport(device: "arm64", os: "macOS 26.1")
        #expect(mac.tier == .onDevice && mac.canRun == true)
    }

    @Test("names everything else that stands in the way, where it is told")
    func obstacles() {
        let support = AirshipAI.OnDeviceSupport(
            device: "iPhone17,1", os: "iOS 26.1", language: "ar-AE", regionOfSale: "CN",
            freeStorage: 1_000_000)
        #expect(support.tier == .core && support.canRun == false)
        #expect(support.obstacles == [.language, .region, .storage])
        let unknown = AirshipAI.OnDeviceSupport(
            device: "iPhone99,1", os: "iOS 30.0", language: "ar")
        #expect(unknown.canRun == false)
    }
}
