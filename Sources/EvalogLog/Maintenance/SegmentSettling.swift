// Before lines are replaced wherever they are: writers end their segments, and files that dead ones
// left in the making go.

/// Brings the segments of one stream to rest, in bounded time.
struct SegmentSettling {
    private let directory: LogDirectory
    private let kind: StreamKind
    private let timing: MaintenanceTiming

    init(_ lock: MaintenanceLock, _ kind: StreamKind, timing: MaintenanceTiming) {
        directory = lock.directory
        self.kind = kind
        self.timing = timing
    }

    private enum State { case settled, held, recent }

    /// Asks the writers of the segments that are there now to end them, and waits until they have.
    ///
    /// - Returns: Segments that are still held by then. Those made meanwhile are not waited for.
    func endSegments() throws(LogError) -> [String] {
        guard let folder = try directory.openFolder(of: kind) else { return [] }
        defer { directory.disk.close(folder) }
        let names = try directory.list(folder, of: kind).segments.map(\.name.description)
        let held = try unsettled(names, in: folder, where: [.held])
        if held.isEmpty { return [] }
        try directory.locating(kind) { () throws(DiskError) in
            try RollRequest.make(in: folder, on: directory.disk)
        }
        return try wait(for: held, patience: LogLimits.rollPatience, in: folder, where: [.held])
    }

    /// Files in the making that are there now, whoever makes them.
    func temporaries() throws(LogError) -> [String] {
        guard let folder = try directory.openFolder(of: kind) else { return [] }
        defer { directory.disk.close(folder) }
        return try directory.list(folder, of: kind).ignored
            .filter { $0.reason == .temporary }.map(\.name)
    }

    /// Waits until files are gone, sealed or a dead writer's for sure, and deletes those in the
    /// making that a dead process left.
    ///
    /// - Returns: Those that are not so far by then.
    func wait(for names: [String], patience: Int64) throws(LogError) -> [String] {
        guard !names.isEmpty, let folder = try directory.openFolder(of: kind) else { return [] }
        defer { directory.disk.close(folder) }
        return try wait(for: names, patience: patience, in: folder, where: [.held, .recent])
    }

    private func wait(
        for names: [String], patience: Int64, in folder: DiskHandle, where states: Set<State>
    ) throws(LogError) -> [String] {
        let end = timing.clock.monotonicTime() + patience
        var pending = names
        while true {
            pending = try unsettled(pending, in: folder, where: states)
            if pending.isEmpty || timing.clock.monotonicTime() >= end { return pending }
            timing.pause(LogLimits.maintenancePause)
        }
    }

    private func unsettled(
        _ names: [String], in folder: DiskHandle, where states: Set<State>
    ) throws(LogError) -> [String] {
        var result: [String] = []
        for name in names where states.contains(try state(of: name, in: folder)) {
            result.append(name)
        }
        return result
    }

    private func state(of name: String, in folder: DiskHandle) throws(LogError) -> State {
        do {
            let handle = try directory.disk.openFile(name, in: folder)
            defer { directory.disk.close(handle) }
            guard let segment = SegmentName(name) else {
                return try clear(name, handle, in: folder)
            }
            let scanner = SegmentScanner(segment, handle, on: directory.disk)
            let status = try scanner.status()
            if try scanner.closingSeal(byteCount: status.byteCount) != nil { return .settled }
            let scan = try scanner.scan()
            if scan.isSealed { return .settled }
            return scan.isLocked ? .held : isOld(status) ? .settled : .recent
        } catch  where error.isMissing {
            return .settled
        } catch {
            throw .disk(directory.located(error, in: kind, name: name))
        }
    }

    /// Deletes a file in the making that a dead process left: it holds lines as segments do.
    private func clear(
        _ name: String, _ handle: DiskHandle, in folder: DiskHandle
    ) throws(DiskError) -> State {
        let disk = directory.disk
        guard isOld(try disk.status(of: handle)) else { return .recent }
        guard try disk.hasNoWriter(handle) else { return .held }
        try disk.unlink(name, in: folder)
        return .settled
    }

    private func isOld(_ status: FileStatus) -> Bool {
        timing.clock.wallTime() - status.modified / 1_000 >= LogLimits.deadSegmentAge
    }
}
