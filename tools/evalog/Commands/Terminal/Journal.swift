// Lines in a log's folder that tell what people did with it.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file in a log's folder to which each run adds lines; 0600, and never through a link.
struct Journal {
    let path: String
    /// What does not happen where a line cannot be added: `nothing is revealed`.
    let consequence: String

    /// Adds a line, which is on the disk on return.
    ///
    /// - Throws: ``CommandFailure`` that names the consequence.
    func append(_ line: [UInt8]) throws {
        try Interrupts.whole { try add(line) }
    }

    private func add(_ line: [UInt8]) throws {
        let descriptor = try openLocked()
        defer { close(descriptor) }
        let output = Output(descriptor: descriptor, name: path)
        if try endsInsideLine(descriptor) { try output.write(bytes: [0x0A]) }
        try output.write(bytes: line + [0x0A])
        try output.flush()
        guard fsync(descriptor) == 0 else { throw failure("synced", errno) }
    }

    /// Whether a kill or a full disk has left a part of a line, to which the next would be glued.
    private func endsInsideLine(_ descriptor: Int32) throws -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("read", errno) }
        guard status.st_size > 0 else { return false }
        var last: UInt8 = 0
        guard pread(descriptor, &last, 1, status.st_size - 1) == 1 else {
            throw failure("read", errno)
        }
        return last != 0x0A
    }

    /// - Throws: ``CommandFailure`` where no line could be added now.
    func demandWritable() throws { close(try openLocked()) }

    /// Opens the journal at its end and locks it: whoever rewrites it does so too, and puts another
    /// file in its place.
    private func openLocked() throws -> Int32 {
        // Without waiting, for a pipe would wait for its reader.
        let flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        while true {
            let descriptor = open(path, flags, 0o600)
            guard descriptor >= 0 else { throw failure("written", errno) }
            var isKept = false
            defer { if !isKept { close(descriptor) } }
            let code = FileSystem.lock(descriptor)
            guard code == 0 else { throw failure("locked", code) }
            var (own, named) = (stat(), stat())
            guard fstat(descriptor, &own) == 0 else { throw failure("read", errno) }
            guard own.st_mode & S_IFMT == S_IFREG else {
                throw CommandFailure("\(consequence), for \(path) is not a file")
            }
            guard lstat(path, &named) == 0, own.st_ino == named.st_ino else { continue }
            // Else nobody but root could add to it.
            if own.st_size == 0, own.st_nlink == 1 {
                FileSystem.giveToOwner(ofFolder: FileSystem.parent(of: path), descriptor)
            }
            isKept = true
            return descriptor
        }
    }

    private func failure(_ verb: String, _ code: Int32) -> CommandFailure {
        CommandFailure(
            "\(consequence), for \(path) cannot be \(verb): \(SystemError.text(code))",
            hint: SystemError.hint(code))
    }
}
