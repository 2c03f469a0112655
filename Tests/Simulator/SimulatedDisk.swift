// The file system of the simulated machine: what outlives processes, and what outlives the power.
// Calls as the system offers them; who makes them, and what goes wrong, is `SimulatedProcess`'s.

import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The value of `errno` after a call that failed.
struct CallError: Error {
    let code: Int32
    init(_ code: Int32) { self.code = code }
}

/// How a schedule's disk behaves.
struct DiskTraits {
    /// Smaller than real sectors, so that blocks of a few lines span several.
    var sectorByteCount = 64
    /// Whether changes of names keep their order across a power cut.
    var isOrdered = false
}

/// Files, folders, names and locks.
final class SimulatedDisk {
    /// What a file without a byte takes.
    private static let fileByteCount = 64

    let clock: SimulatedClock
    private(set) var random: SeededGenerator
    private let traits: DiskTraits
    private let root: FolderNode
    private var files: [FileNode] = []
    private var freeInodes: [UInt64] = []
    private var inodeCount: UInt64 = 2
    /// Bytes of one that is gone, which a power cut may bring back.
    private var garbage: [UInt8] = []
    /// All that files may take together.
    var byteCountMax = Int.max

    init(clock: SimulatedClock, traits: DiskTraits, seed: UInt64) {
        self.clock = clock
        self.traits = traits
        random = SeededGenerator(seed: seed)
        root = FolderNode(inode: 2)
    }

    var byteCount: Int { files.reduce(0) { $0 + $1.cache.count + Self.fileByteCount } }
    private var freeByteCount: Int { max(0, byteCountMax - byteCount) }

    private func makeInode() -> UInt64 {
        if let reused = freeInodes.popLast() { return reused }
        inodeCount += 1
        return inodeCount
    }

    /// Forgets a file that no name and no handle leads to.
    func release(_ node: Node) {
        guard node.linkCount == 0, node.openCount == 0, let file = node as? FileNode,
            let index = files.firstIndex(where: { $0 === file })
        else { return }
        files.remove(at: index)
        freeInodes.append(file.inode)
        garbage = file.cache
    }

    // MARK: Folders

    /// The folder at an absolute path.
    func folder(at path: String) throws(CallError) -> FolderNode {
        var folder = root
        for name in path.split(separator: "/") {
            folder = try self.folder(String(name), in: folder)
        }
        return folder
    }

    func folder(_ name: String, in folder: FolderNode) throws(CallError) -> FolderNode {
        switch name {
        case ".": return folder
        case "..": return folder.parent ?? folder
        default:
            guard let node = folder[name] else { throw CallError(ENOENT) }
            guard let found = node as? FolderNode else { throw CallError(ENOTDIR) }
            return found
        }
    }

    func makeFolder(at path: String) throws(CallError) {
        var names = path.split(separator: "/").map(String.init)
        let last = names.popLast() ?? ""
        try makeFolder(last, in: try folder(at: names.joined(separator: "/")))
    }

    func makeFolder(_ name: String, in folder: FolderNode) throws(CallError) {
        if folder[name] != nil { throw CallError(EEXIST) }
        try demandSpace()
        let made = FolderNode(inode: makeInode())
        made.parent = folder
        folder.add(name, made)
    }

    // MARK: Files

    func file(_ name: String, in folder: FolderNode) throws(CallError) -> FileNode {
        guard let node = folder[name] else { throw CallError(ENOENT) }
        guard let file = node as? FileNode else { throw CallError(EISDIR) }
        return file
    }

    func makeFile(_ name: String, in folder: FolderNode) throws(CallError) -> FileNode {
        if folder[name] != nil { throw CallError(EEXIST) }
        try demandSpace()
        let file = FileNode(inode: makeInode(), sectorByteCount: traits.sectorByteCount)
        file.modified = clock.fileTime
        files.append(file)
        folder.add(name, file)
        return file
    }

    private func demandSpace() throws(CallError) {
        if freeByteCount < Self.fileByteCount { throw CallError(ENOSPC) }
    }

