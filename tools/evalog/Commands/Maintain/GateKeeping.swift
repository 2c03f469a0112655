// What a log tells of the privacy gate outlives the lines that told it.

import EvalogFacts
import EvalogLog
import EvalogReplay

/// The last gate fact of a log, where retention would take all of them: without one, events from
/// while on-device AI is off would look as if it were on.
///
/// A recorder writes one before the first event of each opening; events that were imported may
/// follow a switch of long ago.
struct GateKeeping {
    private let directory: LogDirectory
    private let line: [UInt8]
    private let time: Int64

    /// - Parameter limit: Lines appended before have had their time.
    /// - Returns: nil where a younger gate fact stays, or there is none.
    /// - Complexity: Reads all facts once.
    init?(of directory: LogDirectory, before limit: Int64) throws {
        let receiver = GateReceiver(limit: limit)
        _ = try FactReading(of: directory, into: [receiver])
        guard !receiver.hasYoungLine, let last = receiver.last else { return nil }
        (time, line) = last
        self.directory = directory
    }

    /// Appends the fact again.
    func append() throws(LogError) {
        let writer = try LogWriter(directory)
        _ = writer.append(line, to: .facts, eventTime: time)
        try writer.close()
    }
}

private final class GateReceiver: FactReceiver, @unchecked Sendable {
    private let limit: Int64
    private var isYoung = false
    private(set) var hasYoungLine = false
    /// Of several of one time one that says off.
    private(set) var last: (time: Int64, line: [UInt8])?

    init(limit: Int64) { self.limit = limit }

    func begin(_ origin: FactOrigin) { isYoung = origin.appendTime >= limit }

    func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        guard view.kind == .gate else { return }
        hasYoungLine = hasYoungLine || isYoung
        let (time, isOn) = (view.time, view.isOnDeviceAIEnabled)
        if let last, time < last.time || (time == last.time && isOn) { return }
        last = (time, Array(line))
    }

    func countUnreadable() {}
}
