// A process's view of the simulated disk: its handles die with it, its calls are where others come in
// between, and where things go wrong.

import EvalogLog
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One process. Used on one thread.
final class SimulatedProcess: Disk, @unchecked Sendable {
    let name: String
    private(set) var isAlive = true
    private(set) var callCount = 0
    /// Told of each call that changes something, and of each that fails.
    var observe: ((String) -> Void)?
    /// Nothing goes wrong any more.
    var isSpared = false
    /// What happened in its calls.
    private(set) var tally = Tally()

    private let disk: SimulatedDisk
    private let faults: Faults
    private let sabotage: Sabotage?
    private var random: SeededGenerator
    /// Lets other processes run; nil for one that nobody interrupts, for which no time passes either.
    private let pause: (() -> Void)?
    private var handles: [Int32: Node] = [:]
    private var handleCount: Int32 = 0
    private let number: Int32
    private var syncErrorsDue = 0

    init(
        _ name: String, number: Int, on disk: SimulatedDisk, faults: Faults = .init(),
        sabotage: Sabotage? = nil, seed: UInt64 = 0, pause: (() -> Void)? = nil
    ) {
        self.name = name
        self.number = Int32(number)
        self.disk = disk
        self.faults = faults
        self.sabotage = sabotage
        random = SeededGenerator(seed: seed)
        self.pause = pause
    }

    /// Ends it between two calls, or in the middle of one: its handles are closed, and what it calls
    /// from now on fails.
    func kill() {
        isAlive = false
        for handle in handles.keys.sorted() { shut(handle) }
    }

    private static let handleCountMax: Int32 = 1_000_000

    static func number(ofHandle handle: Int32) -> Int { Int(handle / handleCountMax) }

    var openHandleCount: Int { handles.count }

    private func happens(_ chance: Int, _ accident: Accident) -> Bool {
        guard chance > 0, !isSpared, Int.random(in: 0..<1_000, using: &random) < chance else {
            return false
        }
        tally.count(accident)
        return true
    }

    private func call<Result>(
        _ operation: DiskError.Operation, _ path: String,
        _ body: () throws(CallError) -> Result
    ) throws(DiskError) -> Result {
        callCount += 1
        if isAlive, let pause {
            disk.clock.advance(by: .random(in: 20...400, using: &random))
            pause()
        }
        var result: Result?
        defer { observe?("\(operation) \(path)\(result == nil ? " fails" : "")") }
        _ = try DiskError.repeating(operation, path) { () -> Int in
            do throws(CallError) {
                if !isAlive { throw CallError(ESRCH) }
                if happens(faults.interruption, .interruptedCall) { throw CallError(EINTR) }
                result = try body()
                return 0
            } catch {
                errno = error.code
                return -1
            }
        }
        guard let result else { preconditionFailure("a call that succeeds has a result") }
        return result
    }

    private func failAtRandom() throws(CallError) {
        guard happens(faults.otherError, .otherError) else { return }
        throw CallError([EIO, EMFILE, ENOMEM].randomElement(using: &random) ?? EIO)
    }

    /// Some calls fail and have been carried out all the same.
    private func failAfterwards(
        _ body: () throws(CallError) -> Void
    ) throws(CallError) {
        try failAtRandom()
        try body()
        if happens(faults.otherError, .errorOfACallCarriedOut) {
            throw CallError(EIO)
        }
    }

    // MARK: Handles

    private func open(_ node: Node) -> DiskHandle {
        handleCount += 1
        let handle = number * Self.handleCountMax + handleCount
        handles[handle] = node
        node.openCount += 1
        return DiskHandle(number: handle)
    }

    private func shut(_ handle: Int32) {
        guard let node = handles.removeValue(forKey: handle) else { return }
        node.openCount -= 1
        if let file = node as? FileNode { disk.unlock(file, by: handle) }
        disk.release(node)
    }

    private func file(_ handle: DiskHandle) throws(CallError) -> FileNode {
        guard let file = handles[handle.number] as? FileNode else { throw CallError(EBADF) }
        return file
    }

    private func folder(_ handle: DiskHandle) throws(CallError) -> FolderNode {
        guard let folder = handles[handle.number] as? FolderNode else { throw CallError(EBADF) }
        return folder
    }

