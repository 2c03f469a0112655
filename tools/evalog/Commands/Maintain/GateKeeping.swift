// What a log tells of the privacy gate outlives the lines that told it.

import EvalogFacts
import EvalogLog
import EvalogReplay

/// The last gate fact of a log, where retention would delete it: without one, events from while on-device
/// AI is off would look as if it were on.
///
/// A recorder writes one before the first event of each opening; events that were imported may
/// follow a switch of long ago.
struct GateKeeping {
    private let directory: LogDirectory
    private let last: GateLine

    /// - Parameter limit: Lines appended before have had their time.
    /// - Returns: nil where the last gate fact stays, or there is none.
    /// - Complexity: Reads the blocks that have had their time. If there is a gate fact in them, others too,
    ///   those of the newest events first, until there is a later one.
    init?(of directory: LogDirectory, before limit: Int64) throws {
        let search = try GateSearch(directory)
        guard let old = try search.last(where: { $0.appendTime < limit }) else { return nil }
        let isKept = try search.replaces(old, where: { $0.appendTime >= limit })
        if isKept { return nil }
        self.directory = directory
        last = old
    }

    /// Appends the fact again.
    func append() throws(LogError) {
        let writer = try LogWriter(directory)
        _ = writer.append(last.bytes, to: .facts, eventTime: last.time)
        try writer.close()
    }
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

/// Looks for gate facts in some of a log's blocks.
private struct GateSearch {
    private let directory: LogDirectory
    private let catalog: LogCatalog
    /// A recorder tells of the gate each hour in which there are events.
    private static let firstLength: Int64 = 3_600_000_000

    init(_ directory: LogDirectory) throws {
        self.directory = directory
        catalog = try LogCatalog.scan(directory, .facts)
    }

    /// The last gate fact of some blocks.
    func last(where isWanted: (BlockHeader) -> Bool) throws -> GateLine? {
        let receiver = GateReceiver()
        _ = try FactReading(of: directory, into: [receiver], catalog: catalog, where: isWanted)
        return receiver.last
    }

    /// Whether some blocks have a gate fact that replaces another one: looked for in ever longer stretches of time, from the end.
    func replaces(_ line: GateLine, where isWanted: (BlockHeader) -> Bool) throws -> Bool {
        let times = catalog.headers.lazy.map(\.header).filter(isWanted).map(\.greatestEventTime)
        var end = times.max() ?? .min
        var length = Self.firstLength
        while end >= line.time {
            let (start, isFar) = end.subtractingReportingOverflow(length)
            let stretch = (isFar ? line.time : max(start, line.time))...end
            let found = try last { isWanted($0) && stretch.contains($0.greatestEventTime) }
            if let found, found.replaces(line) { return true }
            // Blocks between two stretches have no time.
            guard let next = times.filter({ $0 < stretch.lowerBound }).max() else { return false }
            end = next
            length = length.multipliedReportingOverflow(by: 4).partialValue
        }
        return false
    }
}

private final class GateReceiver: FactReceiver, @unchecked Sendable {
    private(set) var last: GateLine?

    func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        guard view.kind == .gate else { return }
        let found = GateLine(
            time: view.time, isOn: view.isOnDeviceAIEnabled, bytes: Array(line))
        if last.map(found.replaces) ?? true { last = found }
    }

    func countUnreadable() {}
}
