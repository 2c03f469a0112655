// Files that are either whole or not there.

import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder of results, each file of which is replaced at once.
///
/// Files are written beside their places under temporary names, synced, and renamed: a reader sees
/// the old bytes or the new ones.
struct OutputFolder {
    /// Who may read what is written.
    private enum Audience {
        /// Modes follow the umask of the person who exports, since the files are for others to read.
        case everyone
        /// Modes are 0700 and 0600, and the folder may not be a link: part of a log.
        case owner
    }

    let path: String
    private let audience: Audience

    /// Makes the folder if it is missing (its parents are not made).
    ///
    /// - Parameter log: Where the results come from.
    /// - Throws: ``CommandFailure``, also where ``LogPlace/demandOutside(_:of:)`` does.
    init(path: String, of log: LogDirectory?) throws {
        guard path != "-" else {
            throw CommandFailure(
                "- means standard output elsewhere, but this is more than one file",
                hint: "name a folder; one of that name is ./-")
        }
        try LogPlace.demandOutside(path, of: log)
        try self.init(path: path, for: .everyone)
    }

    /// Makes the folder for a part of a log if it is missing.
    init(path: String, in log: LogDirectory) throws {
        try self.init(path: "\(log.path)/\(path)", for: .owner)
    }

    private init(path: String, for audience: Audience) throws {
        self.path = path
        self.audience = audience
        if mkdir(path, audience == .owner ? 0o700 : 0o777) == 0 {
            if audience == .owner { giveToOwnerOfLog() }
        } else if errno != EEXIST {
            throw CommandFailure(
                "cannot make \(path): \(SystemError.text(errno))",
                hint: errno == ENOENT ? "make its parent folder first" : nil)
        }
        var status = stat()
        let isFound = audience == .owner ? lstat(path, &status) : stat(path, &status)
        guard isFound == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw CommandFailure(
                "\(path) is not a folder",
                hint: audience == .owner
                    ? "a file or a link stands there, and links are not followed in a log"
                    : "name another folder")
        }
    }

    private func giveToOwnerOfLog() {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        FileSystem.giveToOwner(ofFolder: FileSystem.parent(of: path), descriptor)
        close(descriptor)
    }

    /// Hands a file's bytes over in pieces.
    typealias Body = ((UnsafeRawBufferPointer) throws -> Void) throws -> Void

    static func body(_ bytes: [UInt8]) -> Body { { emit in try bytes.withUnsafeBytes(emit) } }

    /// Writes files that belong together: none takes its place before all are on the disk.
    ///
    /// - Throws: ``CommandFailure`` if the disk refuses. While writing, the old files stand unchanged;
    ///   should a rename fail, each file is still whole, old or new.
    func replace(_ files: [(name: String, body: Body)]) throws {
        try stage(files).commit()
    }

    /// Writes files under temporary names, from which ``StagedFiles/commit()`` puts them in place.
    ///
    /// - Throws: ``CommandFailure`` if the disk refuses; nothing is left then.
    func stage(_ files: [(name: String, body: Body)]) throws -> StagedFiles {
        try demandRoom(for: files.map(\.name))
        removeOrphans(of: files.map(\.name))
        let staged = StagedFiles(in: self)
        for file in files {
            let temporary = "\(path)/.\(file.name).tmp-\(getpid())"
            staged.add(temporary, for: file.name)
            let descriptor = try create(temporary)
            defer { close(descriptor) }
            let output = Output(descriptor: descriptor, name: "\(path)/\(file.name)")
            try file.body { try output.write(bytes: $0) }
            try output.flush()
            guard fsync(descriptor) == 0 else { throw failure("sync", temporary) }
        }
        return staged
    }

    /// What cannot be replaced by a file keeps all others from being replaced.
    func demandRoom(for names: [String]) throws {
        for name in names where FileSystem.isFolder("\(path)/\(name)", followingLinks: false) {
            throw CommandFailure(
                "\(path)/\(name) is a folder, where a file has to go; nothing was replaced",
                hint: "move it away, or name another folder")
        }
    }

    /// Deletes temporary files of runs that were killed: those whose process is gone.
    func removeOrphans(of names: [String]) {
        for found in FileSystem.names(in: path) {
            for name in names where found.hasPrefix(".\(name).tmp-") {
                guard let process = pid_t(found.dropFirst(name.count + 6)),
                    kill(process, 0) != 0, errno == ESRCH
                else { continue }
                unlink("\(path)/\(found)")
            }
        }
    }

    /// Creates a temporary file; one of that name was left by a run that was killed.
    private func create(_ temporary: String) throws -> Int32 {
        unlink(temporary)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(temporary, flags, audience == .owner ? 0o600 : 0o666)
        guard descriptor >= 0 else { throw failure("create", temporary) }
        if audience == .owner { FileSystem.giveToOwner(ofFolder: path, descriptor) }
        return descriptor
    }

    /// Makes the renames last through a power cut.
    func sync() throws {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync", path) }
    }

    fileprivate func failure(_ verb: String, _ file: String) -> CommandFailure {
        let code = errno
        let hint: String? =
            switch code {
            case ENOSPC, EDQUOT: "free some space and run it again"
            case EACCES, EPERM, EROFS: "check the folder's permissions"
            default: nil
            }
        return CommandFailure("cannot \(verb) \(file): \(SystemError.text(code))", hint: hint)
    }
}

/// Files that are on the disk and not yet in their places; they are deleted if they never get there,
/// also where a signal ends the run.
final class StagedFiles {
    private let folder: OutputFolder
    private var files: [(temporary: String, name: String, ending: Interrupts.Ending)] = []

    fileprivate init(in folder: OutputFolder) {
        self.folder = folder
    }

    deinit {
        for file in files {
            unlink(file.temporary)
            file.ending.cancel()
        }
    }

    /// Before the file is there: it could not be taken back between the two.
    fileprivate func add(_ temporary: String, for name: String) {
        files.append((temporary, name, Interrupts.atEnd { unlink(temporary) }))
    }

    /// Puts every file in its place.
    ///
    /// - Throws: ``CommandFailure`` that says which files were replaced, if any; each is still whole,
    ///   old or new.
    func commit() throws {
        try Interrupts.whole(putInPlace)
    }

    private func putInPlace() throws {
        try folder.demandRoom(for: files.map(\.name))
        var replaced: [String] = []
        while let (temporary, name, ending) = files.first {
            guard rename(temporary, "\(folder.path)/\(name)") == 0 else {
                throw folder.failure("replace", "\(folder.path)/\(name)").adding(
                    replaced.isEmpty
                        ? "nothing was replaced"
                        : "\(replaced.joined(separator: ", ")) \(replaced.count == 1 ? "is" : "are")"
                            + " replaced, the others are as before")
            }
            ending.cancel()
            replaced.append(name)
            files.removeFirst()
        }
        try folder.sync()
    }
}
