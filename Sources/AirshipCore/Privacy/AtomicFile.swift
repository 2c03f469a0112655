// A small file that is whole or not there at all, and changed by one process at a time.

import Foundation

/// One file in a folder of its owner's, replaced as a whole.
package struct AtomicFile: Sendable {
    /// There is one, or may be, and it says nothing.
    package struct Unreadable: Error {
        package init() {}
    }

    private let folder: String
    private let name: String

    /// - Parameter folder: Made where it is missing, for its owner alone.
    package init(folder: String, name: String) {
        self.folder = folder
        self.name = name
    }

    private var path: String { folder + "/" + name }

    /// All of it; nil where there is none.
    ///
    /// - Parameter limit: What is longer counts as unreadable.
    /// - Throws: ``Unreadable`` where there is one, or may be, that cannot be read.
    package func read(upTo limit: Int) throws(Unreadable) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        if file < 0 {
            // A folder that is none cannot have held one.
            guard errno == ENOENT || errno == ENOTDIR else { throw Unreadable() }
            return nil
        }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var length = 0
        while length < bytes.count {
            let count = bytes[length...].withUnsafeMutableBytes {
                Foundation.read(file, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Unreadable() }
            if count == 0 { return Array(bytes[..<length]) }
            length += count
        }
        throw Unreadable()
    }

    /// Puts these bytes in its place, to outlive the process and the system.
    ///
    /// - Returns: False where that failed; what was there before is there still.
    package func replace(by bytes: [UInt8]) -> Bool {
        makeFolder()
        let draft = folder + "/.\(name).\(getpid())"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        if file < 0 { return false }
        let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        close(file)
        guard isWritten, rename(draft, path) == 0 else {
            unlink(draft)
            return false
        }
        syncFolder()
        return true
    }

    /// Takes it away, which needs no space.
    ///
    /// - Returns: Whether it is gone, also where it was not there.
    package func remove() -> Bool {
        guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else { return false }
        syncFolder()
        return true
    }

    /// Runs the body while no other process, and no other value for this file, does.
    ///
    /// A process that is stopped while it holds the lock must not keep a user from saying no: after
    /// a while the body runs all the same.
    package func locked<Returned>(_ body: () throws -> Returned) rethrows -> Returned {
        makeFolder()
        let lock = open(folder + "/.\(name).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        // Closing it unlocks it.
        defer { if lock >= 0 { close(lock) } }
        if lock >= 0 {
            let end = ContinuousClock.now + CoreLimits.storageLockLimit
            while flock(lock, LOCK_EX | LOCK_NB) != 0, ContinuousClock.now < end { usleep(1_000) }
        }
        return try body()
    }

    private func syncFolder() {
        let directory = open(folder, O_RDONLY | O_CLOEXEC)
        if directory >= 0 {
            fsync(directory)
            close(directory)
        }
    }

    private func makeFolder() {
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }
}
