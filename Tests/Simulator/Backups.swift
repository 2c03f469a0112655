// Somebody who keeps copies of segments, puts old ones back, and deletes what he should not.

import EvalogLog
import TestSupport

/// Copies of segments that were made at some time.
final class Backups {
    private var copies: [(name: SegmentName, bytes: [UInt8])] = []
    /// How often something came back that may hold erased lines, and what is on its way.
    private var returnCount = 0
    private var returning = 0
    /// How often somebody took a segment away, or put another file in its place.
    private(set) var lossCount = 0

    func beginReturn() {
        returnCount += 1
        returning += 1
    }

    func endReturn() { returning -= 1 }

    /// Tells one quiet time from another; nil while something is on its way.
    var quietTime: Int? { returning == 0 ? returnCount : nil }

    /// Does something to the log's files.
    func meddle(with world: World) {
        let process = SimulatedProcess("somebody", number: 0, on: world.disk)
        let directory = LogDirectory(path: World.path, disk: process)
        guard let segments = try? directory.list(world.stream).segments,
            let segment = segments.randomElement(using: &world.random)
        else { return }
        let before = Reading(world)
        switch Int.random(in: 0..<8, using: &world.random) {
        case 0..<4:
            copies.append((segment.name, world.disk.bytes(of: segment.name)))
            return
        case 4..<7:
            guard let copy = copies.randomElement(using: &world.random) else { return }
            restore(copy, world)
        default:
            world.note("somebody deletes \(segment.name)")
            world.count(.segmentDeleted)
            world.excuseHolder(of: segment.name)
            take(segment.name, from: world)
            try? world.disk.unlink(segment.name)
            // With what tells that lines were erased, the reason goes why copies are passed over.
            world.truth.forgetErasing(but: Reading(world).tombstones)
        }
        // Whoever meddles takes the consequences.
        let after = Reading(world)
        world.truth.excuse(Set(before.numbers).subtracting(after.numbers).sorted())
        world.startInspectionAnew()
    }

    /// A segment's bytes go. Other files may have its lines as well, but not synced; and maintenance
    /// that goes on just now may delete those, for which this one stood.
    private func take(_ name: SegmentName, from world: World) {
        let bytes = world.disk.bytes(of: name)
        if bytes.isEmpty { return }
        lossCount += 1
        let lines = RawSearch.lines(in: bytes, of: world.truth)
        world.truth.takeCopy(of: lines)
        if world.isMaintained { world.truth.excuse(lines) }
    }

    private func restore(_ copy: (name: SegmentName, bytes: [UInt8]), _ world: World) {
        var name = copy.name
        if Bool.random(using: &world.random) {
            let other = WriterID(high: world.random.next(), low: world.random.next())
            name =
                name.isMerged
                ? SegmentName(
                    wallTime: world.clock.wall, writer: other, number: 0, kind: name.kind)
                : SegmentName(
                    wallTime: world.clock.wall, writer: name.writer, number: name.number + 50,
                    kind: name.kind)
        }
        world.note("somebody puts an old \(copy.name) back as \(name)")
        world.count(.oldCopyPutBack)
        world.excuseHolder(of: name)
        take(name, from: world)
        returnCount += 1
        world.disk.put(copy.bytes, as: name)
    }
}

extension SimulatedDisk {
    private func folder(of name: SegmentName) throws(CallError) -> FolderNode {
        try folder(at: "\(World.path)/\(name.kind.name)")
    }

    func bytes(of name: SegmentName) -> [UInt8] {
        (try? file(name.description, in: folder(of: name)))?.cache ?? []
    }

    func unlink(_ name: SegmentName) throws(CallError) {
        let folder = try folder(of: name)
        try unlink(name.description, in: folder)
        folder.sync()
    }

    /// Puts a whole file in the place of what has its name, at once and for good.
    func put(_ bytes: [UInt8], as name: SegmentName) {
        let room = byteCountMax
        byteCountMax = .max
        defer { byteCountMax = room }
        guard let folder = try? folder(of: name),
            let file = try? makeFile(".restored", in: folder)
        else { return }
        _ = try? bytes.withUnsafeBytes { try write($0, to: file, at: 0) }
        file.sync()
        try? rename(".restored", to: name.description, in: folder)
        folder.sync()
    }

    /// The handle of the live writer that has a segment locked.
    func holder(of name: SegmentName) -> Int32? {
        (try? file(name.description, in: folder(of: name)))?.exclusiveHolder
    }
}
