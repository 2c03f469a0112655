// A file that is seen whole or not at all: written under a name that readers pass over, and only
// then linked to its own.

/// A file in the making. Whoever makes one publishes or discards it, and closes its handle.
struct NewFile {
    /// How the names of files in the making begin.
    static let prefix = ".tmp-"
    /// How the stems of those begin that maintenance makes: under its lock, one that is there
    /// already was left by a process that died.
    static let maintenanceStem = "maintenance-"

    let handle: DiskHandle
    private let temporary: String
    private let folder: DiskHandle
    private let disk: any Disk

    /// Creates an empty file.
    ///
    /// - Parameter stem: Says in the temporary name what the file will be.
    init(_ stem: String, in folder: DiskHandle, on disk: any Disk) throws(DiskError) {
        self.folder = folder
        self.disk = disk
        var attempt = 0
        while true {
            let name = "\(Self.prefix)\(stem)-\(attempt)"
            do {
                handle = try disk.createFile(name, in: folder)
                temporary = name
                return
            } catch  where error.isTaken && attempt < LogLimits.nameAttemptCount {
                attempt += 1
            }
        }
    }

    /// Gives the file its name, by link: where the name exists in any form nothing has changed
    /// after the error.
    func publish(as name: String) throws(DiskError) {
        do {
            try disk.link(temporary, to: name, in: folder)
        } catch {
            // A call may fail that was carried out: then the file has its name all the same.
            guard let status = try? disk.status(of: handle), status.linkCount > 1 else {
                throw error
            }
        }
        // Where this fails the file has a second name that readers pass over.
        discard()
    }

    /// Gives the file its name, by renaming: whatever has the name gives way to it, at once.
    func replace(_ name: String) throws(DiskError) {
        try disk.rename(temporary, to: name, in: folder)
    }

    /// Takes the temporary name away, which deletes a file that has no other.
    func discard() { try? disk.unlink(temporary, in: folder) }
}
