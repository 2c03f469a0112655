// Some facts hold events back from a report. Where one of these is erased another stands in for it, which
// says no more than that.

import EvalogFacts
import EvalogLog
import EvalogRecording
import EvalogReplay
import EvalogText

/// What is appended before facts are erased.
///
/// In the place of an evaluation that was skipped because on-device AI was off: that it was off for its
/// session then. In that of a catalog: one of the same field and time that lists nothing, or an older one
/// would hold again that lists more.
final class EraseStandIns {
    private let target: EraseTarget
    private let ids: Set<UniqueID>
    private let directory: LogDirectory
    private var random: any RandomNumberGenerator
    /// Lines for which all is there; nil before the first look.
    private var covered: SequencesByWriter?
    /// Facts of the target that stay, for they are of nobody and hold events back.
    private(set) var keptCount = 0
    private(set) var catalogCount = 0

    /// - Parameters:
    ///   - ids: Of the target's facts.
    ///   - random: For the ids of what is appended.
    init(
        for target: EraseTarget, ids: Set<UniqueID>, in directory: LogDirectory,
        using random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.target = target
        self.ids = ids
        self.directory = directory
        self.random = random
    }

    /// Appends what stands in for lines that go next, unless it is there.
    ///
    /// - Complexity: Reads all facts, once more where lines have come since the last time, and again
    ///   where the gate stopped somebody.
    func append(for lines: SequencesByWriter) throws {
        if let covered, lines.isSubset(of: covered) { return }
        let receiver = StandInReceiver(target, ids)
        let read = try FactReading(of: directory, into: [receiver]).report.position[.facts]
        let behind = try StoppedEvents.stops(behind: receiver.stopLines, in: directory)
        let stops = receiver.stops.union(behind).subtracting(receiver.knownStops).sorted()
        let catalogs = receiver.missingCatalogs
        let facts: [Fact] =
            stops.map { .gate($0.fact(using: &random)) }
            + catalogs.map {
                .catalog(
                    CatalogFact(
                        id: .random(using: &random), time: $0.time, subject: $0.field, report: []))
            }
        try directory.keep(facts.map(\.dated))
        covered = read
        keptCount = receiver.keptCount
        catalogCount += catalogs.count
    }
}

private struct Listing: Hashable {
    let field: String
    let time: Int64
}

/// Finds what is to be erased of such facts, and what stands in for some already.
private final class StandInReceiver: FactReceiver, @unchecked Sendable {
    private let target: EraseTarget
    private let matcher: EraseMatcher
    /// Those that are erased, and where their lines stand.
    private(set) var stops: Set<SessionStop> = []
    private(set) var stopLines: StoppedEvents.Lines = [:]
    /// Those that something stands in for.
    private(set) var knownStops: Set<SessionStop> = []
    private var catalogs: (erased: Set<Listing>, there: Set<Listing>) = ([], [])
    private(set) var keptCount = 0
    private var writer = UniqueID(high: 0, low: 0)
    private var sequence: UInt64 = 0

    init(_ target: EraseTarget, _ ids: Set<UniqueID>) {
        self.target = target
        matcher = EraseMatcher(target, ids: ids)
    }

    var missingCatalogs: [Listing] {
        catalogs.erased.subtracting(catalogs.there).sorted {
            ($0.time, $0.field) < ($1.time, $1.field)
        }
    }

    func begin(_ origin: FactOrigin) { (writer, sequence) = (origin.writer, origin.sequence) }

    func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        defer { sequence += 1 }
        switch view.kind {
        case .gate, .logGap:
            if view.id == target.id { keptCount += 1 }
            if let stop = SessionStop(view), !isErased(line) { knownStops.insert(stop) }
        case .evaluation:
            guard let stop = SessionStop(view), stop.session != target.session, isErased(line)
            else { return }
            stops.insert(stop)
            stopLines[stop.session, default: [:]][writer, default: []].append(sequence)
        case .catalog where !view.subject.isEmpty:
            let field = String(decoding: view.subject, as: UTF8.self)
            let listing = Listing(field: field, time: view.time)
            if isErased(line) {
                catalogs.erased.insert(listing)
            } else if listsNothing(view) {
                catalogs.there.insert(listing)
            }
        default: break
        }
    }

    func countUnreadable() { sequence += 1 }

    private func isErased(_ line: UnsafeRawBufferPointer) -> Bool {
        switch matcher.fact(line) {
        case .erase, .eraseLast: true
        case .keep, .erased: false
        }
    }

    private func listsNothing(_ view: borrowing FactView) -> Bool {
        var isEmpty = true
        FactView.forEachValue(ofReport: view.report) { _, _ in isEmpty = false }
        return isEmpty
    }
}
