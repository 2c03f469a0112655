// The app's choice of features in a file: whole or not there at all, and changed by one process at a
// time. User defaults promise neither where the system has no daemon for them, and they tell a choice
// that cannot be read from none.

import Foundation

/// Keeps the mask as decimal digits in a file of its own.
///
/// Where that cannot be written, such as without a home folder, the choice counts for as long as the
/// process runs.
package struct FileFeatureStorage: AirshipFeatureStorage {
    private struct Unreadable: Error {}

    private let folder: String
    private let name: String

    /// - Parameter folder: Made where it is missing.
    package init(folder: String, name: String) {
        self.folder = folder
        self.name = name
    }

    /// In the folder that the system has for such files, under the name of the program.
    package static func ofThisProgram() -> Self {
        let folders = FileManager.default.urls(
            for: .applicationSupportDirectory, in: .userDomainMask)
        let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        return Self(
            folder: folders[0].appending(path: "evalog-features").path(percentEncoded: false),
            name: program)
    }

    private var path: String { folder + "/" + name }

    package func load() throws -> UInt64? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        if file < 0 {
            // A folder that is none cannot have held one.
            guard errno == ENOENT || errno == ENOTDIR else { throw Unreadable() }
            return nil
        }
        defer { close(file) }
        // More than the digits of any mask.
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = read(file, &bytes, bytes.count)
        guard count > 0, bytes[count - 1] == UInt8(ascii: "\n"),
            let mask = UInt64(String(decoding: bytes[..<(count - 1)], as: UTF8.self))
        else { throw Unreadable() }
        return mask
    }

    package func save(_ mask: UInt64) {
        makeFolder()
        let draft = folder + "/.\(name).\(getpid())"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        if file < 0 { return }
        let bytes = Array("\(mask)\n".utf8)
        let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        close(file)
        guard isWritten, rename(draft, path) == 0 else {
            unlink(draft)
            return
        }
        let directory = open(folder, O_RDONLY | O_CLOEXEC)
        if directory >= 0 {
            fsync(directory)
            close(directory)
        }
    }

    package func update(_ change: (Swift.Result<UInt64?, any Error>) -> UInt64?) {
        makeFolder()
        let lock = open(folder + "/.\(name).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        // Closing it unlocks it.
        defer { if lock >= 0 { close(lock) } }
        if lock >= 0 { wait(for: lock) }
        if let mask = change(Swift.Result { try load() }) { save(mask) }
    }

    /// A process that is stopped while it holds the lock must not keep a user from switching off: then
    /// the change goes ahead without it.
    private func wait(for lock: CInt) {
        let end = ContinuousClock.now + CoreLimits.storageLockLimit
        while flock(lock, LOCK_EX | LOCK_NB) != 0, ContinuousClock.now < end { usleep(1_000) }
    }

    private func makeFolder() {
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }
}
