// What really happened to every line, so that what the log says can be held against it.

import EvalogLog
import TestSupport

/// A line's identity in the log.
struct Identity: Hashable, Comparable {
    var kind: StreamKind
    var writer: WriterID
    var sequence: UInt64

    static func < (left: Self, right: Self) -> Bool {
        (left.kind, left.writer, left.sequence) < (right.kind, right.writer, right.sequence)
    }
}

/// One line from its appending on.
struct LineTruth {
    enum Fate { case offered, accepted, refused }

    let kind: StreamKind
    /// Index of the process that appended it.
    let writer: Int
    let session: Int
    let bytes: [UInt8]
    var fate = Fate.offered
    /// What its writer was told: it survives a kill, or a power cut as well.
    var isWritten = false
    var isSynced = false
    /// Whether it must be readable: it was confirmed, or read, and nothing has happened since
    /// that it need not survive.
    var isDue = false
    /// Somebody deleted or replaced its file.
    var isExcused = false
    /// The same, and another file has it, which need not be synced.
    var hasLostCopy = false
    /// An erasing chose it.
    var isChosen = false
    /// The least that the wall clock showed before it was written for sure.
    var leastTime: Int64
    var identity: Identity?
}

/// All lines of a schedule.
final class Truth {
    private(set) var lines: [LineTruth] = []
    private var numbers: [Identity: Int] = [:]
    /// The writer of each id drawn.
    private(set) var writers: [WriterID: Int] = [:]
    /// Lines that each process has offered.
    private(set) var offeredCounts: [Int: UInt64] = [:]
    /// Append times before which lines may have been pruned.
    private(set) var prunedBefore: [StreamKind: Int64] = [:]
    /// Where lines were that an erasing which completed has chosen.
    private(set) var erased: Set<Identity> = []
    /// Processes that were killed.
    var killed: Set<Int> = []
    /// Whether a line may have two identities, because a deleted file came back.
    var mayRepeat = false

    func own(_ id: WriterID, _ writer: Int) { writers[id] = writer }

    // MARK: What writers do

    /// Makes a line that is about to be appended.
    func offer(
        to kind: StreamKind, by writer: Int, at time: Int64, using random: inout SeededGenerator
    ) -> Int {
        let session = Int.random(in: 0..<LineText.sessionCount, using: &random)
        let bytes = LineText.bytes(lines.count, session: session, using: &random)
        lines.append(
            LineTruth(
                kind: kind, writer: writer, session: session, bytes: bytes, leastTime: time))
        offeredCounts[writer, default: 0] += 1
        return lines.count - 1
    }

    func settle(_ number: Int, isAccepted: Bool) {
        lines[number].fate = isAccepted ? .accepted : .refused
    }

    /// A writer was told that what it had accepted is as safe as its durability promises.
    func confirm(_ numbers: Range<Int>, of writer: Int, isSynced: Bool) {
        for number in numbers where lines[number].writer == writer {
            guard lines[number].fate == .accepted else { continue }
            lines[number].isWritten = true
            lines[number].isSynced = lines[number].isSynced || isSynced
            lines[number].isDue = true
        }
    }

    // MARK: What others do

    func clockWasSetBack(to time: Int64) {
        for index in lines.indices where !lines[index].isWritten {
            lines[index].leastTime = min(lines[index].leastTime, time)
        }
    }

    func mayPrune(_ kind: StreamKind, before time: Int64) {
        prunedBefore[kind] = max(prunedBefore[kind] ?? .min, time)
    }

    func choose(_ number: Int) { lines[number].isChosen = true }

    func erase(_ identities: [Identity]) { erased.formUnion(identities) }

    /// Erased lines may come back, but for those that something still stands in for.
    func forgetErasing(but tombstones: Set<Identity>) { erased.formIntersection(tombstones) }

    /// Lines need no longer be there.
    func excuse(_ numbers: some Sequence<Int>) {
        for number in numbers { lines[number].isExcused = true }
    }

    func excuse(linesOf writer: Int) {
        for index in lines.indices where lines[index].writer == writer {
            lines[index].isExcused = true
        }
    }

    /// A file with these lines went, from outside. Others that have them need not be synced.
    func takeCopy(of numbers: some Sequence<Int>) {
        for number in numbers { lines[number].hasLostCopy = true }
    }

    func losePower() {
        for index in lines.indices {
            lines[index].isDue = lines[index].isSynced && !lines[index].hasLostCopy
        }
    }

    /// Lines of a writer that a reader did not find.
    func missingCount(of writer: Int, _ found: Set<Int>) -> UInt64 {
        UInt64(
            lines.indices.count {
                lines[$0].writer == writer && lines[$0].fate != .refused && !found.contains($0)
            })
    }

    // MARK: What readers see

    enum Content: Hashable {
        case line(Int)
        case tombstone
    }

    /// What a line is that was read, and what is wrong about it.
    func judge(
        _ line: UnsafeRawBufferPointer, at identity: Identity
    ) -> (content: Content?, problem: String?) {
        if Tombstone(line) != nil {
            if let number = numbers[identity], !lines[number].isChosen {
                return (.tombstone, "line \(number) was erased, though nobody chose it")
            }
            return (.tombstone, nil)
        }
        guard let number = LineText.number(of: line), number < lines.count,
            line.elementsEqual(lines[number].bytes)
        else { return (nil, "\(identity) holds what nobody wrote") }
        return (.line(number), objection(to: number, at: identity))
    }

    private func objection(to number: Int, at identity: Identity) -> String? {
        let line = lines[number]
        if line.fate == .refused { return "line \(number) is there, though it was refused" }
        if line.kind != identity.kind { return "line \(number) is in the wrong stream" }
        if writers[identity.writer] != line.writer { return "line \(number) is another writer's" }
        if let other = numbers[identity], other != number {
            return "\(identity) was line \(other) and is line \(number)"
        }
        numbers[identity] = number
        if let own = line.identity, own != identity, !mayRepeat {
            return "line \(number) is there twice, as \(own) and \(identity)"
        }
        lines[number].identity = identity
        return nil
    }

    /// A line was readable at some moment at which it must not vanish without a cause.
    func see(_ number: Int) { lines[number].isDue = true }

    func isPrunable(_ number: Int) -> Bool {
        lines[number].leastTime < prunedBefore[lines[number].kind] ?? .min
    }

    /// Lines that were read under a writer's id, in order, and had to go for nobody.
    func lines(seenAs writer: WriterID, in kind: StreamKind) -> [(sequence: UInt64, number: Int)] {
        numbers.filter { identity, number in
            identity.writer == writer && identity.kind == kind && !lines[number].isExcused
                && !isPrunable(number)
        }.map { ($0.key.sequence, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// For whoever looks into a problem.
    func describe(_ number: Int) -> String {
        let line = lines[number]
        let place = line.identity.map { "\($0.writer) \($0.sequence)" } ?? "never read"
        return "line \(number) (process \(line.writer), \(place), synced: \(line.isSynced))"
    }

    /// Lines that must be there.
    func due(in kind: StreamKind) -> [Int] {
        lines.indices.filter { number in
            let line = lines[number]
            return line.kind == kind && line.isDue && !line.isExcused && !line.isChosen
                && !isPrunable(number)
        }
    }
}
