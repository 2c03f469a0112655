// Merging two logs is copying files: lines keep their identity, so nothing can collide and what
// is copied twice counts once.

/// What copying a stream's segments did, by their names in the source.
package struct CopyReport: Hashable, Sendable {
    package var copied: [String] = []
    /// Already there, byte for byte, or but for lines that were erased in the target.
    package var present: [String] = []
    /// Deleted, moved or cut while they were copied: what took their place comes with the next
    /// copy.
    package var vanished: [String] = []
    package var byteCount: Int64 = 0
}

/// Copies every segment of a stream from one log into another, as it is, damage included.
///
/// Of a segment that is being written its whole blocks are copied. Where the name is taken by
/// other bytes, the copy gets a number that says so. A copy appears whole and confirmed by the disk, or
/// not at all; after an error those before it are there, and copying again goes on.
///
/// - Parameters:
///   - shouldStop: Asked between pieces of a segment. The copies before it are there.
///   - makeID: Draws the ids of copies of merged files whose names are taken.
package func copySegments(
    of stream: LogStream, from source: LogDirectory, to target: LogDirectory,
    shouldStop: @escaping () -> Bool = { false },
    makeID: @escaping @Sendable () -> WriterID = { .random() }
) throws(LogError) -> CopyReport {
    var report = CopyReport()
    let kind = stream.kind
    target.disk.close(try target.makeFolder(of: kind))
    _ = try target.syncFolders(of: kind)
    let erasures = Erasures(try LogCatalog.scan(target, stream))
    for entry in try source.list(stream).segments {
        guard let from = try source.openFolder(of: kind) else { break }
        defer { source.disk.close(from) }
        let into = try target.makeFolder(of: kind)
        defer { target.disk.close(into) }
        let copy = SegmentCopy(
            from: from, on: source.disk, into: into, on: target.disk, erasures: erasures,
            shouldStop: shouldStop, makeID: makeID)
        do {
            if let byteCount = try copy.run(entry.name) {
                report.copied.append(entry.name.description)
                report.byteCount += byteCount
            } else {
                report.present.append(entry.name.description)
            }
        } catch {
            switch error {
            case .stopped: return report
            case .vanished:
                report.vanished.append(entry.name.description)
            case .source(let error):
                throw .disk(source.located(error, in: kind, name: entry.name.description))
            case .target(let error):
                throw .disk(target.located(error, in: kind, name: entry.name.description))
            }
        }
    }
    return report
}

/// What a log has of the lines that were erased in it.
private struct Erasures {
    private var erased: SequencesByWriter = [:]
    private var present: SequencesByWriter = [:]

    init(_ catalog: LogCatalog) {
        for header in catalog.blocks.map(\.header) {
            present.insert(header)
            if header.generation > 0 { erased.insert(header) }
        }
    }

    /// Whether the log has all lines of a segment, and some of them erased. A copy of it would only
    /// bring those back.
    func outdate(_ scan: SegmentScan) -> Bool {
        var isErased = false
        for header in scan.blocks.map(\.header) {
            guard present[header.writer]?.contains(header.sequences) == true else { return false }
            isErased = isErased || (header.generation == 0 && !erased.lines(of: header).isEmpty)
        }
        return isErased
    }
}

/// Copies single segments between two open folders.
private struct SegmentCopy {
    /// Which of the two disks failed, or that the source is not what it was, or that nobody wants the
    /// copy any more.
    enum Failure: Error {
        case vanished
        case stopped
        case source(DiskError)
        case target(DiskError)
    }

    let from: DiskHandle
    let source: any Disk
    let into: DiskHandle
    let target: any Disk
    let erasures: Erasures
    let shouldStop: () -> Bool
    let makeID: @Sendable () -> WriterID

    init(
        from: DiskHandle, on source: any Disk, into: DiskHandle, on target: any Disk,
        erasures: Erasures, shouldStop: @escaping () -> Bool,
        makeID: @escaping @Sendable () -> WriterID
    ) {
        self.from = from
        self.source = source
        self.into = into
        self.target = target
        self.erasures = erasures
        self.shouldStop = shouldStop
        self.makeID = makeID
    }

