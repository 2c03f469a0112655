// What a log tells of the privacy gate, and that lines are missing which may have told of it, outlives
// the lines and the damage that it is known from.

import EvalogFacts
import EvalogLog
import EvalogReplay
import EvalogText

/// What is appended where retention would delete what tells of the gate: the last gate fact, gaps in the
/// place of all else, and of a session that goes on that the gate stopped it. Without them events that are
/// withheld now would leave.
///
/// A recorder writes a gate fact before the first event of each opening; events that were imported may
/// follow a switch of long ago.
struct GateKeeping {
    private let directory: LogDirectory
    private let lines: [(line: [UInt8], time: Int64)]

    /// - Parameters:
    ///   - limit: Lines appended before have had their time.
    ///   - random: For the ids of what is appended.
    /// - Returns: nil where these tell nothing of the gate.
    /// - Complexity: Reads the blocks that have had their time, and all others if the gate stopped somebody in
    ///   these.
    init?(
        of directory: LogDirectory, before limit: Int64,
        using random: inout some RandomNumberGenerator
    ) throws {
        let known = try GateReceiver.read(directory, before: limit)
        var lines: [(line: [UInt8], time: Int64)] = []
        if let last = known.last { lines.append((last.bytes, last.time)) }
        var facts = known.gaps(using: &random).map(Fact.logGap)
        for stop in try StopReceiver.stopsToKeep(of: known.stops, in: directory, since: limit) {
            facts.append(.gate(stop.fact(using: &random)))
        }
        lines += facts.map(\.dated)
        if lines.isEmpty { return nil }
        self.directory = directory
        self.lines = lines
    }

    /// Appends all of it.
    func append() throws(LogError) { try directory.keep(lines) }
}

/// Times of events that can leave.
private enum EventTimes {
    /// 1970.
    static let least: Int64 = 0
}

/// A gate fact.
private struct GateLine {
    let time: Int64
    let isOn: Bool
    let bytes: [UInt8]

    /// Whether the other need not be known where this one is; of two of one time one that says off counts.
    func replaces(_ other: Self) -> Bool {
        time != other.time ? time > other.time : !isOn || other.isOn
    }
}

/// What some of a log's blocks tell of the gate.
private final class GateReceiver: FactReceiver, @unchecked Sendable {
    private(set) var last: GateLine?
    /// Since when lines are missing, of the latest that are.
    private(set) var latestLoss: Int64?
    /// From then on nothing of it tells more than the last of it.
    private(set) var end: Int64?
    private(set) var stops: Set<SessionStop> = []
    private var eventTimes: ClosedRange<Int64> = 0...0

    static func read(_ directory: LogDirectory, before limit: Int64) throws -> GateReceiver {
        let catalog = try LogCatalog.scan(directory, .facts)
        let receiver = GateReceiver()
        let reading = try FactReading(
            of: directory, into: [receiver], catalog: catalog, where: { $0.appendTime < limit })
        for times in catalog.lossTimes(in: reading.report, before: limit) {
            receiver.lose(from: times)
        }
        return receiver
    }

    /// What stands for the lines that told of the gate, and for losses.
    func gaps(using random: inout some RandomNumberGenerator) -> [LogGapFact] {
        guard let end else { return [] }
        // Of what was before the end nobody knows the order any more, in which others may have told more.
        var gaps = [(since: EventTimes.least, time: max(end, EventTimes.least))]
        if let latestLoss, last.map({ $0.time <= latestLoss }) ?? true {
            let time = max(latestLoss, EventTimes.least)
            gaps.append((since: time, time: time))
        }
        return gaps.map { gap in
            LogGapFact(
                id: .random(using: &random), time: gap.time, stream: .facts, since: gap.since,
                refused: 0, cause: .other)
        }
    }

    func begin(_ origin: FactOrigin) { eventTimes = origin.eventTimes }

    func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        switch view.kind {
        case .gate where view.session == nil:
            let found = GateLine(
                time: view.time, isOn: view.isOnDeviceAIEnabled, bytes: Array(line))
            if last.map(found.replaces) ?? true { last = found }
            note(found.time)
        case .logGap where view.stream == .facts:
            lose(from: view.since...view.since)
            note(view.time)
        case .gate, .evaluation: if let stop = SessionStop(view) { stops.insert(stop) }
        default: break
        }
    }

    func countUnreadable() { lose(from: eventTimes) }

    private func lose(from times: ClosedRange<Int64>) {
        latestLoss = max(latestLoss ?? .min, times.upperBound)
        note(times.upperBound)
    }

    private func note(_ time: Int64) { end = max(end ?? .min, time) }
}

/// Looks for sessions that go on in the blocks that stay.
private final class StopReceiver: FactReceiver, @unchecked Sendable {
    private var sessions: Set<SessionID> = []
    private var known: Set<SessionStop> = []

    /// Those of some stops whose session has events there, but for those that are told of there.
    static func stopsToKeep(
        of stops: Set<SessionStop>, in directory: LogDirectory, since limit: Int64
    ) throws -> [SessionStop] {
        if stops.isEmpty { return [] }
        let receiver = StopReceiver()
        _ = try FactReading(of: directory, into: [receiver], where: { $0.appendTime >= limit })
        return stops.subtracting(receiver.known).filter { receiver.sessions.contains($0.session) }
            .sorted()
    }

    func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        switch view.kind {
        case .aiSuppressed, .formInference:
            if let session = view.session { sessions.insert(session) }
        default: if let stop = SessionStop(view) { known.insert(stop) }
        }
    }

    func countUnreadable() {}
}
