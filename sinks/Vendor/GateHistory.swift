// When on-device AI was off, as far as the log tells. Where it does not tell, it was off.

import EvalogText

/// What lines tell of the gate, where they stand, and where lines are missing that may have told more.
struct GateLines {
    /// What gate facts say. Each line counts, also two of one id.
    fileprivate private(set) var told: [UniqueID: [(place: Place, isOn: Bool)]] = [:]
    /// Evaluations that were skipped because the gate was off, by session.
    fileprivate private(set) var stops: [UniqueID: [Place]] = [:]
    /// Of each writer the lines before which some are missing, or cannot be read.
    fileprivate private(set) var gaps: [UniqueID: [UInt64]] = [:]
    /// Since when each writer refused lines, in µs since 1970: where it tells of that, it has written
    /// others already.
    fileprivate private(set) var refusals: [UniqueID: [Int64]] = [:]
    /// From when on lines are lost, in µs since 1970.
    fileprivate private(set) var losses: [Int64] = []
    /// When lines were lost, as far as is known, in µs since 1970.
    fileprivate private(set) var blindSpots: [Range<Int64>] = []
    /// Before that, in µs since 1970, lines told of the gate that retention has deleted.
    fileprivate private(set) var deletedUntil = Int64.min

    mutating func tell(isOn: Bool, at place: Place) {
        told[place.writer, default: []].append((place, isOn))
    }

    mutating func stop(_ session: UniqueID, at place: Place) {
        stops[session, default: []].append(place)
    }

    mutating func miss(linesBefore sequence: UInt64, of writer: UniqueID) {
        gaps[writer, default: []].append(sequence)
    }

    mutating func miss(linesFrom times: ClosedRange<Int64>) {
        losses += [times.lowerBound, times.upperBound]
        if times.lowerBound < times.upperBound {
            blindSpots.append(times.lowerBound..<times.upperBound)
        }
    }

    mutating func delete(linesBefore time: Int64) { deletedUntil = max(deletedUntil, time) }

    /// Of each writer the first line before which some are missing.
    var firstGaps: [UniqueID: UInt64] { gaps.compactMapValues { $0.min() } }

    /// Takes note of a fact of refused lines.
    mutating func refuse(since time: Int64, at place: Place) {
        refusals[place.writer, default: []].append(time)
        miss(linesBefore: place.sequence, of: place.writer)
        losses.append(time)
        if time < place.time { blindSpots.append(time..<place.time) }
    }

    mutating func formUnion(_ other: Self) {
        told.merge(other.told, uniquingKeysWith: +)
        stops.merge(other.stops, uniquingKeysWith: +)
        gaps.merge(other.gaps, uniquingKeysWith: +)
        refusals.merge(other.refusals, uniquingKeysWith: +)
        losses += other.losses
        blindSpots += other.blindSpots
        delete(linesBefore: other.deletedUntil)
    }
}

/// Decides from what is told of the gate, and by whom.
///
/// Gate facts name no device, but a writer is one process of one device: what it tells of the gate
/// decides about the events that it wrote. It decides twice, in the order of its lines and in that of
/// times, for clocks are set back and events are told late; both must say on. A line that is
/// missing may have told that it is off. An event that its own writer told nothing before
/// follows what the others told. A fact tells that the gate stands so, or was switched; before the
/// first one it is taken to have been the other way, and so off where either reading says off.
struct GateHistory {
    /// What is told of one instant, or by one line.
    private enum State { case on, off, disputed, lost }

    /// What was told in one order, and whether it was on before.
    private struct Told<Point: Comparable> {
        let states: Timeline<Point, State>
        let wasOnBefore: Bool

        init(_ entries: [(Point, State)]) {
            states = Timeline(entries) { $0 == $1 ? $0 : .disputed }
            wasOnBefore = (states.states.first { $0 != .lost } ?? .off) == .off
        }

        /// Whether nothing of it speaks against the gate's having been on.
        func allows(_ point: Point) -> Bool {
            states.state(at: point).map { $0.state == .on } ?? wasOnBefore
        }
    }

    /// What one writer tells.
    private struct Account {
        /// By the numbers of its lines.
        let order: Told<UInt64>
        let times: Told<Int64>
        /// Whether lines of it are missing.
        let hasGaps: Bool
    }

    /// Evaluations of one session that the gate stopped.
    private struct Stops {
        var order: [UniqueID: Timeline<UInt64, Void>]
        var times: Timeline<Int64, Void>
    }

    private let accounts: [UniqueID: Account]
    private let all: Told<Int64>
    /// Whether lines of somebody were lost then.
    private let blindSpots: Timeline<Int64, Bool>
    private let deletedUntil: Int64
    private let stops: [UniqueID: Stops]

    init(_ lines: GateLines) {
        func states(_ told: [(place: Place, isOn: Bool)]) -> [(Place, State)] {
            told.map { ($0.place, $0.isOn ? .on : .off) }
        }
        let writers = Set(lines.told.keys).union(lines.gaps.keys)
        accounts = Dictionary(
            uniqueKeysWithValues: writers.map { writer in
                let told = states(lines.told[writer] ?? [])
                // What is told by the very line behind a gap is told.
                let numbers = Set(told.map(\.0.sequence))
                let gaps = Set(lines.gaps[writer] ?? []).subtracting(numbers)
                let refusals = lines.refusals[writer] ?? []
                let account = Account(
                    order: Told(told.map { ($0.sequence, $1) } + gaps.map { ($0, .lost) }),
                    times: Told(told.map { ($0.time, $1) } + refusals.map { ($0, .lost) }),
                    hasGaps: lines.gaps[writer] != nil)
                return (writer, account)
            })
        let told = states(lines.told.values.flatMap(\.self))
        all = Told(told.map { ($0.time, $1) } + lines.losses.map { ($0, .lost) })
        blindSpots = Timeline(union: lines.blindSpots)
        deletedUntil = lines.deletedUntil
        stops = lines.stops.mapValues { places in
            Stops(
                order: Dictionary(grouping: places, by: \.writer).mapValues { places in
                    Timeline(places.map { ($0.sequence, ()) }) { _, _ in }
                },
                times: Timeline(places.map { ($0.time, ()) }) { _, _ in })
        }
    }

    /// Whether the gate was on, by all that is known.
    ///
    /// - Parameters:
    ///   - places: Of all lines of an event.
    ///   - session: Its session.
    func wasOn(at places: Set<Place>, in session: UniqueID?) -> Bool {
        let stops = session.flatMap { self.stops[$0] }
        return places.allSatisfy { place in
            let own = accounts[place.writer]
            if let own, !own.order.allows(place.sequence) || !own.times.allows(place.time) {
                return false
            }
            let ownSince = own?.times.states.state(at: place.time)?.since
            // What it told, or refused, later may be deleted.
            if own?.hasGaps == true, let ownSince, ownSince < deletedUntil { return false }
            guard let since = ownSince ?? onForAll(at: place.time) else { return false }
            let stop = stops?.times.state(at: place.time)?.since
            let lineSince = own?.order.states.state(at: place.sequence)?.since
            let stopLine = stops?.order[place.writer]?.state(at: place.sequence)?.since
            return stop.map { $0 < since } ?? true
                && stopLine.map { $0 < lineSince ?? .max } ?? true
        }
    }

    /// Since when it was on by what anybody told; nil where it was off, or where somebody had more to tell.
    private func onForAll(at time: Int64) -> Int64? {
        if blindSpots.state(at: time)?.state == true { return nil }
        guard let told = all.states.state(at: time) else { return all.wasOnBefore ? .min : nil }
        return told.state == .on ? told.since : nil
    }
}
