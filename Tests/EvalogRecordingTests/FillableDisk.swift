// The real disk, which is full or denies access when the test says so.

import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

final class FillableDisk: Disk {
    private let real = PosixDisk()
    /// The error number of every write and of making files and folders.
    private let writing = Mutable<Int32?>(nil)
    /// The error number of opening files for reading.
    private let reading = Mutable<Int32?>(nil)
    /// The folder that cannot be made.
    private let unmade = Mutable<String?>(nil)

    /// Called before every write.
    private let beforeWrite = Mutable<(@Sendable () -> Void)?>(nil)

    func beforeWrites(_ call: (@Sendable () -> Void)?) { beforeWrite.withValue { $0 = call } }
    func failWrites(_ code: Int32?) { writing.withValue { $0 = code } }
    func failMaking(_ folder: String?) { unmade.withValue { $0 = folder } }
    func failReads(_ code: Int32?) { reading.withValue { $0 = code } }

    private func check(_ code: Int32?, _ operation: DiskError.Operation) throws(DiskError) {
        if let code { throw DiskError(operation: operation, path: "", code: code) }
    }

    func openFolder(_ path: String) throws(DiskError) -> DiskHandle { try real.openFolder(path) }
    func openFolder(_ name: String, in folder: DiskHandle) throws(DiskError) -> DiskHandle {
        try real.openFolder(name, in: folder)
    }
    func makeFolder(_ path: String) throws(DiskError) {
        try check(writing.withValue { $0 }, .makeFolder)
        try real.makeFolder(path)
    }
    func makeFolder(_ name: String, in folder: DiskHandle) throws(DiskError) {
        try check(unmade.withValue { $0 } == name ? EACCES : nil, .makeFolder)
        try check(writing.withValue { $0 }, .makeFolder)
        try real.makeFolder(name, in: folder)
    }
    func isRemote(_ folder: DiskHandle) throws(DiskError) -> Bool { try real.isRemote(folder) }
    func list(_ folder: DiskHandle) throws(DiskError) -> [String] { try real.list(folder) }
    func openFile(_ name: String, in folder: DiskHandle) throws(DiskError) -> DiskHandle {
        try check(reading.withValue { $0 }, .open)
        return try real.openFile(name, in: folder)
    }
    func createFile(_ name: String, in folder: DiskHandle) throws(DiskError) -> DiskHandle {
        try check(writing.withValue { $0 }, .create)
        return try real.createFile(name, in: folder)
    }
    func status(of name: String, in folder: DiskHandle) throws(DiskError) -> FileStatus {
        try real.status(of: name, in: folder)
    }
    func status(of file: DiskHandle) throws(DiskError) -> FileStatus { try real.status(of: file) }
    func read(
        _ file: DiskHandle, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(DiskError) -> Int {
        try real.read(file, at: offset, into: buffer)
    }
    func write(
        _ file: DiskHandle, at offset: Int64, from bytes: UnsafeRawBufferPointer
    ) throws(DiskError) -> Int {
        beforeWrite.withValue { $0 }?()
        try check(writing.withValue { $0 }, .write)
        return try real.write(file, at: offset, from: bytes)
    }
    func truncate(_ file: DiskHandle, to byteCount: Int64) throws(DiskError) {
        try real.truncate(file, to: byteCount)
    }
    func syncFile(_ file: DiskHandle) throws(DiskError) { try real.syncFile(file) }
    func syncFolder(_ folder: DiskHandle) throws(DiskError) { try real.syncFolder(folder) }
    func lock(_ file: DiskHandle, exclusively: Bool) throws(DiskError) -> Bool {
        try real.lock(file, exclusively: exclusively)
    }
    func link(_ name: String, to newName: String, in folder: DiskHandle) throws(DiskError) {
        try real.link(name, to: newName, in: folder)
    }
    func rename(_ name: String, to newName: String, in folder: DiskHandle) throws(DiskError) {
        try real.rename(name, to: newName, in: folder)
    }
    func unlink(_ name: String, in folder: DiskHandle) throws(DiskError) {
        try real.unlink(name, in: folder)
    }
    func close(_ handle: DiskHandle) { real.close(handle) }
}
