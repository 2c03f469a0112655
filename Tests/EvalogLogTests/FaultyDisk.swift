// The real disk with faults on demand: errors for coming calls, a full disk, short writes.

@testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

final class FaultyDisk: Disk {
    typealias Operation = DiskError.Operation

    struct Faults {
        /// Error numbers for the next calls of an operation, in order; 0 lets one pass.
        var next: [Operation: [Int32]] = [:]
        /// The error number of every call of an operation.
        var always: [Operation: Int32] = [:]
        /// Bytes that can still be written; a write that exceeds them is cut short.
        var freeByteCount: Int?
        /// The most bytes that one write takes.
        var writeByteCountMax: Int?
        /// The most bytes that one read gives.
        var readByteCountMax: Int?
        /// Calls that still pass before every one fails, as after a kill: what a process would have
        /// cleaned up stays.
        var callsUntilDeath: Int?
        /// Links that are made and fail all the same.
        var linkErrorsAfterwards = 0
        /// Whether its folders pretend to be another machine's.
        var isRemote = false
        /// Runs before each call.
        var before: (@Sendable (Operation) -> Void)?
        var calls: [Operation] = []
    }

    private let real = PosixDisk()
    private let state = Monitor(Faults())

    func set(_ change: (inout Faults) -> Void) { state.withLock(change) }
    func takeCalls() -> [Operation] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    private func check(_ operation: Operation) throws(DiskError) {
        state.withLock { $0.before }?(operation)
        let code: Int32 = state.withLock { state in
            state.calls.append(operation)
            if let left = state.callsUntilDeath {
                if left == 0 { return EIO }
                state.callsUntilDeath = left - 1
            }
            if var next = state.next[operation], !next.isEmpty {
                let code = next.removeFirst()
                state.next[operation] = next
                return code
            }
            return state.always[operation] ?? 0
        }
        if code != 0 { throw DiskError(operation: operation, path: "", code: code) }
    }

    func openFolder(_ path: String) throws(DiskError) -> DiskHandle {
        try check(.openFolder)
        return try real.openFolder(path)
    }
    func openFolder(_ name: String, in folder: DiskHandle) throws(DiskError) -> DiskHandle {
        try check(.openFolder)
        return try real.openFolder(name, in: folder)
    }
    func makeFolder(_ path: String) throws(DiskError) {
        try check(.makeFolder)
        try real.makeFolder(path)
    }
    func makeFolder(_ name: String, in folder: DiskHandle) throws(DiskError) {
        try check(.makeFolder)
        try real.makeFolder(name, in: folder)
    }
    func isRemote(_ folder: DiskHandle) throws(DiskError) -> Bool {
        try check(.status)
        return state.withLock { $0.isRemote } ? true : try real.isRemote(folder)
    }
    func list(_ folder: DiskHandle) throws(DiskError) -> [String] {
        try check(.list)
        return try real.list(folder)
    }
    func openFile(_ name: String, in folder: DiskHandle) throws(DiskError) -> DiskHandle {
        try check(.open)
        return try real.openFile(name, in: folder)
    }
    func createFile(_ name: String, in folder: DiskHandle) throws(DiskError) -> DiskHandle {
        try check(.create)
        return try real.createFile(name, in: folder)
    }
    func status(of name: String, in folder: DiskHandle) throws(DiskError) -> FileStatus {
        try check(.status)
        return try real.status(of: name, in: folder)
    }
    func status(of file: DiskHandle) throws(DiskError) -> FileStatus {
        try check(.status)
        return try real.status(of: file)
    }
    func read(
        _ file: DiskHandle, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(DiskError) -> Int {
        try check(.read)
        let limit = state.withLock { $0.readByteCountMax } ?? buffer.count
        return try real.read(
            file, at: offset,
            into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(limit)))
    }
    func write(
        _ file: DiskHandle, at offset: Int64, from bytes: UnsafeRawBufferPointer
    ) throws(DiskError) -> Int {
        try check(.write)
        let (limit, free) = state.withLock { ($0.writeByteCountMax, $0.freeByteCount) }
        let count = min(bytes.count, limit ?? bytes.count, free ?? bytes.count)
        if count == 0 { throw DiskError(operation: .write, path: "", code: ENOSPC) }
        let written = try real.write(
            file, at: offset, from: UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
        state.withLock { $0.freeByteCount = $0.freeByteCount.map { $0 - written } }
        return written
    }
    func truncate(_ file: DiskHandle, to byteCount: Int64) throws(DiskError) {
        try check(.truncate)
        let before = try real.status(of: file).byteCount
        try real.truncate(file, to: byteCount)
        state.withLock { $0.freeByteCount = $0.freeByteCount.map { $0 + Int(before - byteCount) } }
    }
    func syncFile(_ file: DiskHandle) throws(DiskError) {
        // Nobody cuts the power here; counting is enough, and much faster.
        try check(.syncFile)
    }
    func syncFolder(_ folder: DiskHandle) throws(DiskError) {
        try check(.syncFolder)
    }
    func lock(_ file: DiskHandle, exclusively: Bool) throws(DiskError) -> Bool {
        try check(.lock)
        return try real.lock(file, exclusively: exclusively)
    }
    func link(_ name: String, to newName: String, in folder: DiskHandle) throws(DiskError) {
        try check(.link)
        try real.link(name, to: newName, in: folder)
        let fails = state.withLock { state in
            defer { state.linkErrorsAfterwards = max(0, state.linkErrorsAfterwards - 1) }
            return state.linkErrorsAfterwards > 0
        }
        if fails { throw DiskError(operation: .link, path: "", code: EIO) }
    }
    func rename(_ name: String, to newName: String, in folder: DiskHandle) throws(DiskError) {
        try check(.rename)
        try real.rename(name, to: newName, in: folder)
    }
    func unlink(_ name: String, in folder: DiskHandle) throws(DiskError) {
        try check(.unlink)
        try real.unlink(name, in: folder)
    }
    func close(_ handle: DiskHandle) { real.close(handle) }
}
