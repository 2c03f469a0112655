// What a log tells of the privacy gate, and that lines are missing which may have told of it, outlives
// the lines and the damage that it is known from.

import EvalogFacts
import EvalogLog
import EvalogReplay
import EvalogText

/// What is appended where retention would delete what tells of the gate: the last gate fact, and gaps in
/// the place of all else. Without them events that are withheld now would leave.
///
/// A recorder writes a gate fact before the first event of each opening; events that were imported may
/// follow a switch of long ago.
struct GateKeeping {
    private let directory: LogDirectory
    private let lines: [(bytes: [UInt8], time: Int64)]

    /// - Parameters:
    ///   - limit: Lines appended before have had their time.
    ///   - random: For the ids of what is appended.
    /// - Returns: nil where these tell nothing of the gate.
    /// - Complexity: Reads the blocks that have had their time.
    init?(
        of directory: LogDirectory, before limit: Int64,
        using random: inout some RandomNumberGenerator
    ) throws {
        let known = try GateReceiver.read(directory, before: limit)
        guard let end = known.end else { return nil }
        self.directory = directory
        // Of what was before the end nobody knows the order any more, in which others may have told more.
        var gaps = [(since: EventTimes.least, time: max(end, EventTimes.least))]
        var lines: [(bytes: [UInt8], time: Int64)] = []
        if let last = known.last { lines.append((last.bytes, last.time)) }
        if let loss = known.latestLoss, known.last.map({ $0.time <= loss }) ?? true {
            let time = max(loss, EventTimes.least)
            gaps.append((since: time, time: time))
        }
        for gap in gaps {
            let fact = LogGapFact(
                id: .random(using: &random), time: gap.time, stream: .facts, since: gap.since,
                refused: 0, cause: .other)
            var bytes: [UInt8] = []
            Fact.logGap(fact).encode(into: &bytes)
            lines.append((bytes, gap.time))
        }
        self.lines = lines
    }

    /// Appends all of it.
    func append() throws(LogError) {
        let writer = try LogWriter(directory)
        for line in lines { _ = writer.append(line.bytes, to: .facts, eventTime: line.time) }
        try writer.close()
    }
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
        case .gate: note(view.time)
        case .evaluation where view.reason == .aiDisabled: note(view.time)
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