    func close(_ handle: DiskHandle) { shut(handle.number) }

    // MARK: Folders

    func openFolder(_ path: String) throws(DiskError) -> DiskHandle {
        try call(.openFolder, path) { () throws(CallError) in
            try failAtRandom()
            return open(try disk.folder(at: path))
        }
    }

    func openFolder(_ name: String, in folder: DiskHandle) throws(DiskError) -> DiskHandle {
        try call(.openFolder, name) { () throws(CallError) in
            try failAtRandom()
            return open(try disk.folder(name, in: try self.folder(folder)))
        }
    }

    func makeFolder(_ path: String) throws(DiskError) {
        do {
            try call(.makeFolder, path) { () throws(CallError) in
                try failAtRandom()
                try disk.makeFolder(at: path)
            }
        } catch  where error.isTaken {}
    }

    func makeFolder(_ name: String, in folder: DiskHandle) throws(DiskError) {
        do {
            try call(.makeFolder, name) { () throws(CallError) in
                try failAtRandom()
                try disk.makeFolder(name, in: try self.folder(folder))
            }
        } catch  where error.isTaken {}
    }

    func isRemote(_ folder: DiskHandle) throws(DiskError) -> Bool {
        try call(.status, "") { () throws(CallError) in
            try failAtRandom()
            return false
        }
    }

    func list(_ folder: DiskHandle) throws(DiskError) -> [String] {
        try call(.list, ".") { () throws(CallError) in
            try failAtRandom()
            let node = try self.folder(folder)
            let names = node.entries.keys.sorted().shuffled(using: &random)
            guard let pause, names.count > 1, happens(faults.visibleHalf, .halfAListRead) else {
                return names
            }
            // The system hands out a long list in pieces, and says nothing of what comes meanwhile.
            let first = names.prefix(names.count / 2)
            pause()
            if !isAlive { throw CallError(ESRCH) }
            return first + names.dropFirst(first.count).filter { node[$0] != nil }
        }
    }

    // MARK: Files

    func openFile(_ name: String, in folder: DiskHandle) throws(DiskError) -> DiskHandle {
        try call(.open, name) { () throws(CallError) in
            try failAtRandom()
            return open(try disk.file(name, in: try self.folder(folder)))
        }
    }

    func createFile(_ name: String, in folder: DiskHandle) throws(DiskError) -> DiskHandle {
        try call(.create, name) { () throws(CallError) in
            try failAtRandom()
            return open(try disk.makeFile(name, in: try self.folder(folder)))
        }
    }

    func status(of name: String, in folder: DiskHandle) throws(DiskError) -> FileStatus {
        try call(.status, name) { () throws(CallError) in
            try failAtRandom()
            guard let node = try self.folder(folder)[name] else { throw CallError(ENOENT) }
            return FileStatus(node)
        }
    }

    func status(of file: DiskHandle) throws(DiskError) -> FileStatus {
        try call(.status, "") { () throws(CallError) in
            try failAtRandom()
            return FileStatus(try self.file(file))
        }
    }

    func read(
        _ file: DiskHandle, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(DiskError) -> Int {
        try call(.read, "") { () throws(CallError) in
            let bytes = try self.file(file).cache
            if sabotage == .hidesReadErrors, happens(20, .readError) { return 0 }
            if happens(faults.readError, .readError) { throw CallError(EIO) }
            let start = min(Int(offset), bytes.count)
            var count = min(buffer.count, bytes.count - start)
            if count > 1, happens(faults.shortTransfer, .shortRead) {
                count = .random(in: 1..<count, using: &random)
            }
            bytes.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
            }
            return count
        }
    }

    func write(
        _ file: DiskHandle, at offset: Int64, from bytes: UnsafeRawBufferPointer
    ) throws(DiskError) -> Int {
        try call(.write, "") { () throws(CallError) in
            let node = try self.file(file)
            if happens(faults.writeError, .writeError) {
                let part = bytes.prefix(.random(in: 0...bytes.count, using: &random))
                _ = try disk.write(UnsafeRawBufferPointer(rebasing: part), to: node, at: offset)
                throw CallError(EIO)
            }
            var part = bytes
            if bytes.count > 1, happens(faults.shortTransfer, .shortWrite) {
                let count = Int.random(in: 1..<bytes.count, using: &random)
                part = UnsafeRawBufferPointer(rebasing: bytes[..<count])
            }
            let count = try write(part, to: node, at: offset)
            if count < bytes.count { tally.count(.partialWrite) }
            return sabotage == .hidesShortWrite ? bytes.count : count
        }
    }

