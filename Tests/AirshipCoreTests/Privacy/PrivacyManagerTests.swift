import AirshipCore
import Foundation
import Testing

@Suite("privacy manager", .timeLimit(.minutes(10))) struct PrivacyManagerTests {
    static let old: AirshipFeature = AirshipFeature.all.subtracting(.onDeviceAI)

    @Test("with nothing stored the default set counts, and a new version's features with it")
    func defaults() {
        let storage = MemoryFeatureStorage()
        let before = AirshipPrivacyManager(defaultFeatures: Self.old, storage: storage)
        before.enableFeatures(.push)
        before.enableFeatures([])
        before.disableFeatures([])
        #expect(!before.isEnabled(.onDeviceAI))
        #expect(storage.load() == nil, "what changes nothing chooses nothing")
        #expect(AirshipPrivacyManager(storage: storage).isEnabled(.onDeviceAI))
    }

    @Test("an explicit list stays as it is in a version with more features")
    func explicitList() {
        let storage = MemoryFeatureStorage()
        AirshipPrivacyManager(defaultFeatures: Self.old, storage: storage)
            .enabledFeatures = [.push, .analytics]
        let after = AirshipPrivacyManager(storage: storage)
        #expect(after.enabledFeatures == [.push, .analytics])
    }

    @Test("having chosen everything there was is no consent to what came later")
    func explicitAll() {
        let storage = MemoryFeatureStorage()
        AirshipPrivacyManager(defaultFeatures: [], storage: storage).enabledFeatures = Self.old
        #expect(!AirshipPrivacyManager(storage: storage).isEnabled(.onDeviceAI))
    }

    @Test("enabling adds, disabling removes, setting replaces; twice is once, and none is nothing")
    func changes() {
        let privacy = AirshipPrivacyManager(defaultFeatures: [], storage: MemoryFeatureStorage())
        for _ in 1...2 {
            privacy.enableFeatures([.push, .onDeviceAI])
            #expect(privacy.enabledFeatures == [.push, .onDeviceAI])
        }
        for _ in 1...2 {
            privacy.disableFeatures([.push, .contacts])
            #expect(privacy.enabledFeatures == [.onDeviceAI])
        }
        privacy.enableFeatures([])
        #expect(privacy.enabledFeatures == [.onDeviceAI])
        for _ in 1...2 {
            privacy.enabledFeatures = [.contacts]
            #expect(privacy.enabledFeatures == [.contacts])
        }
    }

    @Test("several features are enabled only when all of them are")
    func several() {
        let privacy = AirshipPrivacyManager(
            defaultFeatures: [.push, .onDeviceAI], storage: MemoryFeatureStorage())
        #expect(privacy.isEnabled([.push, .onDeviceAI]))
        #expect(!privacy.isEnabled([.push, .contacts]))
    }

    @Test("a remotely disabled feature is off whatever the app chose, and back when allowed")
    func remotelyDisabled() {
        let storage = MemoryFeatureStorage()
        let privacy = AirshipPrivacyManager(storage: storage)
        privacy.setRemotelyDisabledFeatures(.onDeviceAI)
        privacy.enableFeatures(.onDeviceAI)
        #expect(!privacy.isEnabled(.onDeviceAI))
        #expect(privacy.isEnabled(.push))
        privacy.setRemotelyDisabledFeatures([])
        #expect(privacy.isEnabled(.onDeviceAI))
        #expect(storage.load() == nil, "a remote switch is not the app's choice")
    }

    @Test("listeners hear the set at once, and then only when the effective set changes")
    func listeners() {
        let privacy = AirshipPrivacyManager(
            defaultFeatures: [.push], storage: MemoryFeatureStorage())
        let heard = Shared<[AirshipFeature]>([])
        let id = privacy.listen { features in heard.change { $0.append(features) } }
        privacy.enableFeatures(.push)
        privacy.enabledFeatures = [.push]
        privacy.setRemotelyDisabledFeatures(.contacts)
        privacy.enableFeatures(.contacts)
        privacy.enableFeatures(.onDeviceAI)
        privacy.disableFeatures(.onDeviceAI)
        #expect(heard.value == [[.push], [.push, .onDeviceAI], [.push]])
        privacy.stopListening(id)
        privacy.enableFeatures(.onDeviceAI)
        #expect(heard.value.count == 3)
    }

    /// Storage that is watched, as user defaults are: the watcher runs within the save.
    private final class WatchedStorage: AirshipFeatureStorage {
        let masks = Shared<[UInt64]>([])
        let watcher = Shared<(@Sendable () -> Void)?>(nil)

        func load() -> UInt64? { masks.value.last }

        func save(_ mask: UInt64) {
            masks.change { $0.append(mask) }
            watcher.value?()
        }
    }

    @Test("what watches the storage may read features and change them")
    func watchedStorage() {
        let storage = WatchedStorage()
        let privacy = AirshipPrivacyManager(defaultFeatures: [], storage: storage)
        storage.watcher.change {
            $0 = { [weak privacy] in
                if privacy?.isEnabled(.push) == true { privacy?.enableFeatures(.contacts) }
            }
        }
        privacy.enableFeatures(.push)
        #expect(privacy.enabledFeatures == [.push, .contacts])
        let saved: [AirshipFeature] = [.push, [.push, .contacts]]
        #expect(storage.masks.value == saved.map(\.rawValue))
    }

    @Test("a set counts to the letter, whatever was switched off remotely meanwhile")
    func setWhileRemotelyDisabled() {
        let privacy = AirshipPrivacyManager(storage: MemoryFeatureStorage())
        privacy.setRemotelyDisabledFeatures(.onDeviceAI)
        // A consent screen with AI unticked.
        privacy.enabledFeatures = .all.subtracting(.onDeviceAI)
        privacy.setRemotelyDisabledFeatures([])
        #expect(privacy.enabledFeatures == .all.subtracting(.onDeviceAI))
        privacy.enabledFeatures = .onDeviceAI
        privacy.setRemotelyDisabledFeatures(.onDeviceAI)
        privacy.enabledFeatures = []
        privacy.setRemotelyDisabledFeatures([])
        #expect(privacy.enabledFeatures == [])
    }

    @Test("no change undoes what another process has switched off since, or on", arguments: 0..<5)
    func otherProcess(change: Int) {
        let storage = MemoryFeatureStorage(AirshipFeature.all.subtracting(.contacts).rawValue)
        let (stale, other) = (
            AirshipPrivacyManager(storage: storage), AirshipPrivacyManager(storage: storage)
        )
        other.disableFeatures(.onDeviceAI)
        other.enableFeatures(.contacts)
        switch change {
        case 0: stale.disableFeatures(.push)
        case 1: stale.enableFeatures(.push)
        case 2: stale.enabledFeatures.remove(.push)
        case 3: stale.disableFeatures([])
        default: stale.setRemotelyDisabledFeatures(.push)
        }
        let next = AirshipPrivacyManager(storage: storage)
        #expect(!next.isEnabled(.onDeviceAI))
        #expect(next.isEnabled(.push) == ![0, 2].contains(change))
        // A set that is replaced has in it what it says.
        #expect(next.isEnabled(.contacts) == (change != 2))
        #expect(stale.isEnabled(.onDeviceAI) == (change == 4), "a change hears of the opt-out")
        stale.reread()
        #expect(!stale.isEnabled(.onDeviceAI))
        stale.enableFeatures(.onDeviceAI)
        #expect(AirshipPrivacyManager(storage: storage).isEnabled(.onDeviceAI), "that was asked")
    }

    /// Has a mask that cannot be read, or written, while it is locked.
    private final class LockedStorage: AirshipFeatureStorage {
        struct Failure: Error {}
        let canRead = Shared(false)
        let canWrite = Shared(false)
        let mask: Shared<UInt64?>

        init(_ features: AirshipFeature = .all) { mask = Shared(features.rawValue) }

        func load() throws -> UInt64? {
            if !canRead.value { throw Failure() }
            return mask.value
        }

        func save(_ mask: UInt64) {
            guard canWrite.value else { return }
            self.mask.change { $0 = mask }
            canRead.change { $0 = true }
        }

        func unlock() {
            for lock in [canRead, canWrite] { lock.change { $0 = true } }
        }
    }

    @Test("with a choice that cannot be read nothing is on until it can be, or the app chooses")
    func unreadable() {
        let storage = LockedStorage()
        let privacy = AirshipPrivacyManager(storage: storage)
        #expect(privacy.enabledFeatures == [])
        privacy.reread()
        #expect(privacy.enabledFeatures == [])
        storage.unlock()
        #expect(privacy.enabledFeatures == [])
        privacy.reread()
        #expect(privacy.enabledFeatures == .all)
    }

    @Test("what was asked for meanwhile is done to what then turns out to be stored")
    func askedMeanwhile() {
        let storage = LockedStorage(.all.subtracting(.contacts))
        let privacy = AirshipPrivacyManager(storage: storage)
        privacy.disableFeatures(.push)
        privacy.enableFeatures(.contacts)
        privacy.enableFeatures(.onDeviceAI)
        #expect(privacy.enabledFeatures == [.contacts, .onDeviceAI])
        storage.unlock()
        privacy.reread()
        #expect(privacy.enabledFeatures == .all.subtracting(.push))
        #expect(AirshipPrivacyManager(storage: storage).enabledFeatures == .all.subtracting(.push))
    }

    @Test("an opt-out of what cannot be read outlives the process, if anything can be stored")
    func optOutUnread() {
        let storage = LockedStorage()
        storage.canWrite.change { $0 = true }
        let privacy = AirshipPrivacyManager(storage: storage)
        privacy.disableFeatures(.onDeviceAI)
        #expect(!privacy.isEnabled(.onDeviceAI))
        #expect(!AirshipPrivacyManager(storage: storage).isEnabled(.onDeviceAI))
    }

    @Test("setting nothing enables nothing, also where it looks as if that were so already")
    func nothing() {
        let storage = LockedStorage()
        let privacy = AirshipPrivacyManager(storage: storage)
        storage.unlock()
        privacy.enabledFeatures = []
        #expect(privacy.enabledFeatures == [])
        #expect(AirshipPrivacyManager(storage: storage).enabledFeatures == [])
    }

    @Test("a choice that cannot be stored counts for as long as the process runs")
    func unwritable() {
        let storage = LockedStorage(.all.subtracting([.onDeviceAI, .contacts]))
        storage.canRead.change { $0 = true }
        let privacy = AirshipPrivacyManager(storage: storage)
        privacy.enableFeatures(.onDeviceAI)
        privacy.disableFeatures(.push)
        privacy.reread()
        privacy.enableFeatures(.contacts)
        #expect(privacy.enabledFeatures == .all.subtracting(.push))
        // What fails to be read for once takes nothing away.
        storage.canRead.change { $0 = false }
        privacy.enableFeatures(.contacts)
        privacy.disableFeatures(.analytics)
        #expect(privacy.enabledFeatures == .all.subtracting([.push, .analytics]))
        storage.unlock()
        // With the next change all of it is stored.
        privacy.disableFeatures(.contacts)
        let chosen = AirshipFeature.all.subtracting([.push, .analytics, .contacts])
        #expect(AirshipPrivacyManager(storage: storage).enabledFeatures == chosen)
    }

    @Test("an evaluator whose last reference goes during a change of the gate blocks nothing")
    func releasedDuringChange() async {
        let privacy = AirshipPrivacyManager(storage: MemoryFeatureStorage())
        let last = Shared<AirshipAI.Evaluator?>(nil)
        last.change {
            $0 = AirshipAI.Evaluator(
                privacy: privacy,
                sessionID: {
                    last.change { $0 = nil }
                    return nil
                })
        }
        weak let released = last.value
        privacy.disableFeatures(.onDeviceAI)
        #expect(released == nil)
        privacy.enableFeatures(.onDeviceAI)
        #expect(privacy.isEnabled(.onDeviceAI))
    }

    @Test("the update stream begins with the set as it is and follows it")
    func stream() async {
        let privacy = AirshipPrivacyManager(
            defaultFeatures: [.push], storage: MemoryFeatureStorage())
        var updates = privacy.featureUpdates.makeAsyncIterator()
        #expect(await updates.next() == [.push])
        privacy.enableFeatures(.onDeviceAI)
        #expect(await updates.next() == [.push, .onDeviceAI])
    }
}
