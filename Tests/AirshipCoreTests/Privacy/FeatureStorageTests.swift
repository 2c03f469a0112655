import AirshipCore
import Foundation
import TestSupport
import Testing

/// Each exit test is a process of its own: within one, what was set is there whether it was written
/// or not.
@Suite("the app's choice of features, after the process") struct FeatureStorageTests {
    private let home = ScratchFolder()

    /// The home folder is where user defaults are; asked for when they are first used.
    private static func live(in home: String) {
        setenv("HOME", home, 1)
        unsetenv("XDG_CONFIG_HOME")
    }

    @Test("what was switched off is off in the next process, after a clean exit")
    func cleanExit() async {
        await #expect(processExitsWith: .exitCode(0)) { [home = home.path as String] in
            Self.live(in: home)
            Airship.privacyManager.disableFeatures(.onDeviceAI)
            exit(0)
        }
        await expectOff()
    }

    @Test("what was switched off is off in the next process, after a kill at once")
    func killed() async {
        await #expect(processExitsWith: .signal(SIGKILL)) { [home = home.path as String] in
            Self.live(in: home)
            Airship.privacyManager.disableFeatures(.onDeviceAI)
            kill(getpid(), SIGKILL)
        }
        await expectOff()
    }

    @Test("the last of several choices is the one that the next process reads")
    func lastChoice() async {
        await #expect(processExitsWith: .signal(SIGKILL)) { [home = home.path as String] in
            Self.live(in: home)
            Airship.privacyManager.enabledFeatures = []
            Airship.privacyManager.enabledFeatures = .all
            Airship.privacyManager.disableFeatures(.onDeviceAI)
            kill(getpid(), SIGKILL)
        }
        await expectOff()
        await #expect(processExitsWith: .signal(SIGKILL)) { [home = home.path as String] in
            Self.live(in: home)
            Airship.privacyManager.enableFeatures(.onDeviceAI)
            kill(getpid(), SIGKILL)
        }
        await #expect(processExitsWith: .exitCode(0)) { [home = home.path as String] in
            Self.live(in: home)
            exit(Airship.privacyManager.enabledFeatures == .all ? 0 : 1)
        }
    }

    @Test("where nothing can be written the choice counts until the process ends")
    func nowhere() async {
        await #expect(processExitsWith: .exitCode(0)) {
            Self.live(in: "/dev/null/nowhere")
            Airship.privacyManager.disableFeatures(.onDeviceAI)
            exit(Airship.privacyManager.isEnabled(.onDeviceAI) ? 1 : 0)
        }
    }

    private func expectOff() async {
        await #expect(processExitsWith: .exitCode(0)) { [home = home.path as String] in
            Self.live(in: home)
            let expected = AirshipFeature.all.subtracting(.onDeviceAI)
            exit(Airship.privacyManager.enabledFeatures == expected ? 0 : 1)
        }
    }
}