    /// Writes as many bytes as there is room for.
    func write(
        _ bytes: UnsafeRawBufferPointer, to file: FileNode, at offset: Int64
    ) throws(CallError) -> Int {
        let growth = Int(offset) + bytes.count - file.cache.count
        let excess = max(0, growth - freeByteCount)
        let count = bytes.count - excess
        if count <= 0, !bytes.isEmpty { throw CallError(ENOSPC) }
        file.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: Int(offset))
        file.modified = clock.fileTime
        return count
    }

    func truncate(_ file: FileNode, to byteCount: Int64) {
        file.truncate(to: Int(byteCount))
        file.modified = clock.fileTime
    }

    // MARK: Names

    func link(_ name: String, to newName: String, in folder: FolderNode) throws(CallError) {
        guard let node = folder[name] else { throw CallError(ENOENT) }
        if folder[newName] != nil { throw CallError(EEXIST) }
        try demandSpace()
        folder.add(newName, node)
    }

    func rename(_ name: String, to newName: String, in folder: FolderNode) throws(CallError) {
        if folder[name] == nil { throw CallError(ENOENT) }
        if let replaced = folder.move(name, to: newName) { release(replaced) }
    }

    func unlink(_ name: String, in folder: FolderNode) throws(CallError) {
        if folder[name] is FolderNode { throw CallError(EISDIR) }
        guard let node = folder.remove(name) else { throw CallError(ENOENT) }
        release(node)
    }

    // MARK: Locks

    /// As `flock` does: what a handle held before is given up first, also where the other is not had.
    func lock(_ file: FileNode, by handle: Int32, exclusively: Bool) -> Bool {
        unlock(file, by: handle)
        if file.exclusiveHolder != nil { return false }
        if exclusively {
            if !file.sharedHolders.isEmpty { return false }
            file.exclusiveHolder = handle
        } else {
            file.sharedHolders.append(handle)
        }
        return true
    }

    func unlock(_ file: FileNode, by handle: Int32) {
        if file.exclusiveHolder == handle { file.exclusiveHolder = nil }
        file.sharedHolders.removeAll { $0 == handle }
    }

    /// Every file in a folder and those below, by path, with its bytes.
    func files(below path: String) -> [(path: String, bytes: [UInt8])] {
        guard let folder = try? folder(at: path) else { return [] }
        var found: [(path: String, bytes: [UInt8])] = []
        for name in folder.entries.keys.sorted() {
            switch folder[name] {
            case let file as FileNode: found.append(("\(path)/\(name)", file.cache))
            case is FolderNode: found += files(below: "\(path)/\(name)")
            default: break
            }
        }
        return found
    }

    // MARK: Accidents

    /// As after a quiet while.
    func syncEverything() { root.sync() }

    func failSync(_ file: FileNode) { file.failSync(&random) }
    func failSync(_ folder: FolderNode) { folder.failSync(&random) }

    /// The power goes out and comes back; no process is left.
    ///
    /// - Returns: How many sectors and changes of names are lost.
    func losePower() -> Int {
        var lossCount = 0
        var kept: [FileNode] = []
        losePower(root, &kept, &lossCount)
        files = []
        (freeInodes, inodeCount) = ([], 2)
        for file in kept where file.linkCount == 0 {
            lossCount += file.losePower(&random, garbage: garbage)
        }
        count(root)
        return lossCount
    }

    private func losePower(_ folder: FolderNode, _ found: inout [FileNode], _ lossCount: inout Int)
    {
        for name in folder.entries.keys.sorted() { folder.entries[name]?.linkCount = 0 }
        lossCount += folder.losePower(&random, isOrdered: traits.isOrdered)
        for name in folder.entries.keys.sorted() {
            let node = folder.entries[name]
            node?.linkCount = 0
            node?.openCount = 0
            if let inner = node as? FolderNode { losePower(inner, &found, &lossCount) }
            if let file = node as? FileNode, !found.contains(where: { $0 === file }) {
                found.append(file)
            }
        }
    }

    /// Counts links, and numbers what there is, anew.
    private func count(_ folder: FolderNode) {
        for name in folder.entries.keys.sorted() {
            guard let node = folder.entries[name] else { continue }
            if node.linkCount == 0 {
                node.inode = makeInode()
                if let file = node as? FileNode { files.append(file) }
            }
            node.linkCount += 1
            if let inner = node as? FolderNode { count(inner) }
        }
    }
}
