// The folder of a log: makes it private, refuses links, and tells segments from what else lies
// around. Folders are opened anew for each use, so that a log deleted and made again is found.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A log's folder on a disk. Making the value touches nothing.
package struct LogDirectory: Sendable {
    package let path: String
    package let disk: any Disk

    package init(path: String, disk: any Disk = PosixDisk()) {
        self.path = path
        self.disk = disk
    }

    /// The path that means the same wherever the process goes later; an empty one stays so, and fails.
    package static func absolute(_ path: String) -> String {
        guard !path.isEmpty, !path.hasPrefix("/"), let here = getcwd(nil, 0) else { return path }
        defer { free(here) }
        return "\(String(cString: here))/\(path)"
    }

    /// A segment as the folder shows it.
    package struct Entry: Hashable, Sendable {
        package var name: SegmentName
        package var status: FileStatus
    }

    /// A name in a stream's folder that is no segment, and why it was passed over.
    package struct Ignored: Hashable, Sendable {
        package enum Reason: String, Hashable, Sendable {
            case temporary, foreignName, link, notAFile
        }
        package var name: String
        package var reason: Reason
    }

    /// What a stream's folder holds: segments in name order, and the rest.
    package struct Listing: Sendable {
        package var segments: [Entry] = []
        package var ignored: [Ignored] = []
    }

    /// Whether a log is here: a folder that has one for facts, with segments or still without.
    ///
    /// - Throws: `LogError.disk` where that cannot be told, also where the path is a link or no folder.
    package func isLog() throws(LogError) -> Bool {
        do {
            guard let facts = try openFolder(of: .facts) else { return false }
            disk.close(facts)
            return true
        } catch  where error.isMissing {
            return false
        }
    }

    /// Makes the log's folder and that of its facts where they are missing, but none above: below a
    /// mistyped path or a disk that is not mounted a new log would go unnoticed.
    ///
    /// - Throws: `LogError.disk`, also where the path is a link or no folder. Where folders above
    ///   the log are missing, it names the uppermost of them. What is in the way of the facts shows
    ///   when they are written, for content may still be.
    package func make() throws(LogError) {
        let root = try makeRoot()
        defer { disk.close(root) }
        try? disk.makeFolder(StreamKind.facts.name, in: root)
    }

    /// Makes the folders above the log that are missing, each of mode 0700: for an app, whose
    /// container need not have them yet. A person's mistyped path is better refused.
    ///
    /// What cannot be made shows when the log's own folder is made.
    package func makeParents() {
        for slash in path.indices where path[slash] == "/" && slash != path.startIndex {
            try? disk.makeFolder(String(path[..<slash]))
        }
    }

    /// Lists a stream's folder; one that is missing in an existing log is empty.
    ///
    /// - Complexity: One status call per file.
    package func list(_ stream: LogStream) throws(LogError) -> Listing {
        guard let folder = try openFolder(of: stream.kind) else { return Listing() }
        defer { disk.close(folder) }
        return try list(folder, of: stream.kind)
    }

    /// Lists a stream's open folder. What was there all the time is in the list, whatever others do
    /// with the files meanwhile.
    func list(_ folder: DiskHandle, of kind: StreamKind) throws(LogError) -> Listing {
        for _ in 0..<LogLimits.rescanCount {
            let listing = try locating(kind) { () throws(DiskError) in
                try glance(at: folder, of: kind)
            }
            if let listing { return listing }
        }
        throw .unsteady(path: "\(path)/\(kind.name)")
    }

    /// nil where segments went, or came, that others may have been moved into: the system lists a
    /// folder in several pieces, and shows neither all that came meanwhile nor all that went.
    private func glance(at folder: DiskHandle, of kind: StreamKind) throws(DiskError) -> Listing? {
        var listing = Listing()
        let names = try disk.list(folder)
        for name in names {
            if kind == .content, name == Self.keyName { continue }
            if name == RollRequest.fileName { continue }
            if name.utf8.starts(with: NewFile.prefix.utf8) {
                listing.ignored.append(Ignored(name: name, reason: .temporary))
                continue
            }
            guard let parsed = SegmentName(name), parsed.kind == kind else {
                listing.ignored.append(Ignored(name: name, reason: .foreignName))
                continue
            }
            let status: FileStatus
            do {
                status = try disk.status(of: name, in: folder)
            } catch  where error.isMissing {
                return nil
            }
            switch status.kind {
            case .file: listing.segments.append(Entry(name: parsed, status: status))
            case .link: listing.ignored.append(Ignored(name: name, reason: .link))
            case .folder, .other: listing.ignored.append(Ignored(name: name, reason: .notAFile))
            }
        }
        let known = Set(names)
        for name in try disk.list(folder) where !known.contains(name) {
            if SegmentName(name)?.isMerged == true { return nil }
        }
        listing.segments.sort { $0.name < $1.name }
        listing.ignored.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return listing
    }

    /// Opens a stream's folder, and makes it, and the log's, where they are missing. The caller
    /// closes it.
    func makeFolder(of kind: StreamKind) throws(LogError) -> DiskHandle {
        let root = try makeRoot()
        defer { disk.close(root) }
        do {
            try disk.makeFolder(kind.name, in: root)
            return try disk.openFolder(kind.name, in: root)
        } catch {
            throw .disk(located(error, in: kind))
        }
    }

    /// Opens a stream's folder; nil where an existing log has none. The caller closes it.
    func openFolder(of kind: StreamKind) throws(LogError) -> DiskHandle? {
        let root: DiskHandle
        do { root = try disk.openFolder(path) } catch { throw .disk(error) }
        defer { disk.close(root) }
        do {
            return try disk.openFolder(kind.name, in: root)
        } catch  where error.isMissing {
            return nil
        } catch {
            throw .disk(located(error, in: kind))
        }
    }

    /// Returns once the disk has confirmed the names in a stream's folder, its own, and the log's: a
    /// file whose folder is gone after a power cut is gone as well.
    ///
    /// - Returns: false where the folder is not there.
    func syncFolders(of kind: StreamKind) throws(LogError) -> Bool {
        guard let folder = try openFolder(of: kind) else { return false }
        defer { disk.close(folder) }
        try locating(kind) { () throws(DiskError) in
            try disk.syncFolder(folder)
            let root = try disk.openFolder("..", in: folder)
            defer { disk.close(root) }
            try disk.syncFolder(root)
            try syncParent(of: root)
        }
        return true
    }

    /// Confirms the log's own name, where this user may read the folder that it lies in.
    private func syncParent(of root: DiskHandle) throws(DiskError) {
        let parent: DiskHandle
        do {
            parent = try disk.openFolder("..", in: root)
        } catch  where error.isDenied {
            return
        }
        defer { disk.close(parent) }
        do {
            try disk.syncFolder(parent)
        } catch  where error.cannotBeSynced {}
    }

    /// Opens a segment as long as the body runs.
    ///
    /// - Parameter folder: The open folder of the segment's stream.
    /// - Returns: nil where the segment is gone.
    func withSegment<Result>(
        _ name: SegmentName, in folder: DiskHandle,
        _ body: (SegmentScanner) throws(DiskError) -> Result
    ) throws(LogError) -> Result? {
        do {
            let handle = try disk.openFile(name.description, in: folder)
            defer { disk.close(handle) }
            return try body(SegmentScanner(name, handle, on: disk))
        } catch  where error.isMissing {
            return nil
        } catch {
            throw .disk(located(error, in: name.kind, name: name.description))
        }
    }

    private func makeRoot() throws(LogError) -> DiskHandle {
        do {
            do {
                return try disk.openFolder(path)
            } catch  where error.isMissing {
                try disk.makeFolder(path)
            }
            return try disk.openFolder(path)
        } catch  where error.isMissing {
            throw .disk(DiskError(operation: .openFolder, path: missingParent(), code: error.code))
        } catch {
            throw .disk(error)
        }
    }

    /// The uppermost folder on the way to the log that is not there.
    private func missingParent() -> String {
        var missing = path
        var rest = Substring(path).utf8
        while let slash = rest.lastIndex(of: UInt8(ascii: "/")) {
            rest = rest[..<slash]
            if rest.isEmpty || rest.last == UInt8(ascii: "/") { continue }
            let parent = String(Substring(rest))
            do {
                disk.close(try disk.openFolder(parent))
                break
            } catch {
                if !error.isMissing { break }
                missing = parent
            }
        }
        return missing
    }

    /// Runs file calls on a segment, or on its stream's folder, and completes their error's path.
    func locating<Result>(
        _ kind: StreamKind, _ name: String? = nil, _ body: () throws(DiskError) -> Result
    ) throws(LogError) -> Result {
        do { return try body() } catch { throw .disk(located(error, in: kind, name: name)) }
    }

    /// Completes the path of an error in a stream's folder.
    func located(_ error: DiskError, in kind: StreamKind, name: String? = nil) -> DiskError {
        var error = error
        let last = name ?? error.path
        let folder = last == kind.name || last == "." || last.isEmpty ? "" : "/" + last
        error.path = "\(path)/\(kind.name)\(folder)"
        return error
    }
}
