// Holds what a reader sees at one moment against the truth.

import EvalogLog
import TestSupport

/// Looks at the log again and again, and remembers what it said of losses.
struct Inspector {
    private let kind: StreamKind
    /// What was stated of writers that are gone, when it was last looked at.
    private var stated: [WriterID: Statement] = [:]

    private struct Statement {
        var gone: SequenceSet
        var isUnknown: Bool
        var readCount: UInt64
        /// Segments of its own, under whichever name.
        var segments: Set<SegmentName>
    }

    init(_ kind: StreamKind) { self.kind = kind }

    /// What was stated need not be stated again.
    mutating func startAnew() { stated = [:] }

    mutating func inspect(_ world: World) {
        let reading = Reading(world)
        for problem in reading.problems { world.report(problem) }
        let found = Set(reading.numbers)
        for number in world.truth.due(in: kind) where !found.contains(number) {
            world.report("\(world.truth.describe(number)) is lost")
        }
        for identity in world.truth.erased.sorted() {
            guard case .line(let number) = reading.contents[identity],
                !world.truth.isPrunable(number)
            else { continue }
            world.report("\(world.truth.describe(number)) was erased and is back")
        }
        if !world.profile.hasErrors { found.forEach(world.truth.see) }
        guard let report = reading.report else { return }
        for writer in report.writers { inspect(writer, report, reading, world) }
        if world.isUndisturbed { inspectUndisturbed(report, found, world) }
        remember(report, world)
    }

    // MARK: Losses

    private func inspect(
        _ writer: WriterReport, _ report: ReadReport, _ reading: Reading, _ world: World
    ) {
        guard let owner = world.truth.writers[writer.writer] else {
            return world.report("\(writer.writer) never wrote anything")
        }
        // Of a merged file of which nothing is left nobody knows whose lines it had.
        guard owner != Identities.ofFiles else { return }
        let offered = world.truth.offeredCounts[owner] ?? 0
        for gone in [writer.lost, writer.holes] where gone.last ?? 0 > offered {
            world.report("\(writer.writer) wrote \(offered) lines, and \(gone) of them are missed")
        }
        guard let before = stated[writer.writer] else { return }
        let gone = writer.lost.union(writer.holes)
        let retired = SequenceSet(1..<(writer.retiredCount + 1))
        // All that told of them may have had its time.
        let mayBePruned = world.profile.hasRetention && gone.isEmpty
        for sequence in mayBePruned
            ? [] : before.gone.subtracting(gone).subtracting(retired).sequences
        {
            let identity = Identity(kind: kind, writer: writer.writer, sequence: sequence)
            if reading.contents[identity] == nil {
                world.report("\(identity) was missed and is not any more")
            }
        }
        // Segments that came back from a copy may tell of what was not known.
        let mayKnow =
            world.profile.hasRetention || writer.readCount > before.readCount
            || !Self.segments(of: writer.writer, in: report).isSubset(of: before.segments)
        guard before.isUnknown, !writer.hasUnknownLoss else { return }
        if !mayKnow {
            world.report(
                "\(writer.writer) had lost more than could be counted, and has not any more")
        }
        for (sequence, number) in world.truth.lines(seenAs: writer.writer, in: kind)
        where sequence > writer.retiredCount && !gone.contains(sequence..<sequence + 1)
            && reading.contents[
                Identity(kind: kind, writer: writer.writer, sequence: sequence)] == nil
        {
            world.report(
                "\(world.truth.describe(number)) was lost uncounted, and is denied now")
        }
    }

    /// Of a writer that is gone there are no new ones but copies.
    private static func segments(of writer: WriterID, in report: ReadReport) -> Set<SegmentName> {
        Set(report.segments.map(\.name).filter { $0.writer == writer })
    }

    private mutating func remember(_ report: ReadReport, _ world: World) {
        stated = [:]
        if report.hasUnknownLoss { world.noteSegments() }
        if world.hasUnaware { return }
        for writer in report.writers {
            guard let owner = world.truth.writers[writer.writer], !world.isAlive(owner) else {
                continue
            }
            stated[writer.writer] = Statement(
                gone: writer.lost.union(writer.holes), isUnknown: writer.hasUnknownLoss,
                readCount: writer.readCount,
                segments: Self.segments(of: writer.writer, in: report))
            if writer.hasUnknownLoss { world.note("it is not known what \(writer) lost") }
        }
    }

    /// Where nothing but kills has happened.
    private func inspectUndisturbed(
        _ report: ReadReport, _ found: Set<Int>, _ world: World
    ) {
        for writer in report.writers {
            let owner = world.truth.writers[writer.writer] ?? 0
            let missing = world.truth.missingCount(of: owner, found)
            let gone = writer.lost.count + writer.holes.count
            if gone > missing {
                world.report("\(writer.writer) misses \(gone) lines, though \(missing) are gone")
            }
            // Of what a kill cut off nobody knows that it was but a seal.
            if writer.hasUnknownLoss, missing == 0, !world.truth.killed.contains(owner) {
                world.report("\(writer.writer) is said to have lost lines, and has not")
            }
            if writer.retiredCount > 0, !world.profile.hasRetention {
                world.report("\(writer.writer) is said to have retired lines")
            }
        }
        for damage in report.damages where damage.reason != .tornTail {
            world.report("there is damage: \(damage)")
        }
    }
}

extension SequenceSet {
    func union(_ other: Self) -> Self {
        var union = self
        union.formUnion(other)
        return union
    }

    var sequences: [UInt64] { ranges.flatMap(Array.init) }
}
