// What a report has to know outlives the lines and the damage that it is known from: what the log tells of
// the privacy gate, that lines are missing which may have told of it, and what forms may report.

import EvalogFacts
package import EvalogLog
import EvalogText

/// What is appended where retention would delete what a report has to know: the last gate fact, gaps in
/// the place of all else, of a session that goes on that the gate stopped it, and the last catalog of each field.
/// Without them events that are withheld now would leave.
///
/// A recorder writes gate facts and catalogs anew at each opening; events that were imported may follow one of
/// long ago.
package struct RetentionNotes {
    private let directory: LogDirectory
    private let lines: [(line: [UInt8], time: Int64)]

    /// - Parameters:
    ///   - limit: Lines appended before have had their time.
    ///   - random: For the ids of what is appended.
    ///   - shouldStop: Asked between blocks.
    /// - Returns: nil where no segment goes, or what goes tells nothing of that.
    /// - Throws: `LogError` where a file cannot be read, `CancellationError` after a stop.
    /// - Complexity: Reads the blocks that have had their time, and all others if the gate stopped somebody in
    ///   these.
    package init?(
        of directory: LogDirectory, before limit: Int64,
        using random: inout some RandomNumberGenerator,
        shouldStop: @escaping @Sendable () -> Bool = { false }
    ) throws {
        let catalog = try LogCatalog.scan(directory, .facts)
        guard catalog.hasSegment(appendedBefore: limit) else { return nil }
        let known = ExpiringFacts()
        let report = try directory.readFacts(into: known, catalog, shouldStop: shouldStop) {
            $0.appendTime < limit
        }
        for times in catalog.lossTimes(in: report, before: limit) { known.lose(from: times) }
        var lines = known.lastLines
        var facts = known.gaps(using: &random).map(Fact.logGap)
        let going = try SessionsGoingOn.stops(
            of: known.stops, in: directory, since: limit, shouldStop: shouldStop)
        for stop in going { facts.append(.gate(stop.fact(using: &random))) }
        lines += facts.map(\.dated)
        if lines.isEmpty { return nil }
        self.directory = directory
        self.lines = lines
    }

    /// Appends all of it.
    package func append(options: WriterOptions = .init()) throws(LogError) {
        try directory.keep(lines, options: options)
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

/// The latest catalogs of a field, each of which counts.
private struct LastCatalogs {
    var time: Int64
    var lines: Set<[UInt8]>
}

/// What the blocks tell that have had their time.
private final class ExpiringFacts: FactReceiver, @unchecked Sendable {
    private var last: GateLine?
    private var catalogs: [[UInt8]: LastCatalogs] = [:]
    /// Since when lines are missing, of the latest that are.
    private var latestLoss: Int64?
    /// From then on nothing of it tells more than the last of it.
    private var end: Int64?
    private(set) var stops: Set<SessionStop> = []
    private var eventTimes: ClosedRange<Int64> = 0...0

    /// What was told last of the gate, and of each field.
    var lastLines: [(line: [UInt8], time: Int64)] {
        let catalogs = catalogs.values.flatMap { last in
            last.lines.map { (line: $0, time: last.time) }
        }
        return (last.map { [(line: $0.bytes, time: $0.time)] } ?? [])
            + catalogs.sorted { $0.line.lexicographicallyPrecedes($1.line) }
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
        case .gate where view.tellsOfWholeGate:
            let found = GateLine(
                time: view.time, isOn: view.isOnDeviceAIEnabled, bytes: Array(line))
            if last.map(found.replaces) ?? true { last = found }
            note(found.time)
        case .logGap where view.stream == .facts:
            lose(from: view.since...view.since)
            note(view.time)
        case .gate, .evaluation: if let stop = SessionStop(view) { stops.insert(stop) }
        case .catalog where !view.subject.isEmpty:
            keep(line, of: Array(view.subject), at: view.time)
        case .unknown where view.wasUnread: lose(from: eventTimes)
        default: break
        }
    }

    func countUnreadable() { lose(from: eventTimes) }

    private func keep(_ catalog: UnsafeRawBufferPointer, of field: [UInt8], at time: Int64) {
        var last = catalogs[field] ?? LastCatalogs(time: time, lines: [])
        if time > last.time { last = LastCatalogs(time: time, lines: []) }
        if time == last.time { last.lines.insert(Array(catalog)) }
        catalogs[field] = last
    }

    func lose(from times: ClosedRange<Int64>) {
        latestLoss = max(latestLoss ?? .min, times.upperBound)
        note(times.upperBound)
    }

    private func note(_ time: Int64) { end = max(end ?? .min, time) }
}

/// Looks for sessions that go on in the blocks that stay.
private final class SessionsGoingOn: FactReceiver, @unchecked Sendable {
    private var sessions: Set<SessionID> = []
    private var known: Set<SessionStop> = []

    /// Those of some stops whose session has events there, but for those that are told of there.
    static func stops(
        of stops: Set<SessionStop>, in directory: LogDirectory, since limit: Int64,
        shouldStop: @escaping @Sendable () -> Bool
    ) throws -> [SessionStop] {
        if stops.isEmpty { return [] }
        let receiver = SessionsGoingOn()
        let catalog = try LogCatalog.scan(directory, .facts)
        _ = try directory.readFacts(into: receiver, catalog, shouldStop: shouldStop) {
            $0.appendTime >= limit
        }
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

// MARK: Reading

extension LogDirectory {
    /// Hands the lines of some blocks to a receiver, on one thread.
    ///
    /// - Throws: `CancellationError` between blocks, once asked to stop.
    fileprivate func readFacts(
        into receiver: some FactReceiver, _ catalog: LogCatalog,
        shouldStop: @escaping @Sendable () -> Bool, where isWanted: (BlockHeader) -> Bool
    ) throws -> ReadReport {
        let decoder = Monitor(FactDecoder())
        return try readLog(self, .facts, catalog: catalog, trustsChain: true, where: isWanted) {
            _, block in
            if shouldStop() { throw CancellationError() }
            let header = block.header
            receiver.begin(
                FactOrigin(
                    writer: UniqueID(high: header.writer.high, low: header.writer.low),
                    sequence: header.first, appendTime: header.appendTime,
                    eventTimes: header.eventTimes))
            decoder.withLock { decoder in
                block.forEachLine { _, line in
                    do throws(FactError) {
                        receiver.add(try decoder.decode(line), line: line)
                    } catch {
                        receiver.countUnreadable()
                    }
                }
            }
        }
    }
}
