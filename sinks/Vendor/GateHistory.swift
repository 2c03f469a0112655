// When on-device AI was off, as far as the log tells. Where it does not tell, it was off.

import EvalogText

/// What a log tells of the gate, and by whom.
///
/// Gate facts name no device, but a writer is one process of one device: what it tells of the gate
/// decides about the events that it wrote. An event that its own writer told nothing before
/// follows what the others told. A fact tells that the gate stands so, or was switched; before the
/// first one it is taken to have been the other way, and so off where either reading says off.
struct GateHistory {
    /// What is told of one instant.
    private enum State { case on, off, disputed }

    private let byWriter: [UniqueID: Timeline<State>]
    private let all: Timeline<State>
    /// Evaluations that were skipped because the gate was off, by session.
    private let skips: [UniqueID: Timeline<Void>]
    /// Writers whose first lines are gone, and with them what they may have told.
    private let beheaded: Set<UniqueID>

    /// - Parameters:
    ///   - told: What the gate facts say, each once for every writer of it.
    ///   - skips: Starts of evaluations that the gate stopped, by their session.
    init(
        told: [(writer: UniqueID, time: Int64, isOn: Bool)], skips: [UniqueID: [Int64]],
        beheaded: Set<UniqueID>
    ) {
        byWriter = Dictionary(grouping: told, by: \.writer).mapValues(Self.timeline)
        all = Self.timeline(told)
        self.skips = skips.mapValues { times in Timeline(times.map { ($0, ()) }) { _, _ in } }
        self.beheaded = beheaded
    }

    private static func timeline(
        _ told: [(writer: UniqueID, time: Int64, isOn: Bool)]
    ) -> Timeline<State> {
        Timeline(told.map { ($0.time, $0.isOn ? .on : .off) }) { $0 == $1 ? $0 : .disputed }
    }

    /// Whether the gate was on, by all that is known.
    ///
    /// - Parameters:
    ///   - time: Of an event, µs since 1970.
    ///   - writers: Of all its lines.
    ///   - session: Its session.
    func wasOn(at time: Int64, by writers: Set<UniqueID>, in session: UniqueID?) -> Bool {
        let skip = session.flatMap { skips[$0]?.state(at: time)?.since }
        return writers.allSatisfy { writer in
            guard let since = onSince(time, by: writer) else { return false }
            return skip.map { $0 < since } ?? true
        }
    }

    /// Since when it is known to have been on; nil where it was off.
    private func onSince(_ time: Int64, by writer: UniqueID) -> Int64? {
        let own = byWriter[writer]
        if let told = own?.state(at: time) { return told.state == .on ? told.since : nil }
        if beheaded.contains(writer) || (own?.first ?? .off) != .off { return nil }
        if let told = all.state(at: time) { return told.state == .on ? told.since : nil }
        return (all.first ?? .off) == .off ? .min : nil
    }
}
