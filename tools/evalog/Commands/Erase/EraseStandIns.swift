// Some facts hold events back from a report. Where one of these is erased another stands in for it, which
// says no more than that.

import EvalogFacts
import EvalogLog
import EvalogReplay
import EvalogText

/// What is appended before facts are erased.
///
/// In the place of an evaluation that was skipped because on-device AI was off: that it was off for its
/// session then. In that of a catalog: one of the same field and time that lists nothing, or an older one
/// would hold again that lists more.
struct EraseStandIns {
    private let directory: LogDirectory
    private let facts: [Fact]
    /// Facts of the target that stay, for they are of nobody and hold events back.
    let keptCount: Int
    let catalogCount: Int

    /// - Parameters:
    ///   - ids: Of the target's facts.
    ///   - random: For the ids of what is appended.
    /// - Complexity: Reads all facts.
    init(
        for target: EraseTarget, ids: Set<UniqueID>, in directory: LogDirectory,
        using random: inout some RandomNumberGenerator
    ) throws {
        let receiver = StandInReceiver(target, ids)
        _ = try FactReading(of: directory, into: [receiver])
        self.directory = directory
        keptCount = receiver.keptCount
        let (stops, catalogs) = (receiver.missingStops, receiver.missingCatalogs)
        catalogCount = catalogs.count
        var facts: [Fact] = []
        for stop in stops { facts.append(.gate(stop.fact(using: &random))) }
        for catalog in catalogs {
            facts.append(
                .catalog(
                    CatalogFact(
                        id: .random(using: &random), time: catalog.time, subject: catalog.field,
                        report: [])))
        }
        self.facts = facts
    }

    /// Appends all of it; nothing where there is nothing to append.
    func append() throws(LogError) { try directory.keep(facts.map(\.dated)) }
}

private struct Listing: Hashable {
    let field: String
    let time: Int64
}

/// Finds what is to be erased of such facts, and what stands in for some already.
private final class StandInReceiver: FactReceiver, @unchecked Sendable {
    private let target: EraseTarget
    private let matcher: EraseMatcher
    private var stops: (erased: Set<SessionStop>, there: Set<SessionStop>) = ([], [])
    private var catalogs: (erased: Set<Listing>, there: Set<Listing>) = ([], [])
    private(set) var keptCount = 0

    init(_ target: EraseTarget, _ ids: Set<UniqueID>) {
        self.target = target
        matcher = EraseMatcher(target, ids: ids)
    }

    var missingStops: [SessionStop] { stops.erased.subtracting(stops.there).sorted() }

    var missingCatalogs: [Listing] {
        catalogs.erased.subtracting(catalogs.there).sorted {
            ($0.time, $0.field) < ($1.time, $1.field)
        }
    }

    func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        switch view.kind {
        case .gate, .logGap:
            if view.id == target.id { keptCount += 1 }
            if let stop = SessionStop(view), !isErased(line) { stops.there.insert(stop) }
        case .evaluation:
            guard let stop = SessionStop(view), stop.session != target.session, isErased(line)
            else { return }
            stops.erased.insert(stop)
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

    func countUnreadable() {}

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
