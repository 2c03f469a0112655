// Takes from a log what a report can be made of: events, catalogs, what tells of the gate.

package import EvalogFacts
package import EvalogText

/// What tells facts apart.
package struct FactKey: Hashable, Comparable, Sendable {
    package let kind: FactKind
    package let id: UniqueID

    package init(_ kind: FactKind, _ id: UniqueID) {
        self.kind = kind
        self.id = id
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.id != right.id ? left.id < right.id : left.kind.rawValue < right.kind.rawValue
    }
}

/// What the evaluations of one id were for, and whether the gate stopped one of them, as far as a report
/// has to know.
struct EvaluationUsages: OptionSet {
    let rawValue: UInt8

    static let suppression = Self(rawValue: 1)
    static let textInput = Self(rawValue: 2)
    /// Of these nothing is ever reported, whatever an event says of them.
    static let other = Self(rawValue: 4)
    /// Skipped because on-device AI was off: no event about it can be true.
    static let aiDisabled = Self(rawValue: 8)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ usage: FactView.Text) {
        self =
            if Self.is(usage, "in_app_message_suppression") {
                .suppression
            } else if Self.is(usage, "scene_text_input") {
                .textInput
            } else {
                .other
            }
    }

    private static func `is`(_ usage: FactView.Text, _ name: StaticString) -> Bool {
        usage.elementsEqual(
            UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }
}

