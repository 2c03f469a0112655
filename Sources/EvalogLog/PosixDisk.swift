// The real disk: one POSIX call per method, repeated while signals interrupt it.

#if canImport(Glibc)
    import CZlib
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension DiskError {
    /// Whether space, a quota or a size limit ran out, which may pass.
    package var isNoSpace: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
    /// Whether the system denies access to an existing file for now (data protection).
    package var isProtected: Bool { code == EPERM }
    /// Whether this user may not do it.
    package var isDenied: Bool { code == EACCES || code == EPERM }
    /// Whether a folder is of a kind that nobody syncs: a mount point's parent may be anything.
    package var cannotBeSynced: Bool { code == EINVAL || code == EROFS || code == ENOTSUP }
    /// Whether the name was not there.
    package var isMissing: Bool { code == ENOENT }
    /// Whether the name was there already.
    package var isTaken: Bool { code == EEXIST }
}

/// The operating system's files.
package struct PosixDisk: Disk {
    private let owner = currentProcessID()

    package init() {}

    private func call<Result: FixedWidthInteger>(
        _ operation: DiskError.Operation, _ path: @autoclosure () -> String,
        _ body: () -> Result
    ) throws(DiskError) -> Result {
        try DiskError.repeating(operation, path(), body)
    }

    // MARK: Folders

    package func openFolder(_ path: String) throws(DiskError) -> DiskHandle {
        // A trailing slash would make the system follow a link in spite of O_NOFOLLOW.
        var bare = Substring(path)
        while bare.utf8.count > 1, bare.utf8.last == UInt8(ascii: "/") { bare.removeLast() }
        let plain = String(bare)
        return DiskHandle(
            number: try call(.openFolder, path) {
                open(plain, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            })
    }

    package func openFolder(
        _ name: String, in folder: DiskHandle
    ) throws(DiskError) -> DiskHandle {
        DiskHandle(
            number: try call(.openFolder, name) {
                openat(folder.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            })
    }

    package func makeFolder(_ path: String) throws(DiskError) {
        _ = try makeFolder(path, below: AT_FDCWD)
    }

    package func makeFolder(_ name: String, in folder: DiskHandle) throws(DiskError) {
        guard try makeFolder(name, below: folder.number), geteuid() == 0 else { return }
        guard let made = try? openFolder(name, in: folder) else { return }
        defer { close(made) }
        giveToOwner(of: folder, made.number)
    }

    /// False where it exists.
    private func makeFolder(_ path: String, below folder: Int32) throws(DiskError) -> Bool {
        do {
            _ = try call(.makeFolder, path) { mkdirat(folder, path, 0o700) }
        } catch  where error.isTaken {
            return false
        }
        // The umask may have taken bits away from the owner.
        _ = try call(.setMode, path) { fchmodat(folder, path, 0o700, 0) }
        return true
    }

    /// What root makes in somebody's folder is that person's, who could not read the log any more
    /// otherwise. Where root may not give files away the log is written all the same.
    private func giveToOwner(of folder: DiskHandle, _ number: Int32) {
        var owner = stat()
        guard geteuid() == 0, fstat(folder.number, &owner) == 0, owner.st_uid != 0 else { return }
        _ = fchown(number, owner.st_uid, owner.st_gid)
    }

    package func isRemote(_ folder: DiskHandle) throws(DiskError) -> Bool {
        #if canImport(Darwin)
            var found = statfs()
            _ = try call(.status, "") { fstatfs(folder.number, &found) }
            return found.f_flags & UInt32(MNT_LOCAL) == 0
        #else
            var type: UInt32 = 0
            _ = try call(.status, "") { czlib_file_system_type(folder.number, &type) }
            return Self.remoteTypes.contains(type)
        #endif
    }

    #if !canImport(Darwin)
        /// The numbers of `statfs(2)`: NFS, SMB and its two successors, AFS twice, Coda, NCP, Ceph,
        /// 9P, FUSE, GFS2, OCFS2, Lustre, GPFS, VirtualBox's shared folders.
        private static let remoteTypes: Set<UInt32> = [
            0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x5346_414F, 0x6B41_4653, 0x7375_7245, 0x564C,
            0x00C3_6400, 0x0102_1997, 0x6573_5546, 0x0116_1970, 0x7461_636F, 0x0BD0_0BD0,
            0x4750_4653, 0x786F_4256,
        ]
    #endif

    package func list(_ folder: DiskHandle) throws(DiskError) -> [String] {
        let own = try call(.list, ".") {
            openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        guard let stream = fdopendir(own) else {
            let code = errno
            _ = Self.closeNumber(own)
            throw DiskError(operation: .list, path: ".", code: code)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                let code = errno
                if code == 0 { return names }
                throw DiskError(operation: .list, path: ".", code: code)
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                let capacity = MemoryLayout.size(ofValue: pointer.pointee)
                return pointer.withMemoryRebound(to: CChar.self, capacity: capacity) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    // MARK: Files

    package func openFile(_ name: String, in folder: DiskHandle) throws(DiskError) -> DiskHandle {
        // O_NONBLOCK: a pipe planted under the name must not hang the reader.
        DiskHandle(
            number: try call(.open, name) {
                openat(folder.number, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
            })
    }

    package func createFile(
        _ name: String, in folder: DiskHandle
    ) throws(DiskError) -> DiskHandle {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let number = try call(.create, name) { openat(folder.number, name, flags, 0o600) }
        do {
            _ = try call(.setMode, name) { fchmod(number, 0o600) }
            giveToOwner(of: folder, number)
        } catch {
            _ = unlinkat(folder.number, name, 0)
            _ = Self.closeNumber(number)
            throw error
        }
        return DiskHandle(number: number)
    }

    package func status(
        of name: String, in folder: DiskHandle
    ) throws(DiskError) -> FileStatus {
        var found = stat()
        _ = try call(.status, name) {
            fstatat(folder.number, name, &found, AT_SYMLINK_NOFOLLOW)
        }
        return FileStatus(found)
    }

    package func status(of file: DiskHandle) throws(DiskError) -> FileStatus {
        var found = stat()
        _ = try call(.status, "") { fstat(file.number, &found) }
        return FileStatus(found)
    }

    package func read(
        _ file: DiskHandle, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(DiskError) -> Int {
        try call(.read, "") { pread(file.number, buffer.baseAddress, buffer.count, off_t(offset)) }
    }

    package func write(
        _ file: DiskHandle, at offset: Int64, from bytes: UnsafeRawBufferPointer
    ) throws(DiskError) -> Int {
        try call(.write, "") { pwrite(file.number, bytes.baseAddress, bytes.count, off_t(offset)) }
    }

    package func truncate(_ file: DiskHandle, to byteCount: Int64) throws(DiskError) {
        _ = try call(.truncate, "") { ftruncate(file.number, off_t(byteCount)) }
    }

    // MARK: Durability and names

    package func syncFile(_ file: DiskHandle) throws(DiskError) {
        #if canImport(Darwin)
            // fsync on Darwin leaves the bytes in the drive's cache.
            do {
                _ = try call(.syncFile, "") { fcntl(file.number, F_FULLFSYNC) }
            } catch  where error.code == ENOTSUP {
                _ = try call(.syncFile, "") { fsync(file.number) }
            }
        #else
            _ = try call(.syncFile, "") { fdatasync(file.number) }
        #endif
    }

    package func syncFolder(_ folder: DiskHandle) throws(DiskError) {
        _ = try call(.syncFolder, "") { fsync(folder.number) }
    }

    package func lock(_ file: DiskHandle, exclusively: Bool) throws(DiskError) -> Bool {
        do {
            _ = try call(.lock, "") {
                flock(file.number, (exclusively ? LOCK_EX : LOCK_SH) | LOCK_NB)
            }
            return true
        } catch  where error.code == EWOULDBLOCK {
            return false
        }
    }

    package func link(
        _ name: String, to newName: String, in folder: DiskHandle
    ) throws(DiskError) {
        _ = try call(.link, newName) { linkat(folder.number, name, folder.number, newName, 0) }
    }

    package func rename(
        _ name: String, to newName: String, in folder: DiskHandle
    ) throws(DiskError) {
        _ = try call(.rename, newName) {
            renameat(folder.number, name, folder.number, newName)
        }
    }

    package func unlink(_ name: String, in folder: DiskHandle) throws(DiskError) {
        _ = try call(.unlink, name) { unlinkat(folder.number, name, 0) }
    }

    /// Gives the lock up first: a child that was spawned a moment ago holds the file as well, until it runs its
    /// own program, and a forked one for as long as it lives. Closing in such a child leaves the lock alone.
    package func close(_ handle: DiskHandle) {
        if currentProcessID() == owner { _ = flock(handle.number, LOCK_UN) }
        _ = Self.closeNumber(handle.number)
    }

    // Not repeated on EINTR: the number is free already and may belong to another thread.
    private static func closeNumber(_ number: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.close(number)
        #else
            Darwin.close(number)
        #endif
    }
}

extension FileStatus {
    fileprivate init(_ found: stat) {
        let kind: Kind =
            switch found.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .other
            }
        #if canImport(Darwin)
            let time = found.st_mtimespec
        #else
            let time = found.st_mtim
        #endif
        self.init(
            kind: kind, byteCount: Int64(found.st_size), inode: UInt64(found.st_ino),
            linkCount: Int(found.st_nlink),
            modified: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }
}
