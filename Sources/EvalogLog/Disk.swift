// Every file call the log makes, as one small protocol, so that tests can put a disk in its place
// that tears, forgets, fills up or fails. Interrupted calls are repeated below this line, by
// `DiskError.repeating`; short reads and writes are finished just above it, in the extension.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An open file or folder; the number means something to its disk only.
package struct DiskHandle: Hashable, Sendable {
    package let number: Int32
    package init(number: Int32) { self.number = number }
}

/// What the disk knows of a file without opening it.
package struct FileStatus: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case file, folder, link, other }

    package var kind: Kind
    package var byteCount: Int64
    package var inode: UInt64
    /// How many names lead to the file; 0 when it was deleted while open.
    package var linkCount: Int
    /// Nanoseconds since 1970 at which its bytes last changed.
    package var modified: Int64

    package init(kind: Kind, byteCount: Int64, inode: UInt64, linkCount: Int, modified: Int64) {
        self.kind = kind
        self.byteCount = byteCount
        self.inode = inode
        self.linkCount = linkCount
        self.modified = modified
    }
}

/// A file call that failed: which, on what, and the system's error number.
package struct DiskError: Error, Hashable, Sendable {
    package enum Operation: String, Hashable, Sendable {
        case openFolder, makeFolder, list, open, create, status, read, write, truncate
        case syncFile, syncFolder, link, unlink, rename, lock, setMode
    }

    package var operation: Operation
    package var path: String
    /// The value of `errno`.
    package var code: Int32

    package init(operation: Operation, path: String, code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// Makes a system call, again and again while signals interrupt it.
    ///
    /// - Parameter body: The call: its result, or a negative number with `errno` set.
    package static func repeating<Result: FixedWidthInteger>(
        _ operation: Operation, _ path: @autoclosure () -> String, _ body: () -> Result
    ) throws(DiskError) -> Result {
        while true {
            let result = body()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR {
                throw DiskError(operation: operation, path: path(), code: code)
            }
        }
    }
}

/// A disk. Names are single path components below an open folder; links are never followed there.
package protocol Disk: Sendable {
    /// Opens the folder at a path whose last component is no link.
    func openFolder(_ path: String) throws(DiskError) -> DiskHandle
    func openFolder(_ name: String, in folder: DiskHandle) throws(DiskError) -> DiskHandle
    /// Makes a folder of mode 0700 whatever the umask; one that exists stays as it is.
    func makeFolder(_ path: String) throws(DiskError)
    func makeFolder(_ name: String, in folder: DiskHandle) throws(DiskError)
    /// Whether the folder lies on another machine, or where locks may not reach everyone who writes.
    func isRemote(_ folder: DiskHandle) throws(DiskError) -> Bool
    /// Every name in the folder but `.` and `..`, in no order.
    func list(_ folder: DiskHandle) throws(DiskError) -> [String]

    /// Opens for reading; never waits, whatever the name turns out to be.
    func openFile(_ name: String, in folder: DiskHandle) throws(DiskError) -> DiskHandle
    /// Creates a file of mode 0600 whatever the umask, of whom the folder is; fails where the name
    /// exists in any form.
    func createFile(_ name: String, in folder: DiskHandle) throws(DiskError) -> DiskHandle
    func status(of name: String, in folder: DiskHandle) throws(DiskError) -> FileStatus
    func status(of file: DiskHandle) throws(DiskError) -> FileStatus
    /// Reads once; fewer bytes than asked for may come, none only at the end.
    func read(
        _ file: DiskHandle, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(DiskError) -> Int
    /// Writes once; fewer bytes than given may be taken.
    func write(
        _ file: DiskHandle, at offset: Int64, from bytes: UnsafeRawBufferPointer
    ) throws(DiskError) -> Int
    func truncate(_ file: DiskHandle, to byteCount: Int64) throws(DiskError)
    /// Returns once the disk has confirmed the file's bytes and length.
    func syncFile(_ file: DiskHandle) throws(DiskError)
    /// Returns once the disk has confirmed the folder's names.
    func syncFolder(_ folder: DiskHandle) throws(DiskError)
    /// Takes an advisory lock without waiting; false when another holder is in the way, true
    /// where the file system knows no locks.
    func lock(_ file: DiskHandle, exclusively: Bool) throws(DiskError) -> Bool
    /// Gives the second name to a file; fails where it exists in any form.
    func link(_ name: String, to newName: String, in folder: DiskHandle) throws(DiskError)
    func rename(_ name: String, to newName: String, in folder: DiskHandle) throws(DiskError)
    func unlink(_ name: String, in folder: DiskHandle) throws(DiskError)
    /// Closes a handle and gives up its lock.
    func close(_ handle: DiskHandle)
}

extension Disk {
    /// Reads until the buffer is full or the file ends, and returns how many bytes came.
    func readFully(
        _ file: DiskHandle, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(DiskError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try read(file, at: offset + Int64(done), into: rest)
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Whether no live writer holds a segment.
    ///
    /// Writers lock theirs exclusively. Whoever asks locks it with all others who ask, until the
    /// handle is closed, so that nobody takes a reader, or maintenance, for a writer.
    func hasNoWriter(_ file: DiskHandle) throws(DiskError) -> Bool {
        try lock(file, exclusively: false)
    }

    /// Writes all bytes or throws; after an error any part of them may be in the file.
    func writeFully(
        _ file: DiskHandle, at offset: Int64, from bytes: UnsafeRawBufferPointer
    ) throws(DiskError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            done += try write(file, at: offset + Int64(done), from: rest)
        }
    }

    /// Writes all bytes or throws; after an error any part of them may be in the file.
    func writeFully(
        _ file: DiskHandle, at offset: Int64, from bytes: [UInt8]
    ) throws(DiskError) {
        try bytes.withUnsafeBufferPointer { buffer throws(DiskError) in
            try writeFully(file, at: offset, from: UnsafeRawBufferPointer(buffer))
        }
    }
}