/// Keeps what the lines of one thread say that matters for a report. One thread at a time.
///
/// It takes some 300 bytes for each event, whose texts are kept once for all of them, and about 40 for
/// each evaluation.
package final class VendorCollector: FactReceiver, @unchecked Sendable {
    /// Of lines with one (type, id) the oldest.
    private(set) var events: [FactKey: EventLine] = [:]
    /// Where the other lines of an event stand.
    private var otherPlaces: [FactKey: Set<Place>] = [:]
    private var catalogs: [UniqueID: CatalogLines] = [:]
    private(set) var gate = GateLines()
    private var evaluations: [UniqueID: EvaluationUsages] = [:]
    private(set) var withheld = Withheld()
    private var known = KnownTexts()
    /// Of the next line.
    private var origin = FactOrigin(
        writer: UniqueID(high: 0, low: 0), sequence: 0, appendTime: 0, eventTimes: 0...0)

    package init() {}

    // MARK: Lines

    package func begin(_ origin: FactOrigin) { self.origin = origin }

    package func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        defer { origin.sequence += 1 }
        let place = Place(writer: origin.writer, sequence: origin.sequence, time: view.time)
        switch view.kind {
        case .aiSuppressed, .formInference:
            let event = EventLine(
                view, line: line, at: place, appendTime: origin.appendTime, &known)
            keep(event, as: FactKey(view.kind, view.id))
            countOddities(ofReported: view)
        case .catalog:
            countOddities(ofReported: view)
            if let field = FormField(view.subject) {
                let lines = CatalogLines(time: view.time, field, known.list(view.report))
                keep(lines, as: view.id)
            } else {
                withheld.add(.catalogField)
            }
        case .gate:
            countOddities(of: view)
            if view.tellsOfWholeGate {
                gate.tell(isOn: view.isOnDeviceAIEnabled, at: place)
            } else if !view.isOnDeviceAIEnabled, let session = view.session {
                gate.stop(session.bits, at: place)
            }
        case .evaluation:
            var uses = EvaluationUsages(view.usage)
            if view.reason == .aiDisabled {
                uses.insert(.aiDisabled)
                if let session = view.session, session.isOne { gate.stop(session.bits, at: place) }
            }
            evaluations[view.id, default: []].formUnion(uses)
            countOddities(of: view)
        case .logGap:
            countOddities(of: view)
            guard view.stream == .facts else { break }
            gate.refuse(since: view.since, at: place)
            if view.refused == 0 { gate.delete(linesBefore: view.time) }
        case .testResult: countOddities(of: view)
        case .unknown:
            guard view.isErased else { return withheld.add(.unknownTypes) }
            countOddities(of: view)
            if view.wasUnread { missLine() }
        }
    }

    package func countUnreadable() {
        withheld.add(.unreadableLines)
        missLine()
        origin.sequence += 1
    }

    /// What the next line told nobody knows.
    private func missLine() {
        gate.miss(linesBefore: origin.sequence + 1, of: origin.writer)
        gate.miss(linesFrom: origin.eventTimes)
    }

    /// Tells of lines of a writer that are missing before one of them.
    package func miss(linesBefore sequence: UInt64, of writer: UniqueID) {
        gate.miss(linesBefore: sequence, of: writer)
    }

    /// Tells of lines that are missing, of what happened at some time of these, in µs since 1970.
    package func miss(linesFrom times: ClosedRange<Int64>) { gate.miss(linesFrom: times) }

    private func keep(_ line: EventLine, as key: FactKey) {
        guard let known = events[key] else {
            events[key] = line
            return
        }
        withheld.add(.repeatedLines)
        var (kept, other) = line.precedes(known) ? (line, known) : (known, line)
        kept.appendTime = min(line.appendTime, known.appendTime)
        events[key] = kept
        otherPlaces[key, default: []].insert(other.place)
    }

    private func keep(_ lines: CatalogLines, as id: UniqueID) {
        if catalogs[id] == nil {
            catalogs[id] = lines
        } else {
            withheld.add(.repeatedLines)
            catalogs[id]?.formUnion(lines)
        }
    }

    private func countOddities(of view: borrowing FactView) {
        withheld.add(.unknownKeys, view.unknownKeyCount)
        withheld.add(.malformedValue, view.misfitCount + view.unknownNameCount)
    }

    private func countOddities(ofReported view: borrowing FactView) {
        withheld.add(.unknownKeys, view.unknownKeyCount)
        // Those of subject and session are what the event itself is refused for.
        let otherCount =
            (view.misfitSubject.baseAddress == nil ? 0 : 1)
            + (view.misfitSession.baseAddress == nil ? 0 : 1)
        withheld.add(.malformedReport, view.misfitCount - otherCount)
    }

    /// Takes over what another thread's collector has.
    package func absorb(_ other: VendorCollector) {
        for (key, line) in other.events { keep(line, as: key) }
        for (key, places) in other.otherPlaces {
            otherPlaces[key, default: []].formUnion(places)
        }
        for (id, lines) in other.catalogs { keep(lines, as: id) }
        if evaluations.isEmpty {
            evaluations = other.evaluations
        } else {
            evaluations.merge(other.evaluations) { $0.union($1) }
        }
        gate.formUnion(other.gate)
        for (reason, count) in other.withheld.occurring { withheld.add(reason, count) }
    }

    // MARK: What it has

    /// Events that had their turn, whether they may leave or not.
    ///
    /// - Parameter hadTurn: Asked of each line with its writer, its number and the time in µs since 1970.
    package func events(
        where hadTurn: (_ writer: UniqueID, _ sequence: UInt64, _ time: Int64) -> Bool
    ) -> PastTurns {
        events.reduce(into: PastTurns()) { turns, event in
            let hadItsTurn = places(of: event.key).contains {
                hadTurn($0.writer, $0.sequence, event.value.place.time)
            }
            if hadItsTurn {
                turns.insert(event.key, event.value.occasion(event.key))
            }
        }
    }

    /// Where an event's lines stand.
    func places(of key: FactKey) -> Set<Place> {
        var places = otherPlaces[key] ?? []
        if let line = events[key] { places.insert(line.place) }
        return places
    }

    /// All catalogs of fields.
    var catalogHistory: CatalogHistory { CatalogHistory(catalogs.values) }

    /// Whether an evaluation has that id.
    func isEvaluation(_ id: UniqueID) -> Bool { evaluations[id] != nil }

    /// Whether an evaluation of another usage has that id.
    func isEvaluation(_ id: UniqueID, butFor usage: EvaluationUsages) -> Bool {
        evaluations[id].map { !$0.subtracting(usage).subtracting(.aiDisabled).isEmpty } ?? false
    }

    /// Whether the gate stopped an evaluation that has that id.
    func isStopped(_ id: UniqueID) -> Bool { evaluations[id]?.contains(.aiDisabled) ?? false }
}