    /// Writes at once, or so that others see the half of it.
    private func write(
        _ bytes: UnsafeRawBufferPointer, to node: FileNode, at offset: Int64
    ) throws(CallError) -> Int {
        guard let pause, bytes.count > 1, happens(faults.visibleHalf, .halfAWriteSeen) else {
            return try disk.write(bytes, to: node, at: offset)
        }
        let half = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)])
        let first = try disk.write(half, to: node, at: offset)
        if first < half.count { return first }
        pause()
        if !isAlive { throw CallError(ESRCH) }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[half.count...])
        return first + ((try? disk.write(rest, to: node, at: offset + Int64(first))) ?? 0)
    }

    func truncate(_ file: DiskHandle, to byteCount: Int64) throws(DiskError) {
        try call(.truncate, "") { () throws(CallError) in
            let node = try self.file(file)
            try failAfterwards { () throws(CallError) in
                if sabotage != .skipsTruncation { disk.truncate(node, to: byteCount) }
            }
        }
    }

    // MARK: Durability and names

    private func isSyncFailing() -> Bool {
        if syncErrorsDue > 0, !isSpared {
            syncErrorsDue -= 1
            tally.count(.secondFailedSync)
            return true
        }
        guard happens(faults.syncError, .failedSync) else { return false }
        if happens(faults.secondSyncError, .syncToFailTwice) { syncErrorsDue = 1 }
        return true
    }

    func syncFile(_ file: DiskHandle) throws(DiskError) {
        try call(.syncFile, "") { () throws(CallError) in
            let node = try self.file(file)
            if sabotage == .skipsFileSync { return }
            guard isSyncFailing() else { return node.sync() }
            disk.failSync(node)
            if sabotage != .hidesSyncFailure { throw CallError(syncCode()) }
        }
    }

    func syncFolder(_ folder: DiskHandle) throws(DiskError) {
        try call(.syncFolder, "") { () throws(CallError) in
            let node = try self.folder(folder)
            if sabotage == .skipsFolderSync { return }
            guard isSyncFailing() else { return node.sync() }
            disk.failSync(node)
            if sabotage != .hidesSyncFailure { throw CallError(syncCode()) }
        }
    }

    private func syncCode() -> Int32 { Bool.random(using: &random) ? EIO : ENOSPC }

    func lock(_ file: DiskHandle, exclusively: Bool) throws(DiskError) -> Bool {
        try call(.lock, "") { () throws(CallError) in
            try failAtRandom()
            let node = try self.file(file)
            let isHad = disk.lock(node, by: file.number, exclusively: exclusively)
            return isHad || sabotage == .ignoresLocks
        }
    }

    func link(_ name: String, to newName: String, in folder: DiskHandle) throws(DiskError) {
        try call(.link, newName) { () throws(CallError) in
            let node = try self.folder(folder)
            try failAfterwards { () throws(CallError) in
                try disk.link(name, to: newName, in: node)
            }
        }
    }

    func rename(_ name: String, to newName: String, in folder: DiskHandle) throws(DiskError) {
        try call(.rename, newName) { () throws(CallError) in
            let node = try self.folder(folder)
            try failAfterwards { () throws(CallError) in
                try disk.rename(name, to: newName, in: node)
            }
        }
    }

    func unlink(_ name: String, in folder: DiskHandle) throws(DiskError) {
        try call(.unlink, name) { () throws(CallError) in
            let node = try self.folder(folder)
            if sabotage == .skipsUnlink, node[name] != nil { return }
            try failAfterwards { () throws(CallError) in try disk.unlink(name, in: node) }
        }
    }
}

extension FileStatus {
    fileprivate init(_ node: Node) {
        self.init(
            kind: node is FolderNode ? .folder : .file,
            byteCount: Int64((node as? FileNode)?.cache.count ?? 0), inode: node.inode,
            linkCount: node.linkCount, modified: node.modified)
    }
}
