// Files of a log that are no segments: kept damage, caches, journals.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension LogDirectory {
    /// The plain files in a folder of the log, in order; none where there is no such folder.
    package func files(in folder: String) throws(LogError) -> [String] {
        try withFolder(folder) { handle throws(DiskError) in
            var files: [String] = []
            for name in try disk.list(handle)
            where try disk.status(of: name, in: handle).kind == .file {
                files.append(name)
            }
            return files.sorted()
        } ?? []
    }

    /// Deletes files that ``files(in:)`` gave, and returns once the disk has confirmed it.
    package func delete(_ files: [String], in folder: String) throws(LogError) {
        if files.isEmpty { return }
        _ = try withFolder(folder) { handle throws(DiskError) in
            for file in files { try disk.unlink(file, in: handle) }
            try disk.syncFolder(handle)
        }
    }

    /// Puts other bytes in the place of a small file in the log's own folder, at once.
    ///
    /// The file is locked meanwhile: whoever appends to it locks it as well, and looks whether it
    /// still has its name.
    /// - Parameter change: The new bytes; nil where the old ones may stay.
    package func rewriteFile(
        _ name: String, timing: MaintenanceTiming = .init(), _ change: ([UInt8]) -> [UInt8]?
    ) throws(LogError) {
        _ = try withFolder(".") { root throws(DiskError) in
            let file = try disk.openFile(name, in: root)
            defer { disk.close(file) }
            try lockPatiently(file, name, timing)
            let byteCount = Int(try disk.status(of: file).byteCount)
            var bytes = [UInt8](repeating: 0, count: byteCount)
            let count = try bytes.withUnsafeMutableBufferPointer { buffer throws(DiskError) in
                try disk.readFully(file, at: 0, into: UnsafeMutableRawBufferPointer(buffer))
            }
            guard let changed = change(Array(bytes.prefix(count))) else { return }
            let new = try NewFile(NewFile.maintenanceStem + name, in: root, on: disk)
            defer { disk.close(new.handle) }
            do throws(DiskError) {
                try disk.writeFully(new.handle, at: 0, from: changed)
                try disk.syncFile(new.handle)
                try new.replace(name)
            } catch {
                new.discard()
                throw error
            }
            try disk.syncFolder(root)
        }
    }

    private func lockPatiently(
        _ file: DiskHandle, _ name: String, _ timing: MaintenanceTiming
    ) throws(DiskError) {
        let end = timing.clock.monotonicTime() + LogLimits.rollPatience
        while try !disk.lock(file, exclusively: true) {
            if timing.clock.monotonicTime() >= end {
                throw DiskError(operation: .lock, path: name, code: EWOULDBLOCK)
            }
            timing.pause(LogLimits.maintenancePause)
        }
    }

    /// nil where the folder, or a file that the body asks for, is not there.
    private func withFolder<Result>(
        _ name: String, _ body: (DiskHandle) throws(DiskError) -> Result
    ) throws(LogError) -> Result? {
        do {
            let root = try disk.openFolder(path)
            defer { disk.close(root) }
            let folder = try disk.openFolder(name, in: root)
            defer { disk.close(folder) }
            return try body(folder)
        } catch  where error.isMissing {
            return nil
        } catch {
            var error = error
            if error.path != path {
                let parts = [name, error.path].filter { !$0.isEmpty && $0 != "." }
                error.path = ([path] + parts).joined(separator: "/")
            }
            throw .disk(error)
        }
    }
}
