// One segment while its writer holds it open.
//
// The order of calls in a segment's life:
//
//     create .tmp-… (exclusive, no links, 0600)   nobody sees it
//     flock exclusively                           from now on it is a live writer's
//     write the first block
//     link to its name, unlink .tmp-…             readers see whole blocks from the start
//     status, write              for each block   whole or cut back again
//     sync the file, then the folders once        `.synced` only: confirmed
//     write the seal, close                       no more to come; the lock goes with the handle
//
// One that is given up stays locked until the segment is closed that has its lines as well.
//
// A kill leaves whole blocks, at most one torn one behind them, and no lock: a dead segment, which
// readers take as it is and maintenance finishes. Nobody ever appends to it again.

/// A segment being written. Used by one thread at a time; closes itself.
final class SegmentFile {
    /// Why a block is not in the segment.
    enum Failure: Error {
        /// The segment is whole up to its last block and can go on.
        case refused(DiskError)
        /// The segment cannot be trusted or extended any more.
        case broken(DiskError)
        /// Someone deleted the file or changed its length.
        case gone
    }

    let name: SegmentName
    /// Monotonic time of its making.
    let openedAt: Int64
    /// Where the next member goes: the end of the last whole one.
    private(set) var byteCount: Int64 = 0
    /// Range and times of the run so far, as its seal will say them.
    private(set) var run: BlockHeader
    private(set) var lineCount = 0

    private let directory: LogDirectory
    private let handle: DiskHandle
    /// The last request to end segments from before this one was made.
    private let answered: FileStatus?
    /// The oldest segment given up whose lines may be in this one as well. Whoever erases a line sees it
    /// held until the last copy is where it can be rewritten, and whoever asked for its end has
    /// asked for that of this one.
    private let predecessor: SegmentFile?
    private var chain: UInt32 = 0
    private var isFolderSynced = false

    private var disk: any Disk { directory.disk }

    /// Makes a segment that holds its first block.
    ///
    /// - Parameters:
    ///   - name: Its number is raised where the name is taken.
    ///   - block: Is linked to its place.
    ///   - predecessor: A segment given up whose lines are to be written again.
    /// - Throws: The first failed call; nothing is left under the name then.
    init(
        _ name: SegmentName, in directory: LogDirectory, first block: inout EncodedBlock,
        after predecessor: SegmentFile?, monotonicTime: Int64
    ) throws(LogError) {
        let folder = try directory.makeFolder(of: name.kind)
        defer { directory.disk.close(folder) }
        chain = block.link(toChain: 0)
        // Before the segment is seen: whoever sees it and asks then has asked for it.
        let request = RollRequest.current(in: folder, on: directory.disk)
        answered = if let predecessor { predecessor.answered } else { request }
        self.predecessor = predecessor
        do {
            (handle, self.name) = try Self.make(name, block, in: folder, directory.disk)
        } catch {
            throw .disk(directory.located(error, in: name.kind, name: name.description))
        }
        self.directory = directory
        openedAt = monotonicTime
        run = block.header
        count(block)
    }

    deinit { disk.close(handle) }

    /// The one whose lock tells that lines of this one are not all where they will stay.
    var oldest: SegmentFile { predecessor ?? self }

    private static func make(
        _ name: SegmentName, _ block: EncodedBlock, in folder: DiskHandle, _ disk: any Disk
    ) throws(DiskError) -> (DiskHandle, SegmentName) {
        var attempt = 0
        while true {
            let file = try NewFile("\(name.writer)-\(name.number)", in: folder, on: disk)
            do throws(DiskError) {
                // A machine may sleep between two calls until others take the file for a dead writer's.
                let isHeld = try disk.lock(file.handle, exclusively: true)
                if isHeld || attempt == LogLimits.nameAttemptCount {
                    try disk.writeFully(file.handle, at: 0, from: block.bytes)
                    return (file.handle, try publish(file, as: name))
                }
            } catch {
                if !error.isMissing || attempt == LogLimits.nameAttemptCount {
                    file.discard()
                    disk.close(file.handle)
                    throw error
                }
            }
            file.discard()
            disk.close(file.handle)
            attempt += 1
        }
    }

    private static func publish(
        _ file: NewFile, as name: SegmentName
    ) throws(DiskError) -> SegmentName {
        var free = name
        while true {
            do {
                try file.publish(as: free.description)
                return free
            } catch  where error.isTaken && free.number - name.number < LogLimits.nameAttemptCount {
                free.number += 1
            }
        }
    }

    /// Links one more block to its place and writes it, whole or not at all.
    func append(_ block: inout EncodedBlock) throws(Failure) {
        let next = block.link(toChain: chain)
        do {
            let status = try disk.status(of: handle)
            guard status.linkCount > 0, status.byteCount == byteCount else { throw Failure.gone }
        } catch let error as DiskError {
            throw .broken(located(error))
        } catch {
            throw .gone
        }
        do {
            try disk.writeFully(handle, at: byteCount, from: block.bytes)
        } catch {
            let error = located(error)
            do { try disk.truncate(handle, to: byteCount) } catch { throw .broken(located(error)) }
            // A full disk may pass; anything else says that the file is not to be relied on.
            throw error.isNoSpace ? .refused(error) : .broken(error)
        }
        chain = next
        count(block)
    }

    private func count(_ block: EncodedBlock) {
        byteCount += Int64(block.bytes.count)
        let header = block.header
        guard header.isBlock else { return }
        lineCount += Int(header.count)
        run.leastEventTime = min(run.leastEventTime, header.leastEventTime)
        run.greatestEventTime = max(run.greatestEventTime, header.greatestEventTime)
        run.appendTime = max(run.appendTime, header.appendTime)
    }

    /// Whether maintenance asked for the end of the segment since it was made.
    func isAskedToEnd() -> Bool {
        guard let folder = try? directory.openFolder(of: name.kind) else { return false }
        defer { disk.close(folder) }
        guard let request = RollRequest.current(in: folder, on: disk) else { return false }
        return request != answered
    }

    /// Ends the run. A segment whose seal could not be written is as whole without it.
    func seal(isFinal: Bool, deflater: Deflater) throws(Failure) {
        let header = BlockHeader(
            flags: isFinal ? [.seal, .final] : .seal, stream: run.stream,
            generation: run.generation, writer: run.writer, first: run.first,
            count: UInt32(clamping: lineCount), leastEventTime: run.leastEventTime,
            greatestEventTime: run.greatestEventTime, appendTime: run.appendTime)
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        var block = EncodedBlock(header, text: nothing, deflater: deflater)
        try append(&block)
    }

    /// Returns once the disk has confirmed every block and, for a new file, its name.
    func sync() throws(LogError) {
        do { try disk.syncFile(handle) } catch { throw .disk(located(error)) }
        if isFolderSynced { return }
        isFolderSynced = try directory.syncFolders(of: name.kind)
    }

    private func located(_ error: DiskError) -> DiskError {
        directory.located(error, in: name.kind, name: name.description)
    }
}
