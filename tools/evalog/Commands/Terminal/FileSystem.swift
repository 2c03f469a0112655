// What the command asks of paths outside of the log.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

enum FileSystem {
    /// True for a folder, and for a link to one if links are followed.
    static func isFolder(_ path: String, followingLinks: Bool = true) -> Bool {
        var status = stat()
        let result = followingLinks ? stat(path, &status) : lstat(path, &status)
        return result == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// True for a pipe, a socket or a device, whose bytes come once.
    static func isStream(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        return ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// True where both lead to one folder or file, by whatever links.
    static func isSame(_ path: String, _ other: String) -> Bool {
        var (left, right) = (stat(), stat())
        return stat(path, &left) == 0 && stat(other, &right) == 0
            && left.st_dev == right.st_dev && left.st_ino == right.st_ino
    }

    /// The names in a folder, in no order; none where it cannot be listed.
    static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// - Throws: ``CommandFailure`` where this user cannot put files into a folder.
    static func demandWritable(_ folder: String) throws {
        guard access(folder, W_OK | X_OK) != 0 else { return }
        throw CommandFailure(
            "cannot write into \(folder): \(SystemError.text(errno))",
            hint: "check the folder's permissions")
    }

    /// The folder that a path lies in, as a person would write it.
    static func parent(of path: String) -> String {
        var bytes = path.utf8[...]
        func dropSlashes() {
            while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        }
        dropSlashes()
        let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
        let name = String(Substring(slash.map { bytes[bytes.index(after: $0)...] } ?? bytes))
        if name.isEmpty { return "/" }
        if name == ".." { return "\(Substring(bytes))/.." }
        guard let slash else { return name == "." ? ".." : "." }
        bytes = bytes[...slash]
        dropSlashes()
        let folder = String(Substring(bytes))
        return name == "." ? parent(of: folder) : folder
    }

    /// - Throws: ``CommandFailure`` where there is no such file, or not for this user.
    static func demandReadable(_ path: String) throws {
        guard access(path, R_OK) != 0 else { return }
        throw CommandFailure(
            "cannot open \(path): \(SystemError.text(errno))",
            hint: errno == ENOENT ? "check the path" : nil)
    }

    /// All bytes of a small file; nil where there is none.
    ///
    /// - Throws: ``CommandFailure`` for anything but a missing file: one that may not be read is not
    ///   one that is not there. So for a larger one than is taken.
    static func contents(of path: String, atMost byteCountMax: Int = .max) throws -> [UInt8]? {
        try contents(of: path, flags: 0, atMost: byteCountMax) { _ in }
    }

    /// The same for a part of a log: a plain file, and never one behind a link.
    static func contents(ofPart path: String) throws -> [UInt8]? {
        try contents(of: path, flags: O_NOFOLLOW | O_NONBLOCK) { descriptor in
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw CommandFailure("\(path) is not a file", hint: "move it away")
            }
        }
    }

    private static func contents(
        of path: String, flags: Int32, atMost byteCountMax: Int = .max,
        check: (Int32) throws -> Void
    ) throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | flags)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else {
            let code = errno
            throw CommandFailure(
                "cannot open \(path): \(SystemError.text(code))",
                hint: flags & O_NOFOLLOW == 0 ? nil : SystemError.hint(code))
        }
        defer { close(descriptor) }
        try check(descriptor)
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count == 0 { return bytes }
            guard count > 0 || errno == EINTR else {
                throw CommandFailure("cannot read \(path): \(SystemError.text(errno))")
            }
            bytes += piece.prefix(max(0, count))
            guard bytes.count <= byteCountMax else {
                throw CommandFailure(
                    "\(path) is larger than the \(byteCountMax >> 20) MiB that are taken",
                    hint: "docs/limits.md has all limits")
            }
        }
    }

    /// Takes the right to change a file, or a folder, that others lock as well.
    ///
    /// - Parameter waits: Whether to wait for whoever has it.
    /// - Returns: 0, or the number of the error.
    static func lock(_ descriptor: Int32, waits: Bool = true) -> Int32 {
        while flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            if errno != EINTR { return errno }
        }
        return 0
    }

    /// Gives what root has just made in somebody's folder to that person.
    static func giveToOwner(ofFolder path: String, _ descriptor: Int32) {
        var owner = stat()
        guard geteuid() == 0, stat(path, &owner) == 0, owner.st_uid != 0 else { return }
        // A failure leaves it to root, who can still read it.
        _ = fchown(descriptor, owner.st_uid, owner.st_gid)
    }

    /// The absolute path without links; the path itself where there is no such file.
    static func absolute(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// What an input is called in derived ids: compressing it does not change the name.
    static func sourceName(of path: String) -> String {
        guard path != "-" else { return path }
        let full = absolute(path)
        return full.hasSuffix(".gz") ? String(full.dropLast(3)) : full
    }
}

/// How many threads run at once here.
enum Processors {
    static var count: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
