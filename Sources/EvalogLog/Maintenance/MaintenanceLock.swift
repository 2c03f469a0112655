// One maintenance at a time: who rewrites or deletes segments holds `LOG/.maintenance`.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How maintenance knows the time and waits.
package struct MaintenanceTiming: Sendable {
    package var clock: any LogClock
    /// Lets so many microseconds pass.
    package var pause: @Sendable (Int64) -> Void

    package init(
        clock: any LogClock = SystemClock(),
        pause: @escaping @Sendable (Int64) -> Void = { usleep(UInt32(clamping: $0)) }
    ) {
        self.clock = clock
        self.pause = pause
    }
}

/// The exclusive right to rewrite and delete segments of a log, for as long as the value lives.
package final class MaintenanceLock {
    static let fileName = ".maintenance"

    let directory: LogDirectory
    private let handle: DiskHandle

    /// Takes the lock without waiting, and deletes what an earlier holder that died had in the
    /// making.
    ///
    /// - Returns: nil where another holder is in the way.
    /// - Throws: `LogError.disk`, also where the log does not exist, and `.networkFileSystem`.
    package init?(_ directory: LogDirectory) throws(LogError) {
        let disk = directory.disk
        let opened: DiskHandle?
        do {
            let root = try disk.openFolder(directory.path)
            defer { disk.close(root) }
            opened = try disk.isRemote(root) ? nil : Self.open(in: root, on: disk)
        } catch {
            throw .disk(Self.located(error, directory))
        }
        guard let handle = opened else { throw .networkFileSystem(path: directory.path) }
        let isHeld: Bool
        do {
            isHeld = try disk.lock(handle, exclusively: true)
        } catch {
            disk.close(handle)
            throw .disk(Self.located(error, directory))
        }
        self.directory = directory
        self.handle = handle
        guard isHeld else { return nil }
        do {
            try sweep()
        } catch {
            throw .disk(error)
        }
    }

    deinit { directory.disk.close(handle) }

    /// Takes the lock, and waits for another holder to go.
    ///
    /// - Parameter patience: How long, in microseconds.
    /// - Returns: nil where the other one outlasts it.
    package static func wait(
        _ directory: LogDirectory, patience: Int64 = LogLimits.maintenancePatience,
        timing: MaintenanceTiming = .init()
    ) throws(LogError) -> MaintenanceLock? {
        let end = timing.clock.monotonicTime() + patience
        while true {
            if let lock = try MaintenanceLock(directory) { return lock }
            if timing.clock.monotonicTime() >= end { return nil }
            timing.pause(LogLimits.maintenancePause)
        }
    }

    private static func open(in root: DiskHandle, on disk: any Disk) throws(DiskError) -> DiskHandle
    {
        do {
            return try disk.openFile(fileName, in: root)
        } catch  where error.isMissing {}
        do {
            return try disk.createFile(fileName, in: root)
        } catch  where error.isTaken {
            return try disk.openFile(fileName, in: root)
        }
    }

    private func sweep() throws(DiskError) {
        let disk = directory.disk
        let root = try disk.openFolder(directory.path)
        defer { disk.close(root) }
        for name in StreamKind.allCases.map(\.name) + [AsideFolder.name, "."] {
            do {
                let folder = try disk.openFolder(name, in: root)
                defer { disk.close(folder) }
                for file in try disk.list(folder)
                where file.hasPrefix(NewFile.prefix + NewFile.maintenanceStem) {
                    try disk.unlink(file, in: folder)
                }
            } catch {
                if error.isMissing { continue }
                var error = error
                error.path = "\(directory.path)/\(name)"
                throw error
            }
        }
    }

    private static func located(_ error: DiskError, _ directory: LogDirectory) -> DiskError {
        var error = error
        if error.operation != .openFolder { error.path = "\(directory.path)/\(fileName)" }
        return error
    }
}
