import AirshipCore
import Foundation
import TestSupport
import Testing

/// Each exit test is a process of its own: within one, what was set is there whether it was written
/// or not.
@Suite("the app's choice of features, after the process", .timeLimit(.minutes(10)))
struct FeatureStorageTests {
    private let home = ScratchFolder()

    /// The home folder is where the choice is kept; asked for when it is first used.
    private static func live(in home: String) {
        setenv("HOME", home, 1)
        unsetenv("XDG_DATA_HOME")
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

    @Test("what another process has switched off is off in the next one, whatever this one changes")
    func otherProcess() async {
        await #expect(processExitsWith: .exitCode(0)) { [home = home.path as String] in
            Self.live(in: home)
            // Made before the other one chooses.
            let stale = Airship.privacyManager
            AirshipPrivacyManager(storage: FileFeatureStorage.ofThisProgram())
                .disableFeatures(.onDeviceAI)
            stale.disableFeatures(.push)
            stale.enableFeatures(.push)
            exit(stale.isEnabled(.onDeviceAI) ? 1 : 0)
        }
        await expectOff()
    }

    private func expectOff() async {
        await #expect(processExitsWith: .exitCode(0)) { [home = home.path as String] in
            Self.live(in: home)
            let expected = AirshipFeature.all.subtracting(.onDeviceAI)
            exit(Airship.privacyManager.enabledFeatures == expected ? 0 : 1)
        }
    }
}

@Suite("the file of the choice") struct FileFeatureStorageTests {
    private let scratch = ScratchFolder()
    private var storage: FileFeatureStorage {
        FileFeatureStorage(folder: scratch.path("made/features"), name: "program")
    }
    private var path: String { scratch.path("made/features/program") }

    @Test("it holds all 64 bits, and nobody else may read it")
    func mask() throws {
        #expect(try storage.load() == nil)
        storage.save(.max)
        #expect(try storage.load() == .max)
        storage.update { stored in
            #expect((try? stored.get()) == UInt64.max)
            return 0
        }
        #expect(try storage.load() == 0)
        storage.update { _ in nil }
        #expect(try storage.load() == 0)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test(
        "what is no mask is no missing one: nothing is enabled",
        arguments: ["", "5", "\n", "x\n", "-1\n", "18446744073709551616\n", " 1\n", "1\n\n"])
    func damaged(text: String) throws {
        storage.save(1)
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(throws: (any Error).self) { try storage.load() }
        #expect(AirshipPrivacyManager(storage: storage).enabledFeatures == [])
        storage.update { stored in
            #expect(throws: (any Error).self) { try stored.get() }
            return 2
        }
        #expect(try storage.load() == 2)
    }

    @Test("a folder in its place is no missing one either")
    func folder() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(throws: (any Error).self) { try storage.load() }
        #expect(AirshipPrivacyManager(storage: storage).enabledFeatures == [])
    }

    @Test("changes of many at once are all made")
    func concurrent() async throws {
        storage.save(0)
        await withTaskGroup(of: Void.self) { group in
            for bit in 0..<64 {
                group.addTask { [storage] in
                    storage.update { stored in ((try? stored.get()) ?? 0) | 1 << UInt64(bit) }
                }
            }
        }
        #expect(try storage.load() == .max)
    }
}