    /// Copies one segment; nil where the target has it already.
    func run(_ name: SegmentName) throws(Failure) -> Int64? {
        let handle: DiskHandle
        let byteCount: Int64
        do {
            handle = try source.openFile(name.description, in: from)
        } catch  where error.isMissing {
            throw .vanished
        } catch {
            throw .source(error)
        }
        defer { source.close(handle) }
        do {
            let scan = try SegmentScanner(name, handle, on: source).scan()
            if erasures.outdate(scan) { return nil }
            byteCount = scan.isLocked ? scan.offset : try source.status(of: handle).byteCount
        } catch {
            throw .source(error)
        }
        while let free = try freeName(for: name, handle, byteCount) {
            if try write(handle, byteCount, as: free) { return byteCount }
        }
        return nil
    }

    /// The first name in line that is not taken; nil where one is taken by the same bytes.
    private func freeName(
        for name: SegmentName, _ handle: DiskHandle, _ byteCount: Int64
    ) throws(Failure) -> SegmentName? {
        var free = name
        while true {
            let taken: DiskHandle
            do {
                taken = try target.openFile(free.description, in: into)
            } catch  where error.isMissing {
                return free
            } catch {
                throw .target(error)
            }
            defer { target.close(taken) }
            if try isEqual(handle, taken, byteCount) { return nil }
            // A merged file stays number 0: its name differs by its random id. Any lower number would
            // tell that the copy is a later segment of its writer, which explains the loss of others.
            free =
                name.isMerged
                ? SegmentName(merged: makeID(), after: name)
                : SegmentName(
                    time: name.time, writer: name.writer,
                    number: max(free.number + 1, LogLimits.copyNumberMin), kind: name.kind)
        }
    }

    private func isEqual(
        _ handle: DiskHandle, _ taken: DiskHandle, _ byteCount: Int64
    ) throws(Failure) -> Bool {
        do {
            guard try target.status(of: taken).byteCount == byteCount else { return false }
        } catch {
            throw .target(error)
        }
        let here = ByteWindow(handle, on: source)
        let there = ByteWindow(taken, on: target)
        var offset: Int64 = 0
        while offset < byteCount {
            let count = Int(min(byteCount - offset, Int64(LogLimits.resyncByteCount)))
            let ours: UnsafeRawBufferPointer
            do { ours = try here.bytes(at: offset, count: count) } catch { throw .source(error) }
            do {
                guard ours.elementsEqual(try there.bytes(at: offset, count: count)) else {
                    return false
                }
            } catch {
                throw .target(error)
            }
            offset += Int64(count)
        }
        return true
    }

    /// False where somebody else has taken the name meanwhile, or the file for a dead process's.
    private func write(
        _ handle: DiskHandle, _ byteCount: Int64, as name: SegmentName
    ) throws(Failure) -> Bool {
        let made: NewFile
        do {
            made = try NewFile(name.description, in: into, on: target)
        } catch {
            throw .target(error)
        }
        defer { target.close(made.handle) }
        do {
            try fill(made.handle, from: handle, byteCount)
            try publish(made, as: name)
            return true
        } catch {
            made.discard()
            if case .target(let error) = error, error.isTaken || error.isMissing { return false }
            throw error
        }
    }

    private func fill(
        _ made: DiskHandle, from handle: DiskHandle, _ byteCount: Int64
    ) throws(Failure) {
        let window = ByteWindow(handle, on: source)
        var offset: Int64 = 0
        while offset < byteCount {
            if shouldStop() { throw .stopped }
            let count = Int(min(byteCount - offset, Int64(LogLimits.resyncByteCount)))
            let piece: UnsafeRawBufferPointer
            do { piece = try window.bytes(at: offset, count: count) } catch { throw .source(error) }
            // A copy cut short would pass for the whole segment.
            if piece.isEmpty { throw .vanished }
            do {
                try target.writeFully(made, at: offset, from: piece)
            } catch {
                throw .target(error)
            }
            offset += Int64(piece.count)
        }
    }

    private func publish(_ made: NewFile, as name: SegmentName) throws(Failure) {
        do {
            try target.syncFile(made.handle)
            try made.publish(as: name.description)
            try target.syncFolder(into)
        } catch {
            throw .target(error)
        }
    }
}
