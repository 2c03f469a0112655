// Files that are either whole or not there.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder of results, each file of which is replaced at once.
///
/// A file is written beside its place under a temporary name, synced, renamed, and the folder
/// synced: a reader sees the old bytes or the new ones. Modes follow the umask of the person who
/// exports, since the files are for others to read.
struct OutputFolder {
    let path: String

    /// Makes the folder if it is missing (its parents are not made).
    init(path: String) throws {
        self.path = path
        if mkdir(path, 0o777) != 0, errno != EEXIST {
            throw CommandFailure(
                "cannot make \(path): \(SystemError.text(errno))",
                hint: errno == ENOENT ? "make its parent folder first" : nil)
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw CommandFailure("\(path) is not a folder", hint: "give another --to")
        }
    }

    /// Writes `name`, in the pieces that `body` hands over.
    ///
    /// - Throws: ``CommandFailure`` if the disk refuses; the old file, if any, then stands unchanged.
    func replace(_ name: String, with body: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
        let temporary = "\(path)/.\(name).tmp-\(getpid())"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure("create", temporary) }
        var isRenamed = false
        defer {
            close(descriptor)
            if !isRenamed { unlink(temporary) }
        }
        let output = Output(descriptor: descriptor, name: "\(path)/\(name)")
        try body { try output.write(bytes: Array($0)) }
        try output.flush()
        guard fsync(descriptor) == 0 else { throw failure("sync", temporary) }
        guard rename(temporary, "\(path)/\(name)") == 0 else { throw failure("rename", temporary) }
        isRenamed = true
    }

    /// Makes the renames last through a power cut.
    func sync() throws {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync", path) }
    }

    private func failure(_ verb: String, _ file: String) -> CommandFailure {
        let code = errno
        return CommandFailure(
            "cannot \(verb) \(file): \(SystemError.text(code))",
            hint: code == ENOSPC ? "free some space and run it again" : "check the folder's permissions")
    }
}
