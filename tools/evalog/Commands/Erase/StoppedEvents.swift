// Events that come behind an evaluation of their session that the gate stopped, in the order of lines: what
// stands in for that evaluation is another writer's line and holds events back by their times only.

import EvalogFacts
import EvalogLog
import EvalogRecording
import EvalogReplay
import EvalogText

/// Looks for such events. One thread at a time.
final class StoppedEvents: FactReceiver, @unchecked Sendable {
    /// Numbers of the lines that tell of a stop, of each session and writer.
    typealias Lines = [SessionID: [UniqueID: [UInt64]]]

    private let stopLines: Lines
    /// Numbers of the lines that tell how the gate stands.
    private var gateLines: [UniqueID: [UInt64]] = [:]
    private var events: [(stop: SessionStop, writer: UniqueID, sequence: UInt64)] = []
    private var writer = UniqueID(high: 0, low: 0)
    private var sequence: UInt64 = 0

    /// Stops at the times of these events: clocks are set back, and then such an event is older than the
    /// one that it came behind.
    static func stops(behind lines: Lines, in directory: LogDirectory) throws -> Set<SessionStop> {
        if lines.isEmpty { return [] }
        let receiver = StoppedEvents(lines)
        _ = try FactReading(of: directory, into: [receiver])
        return Set(receiver.events.filter(receiver.isStopped).map(\.stop))
    }

    private init(_ lines: Lines) { stopLines = lines }

    /// Whether nothing was told between the stop and the event.
    private func isStopped(
        _ event: (stop: SessionStop, writer: UniqueID, sequence: UInt64)
    ) -> Bool {
        func last(_ lines: [UInt64]?) -> UInt64? { lines?.filter { $0 < event.sequence }.max() }
        guard let told = last(gateLines[event.writer]),
            let stop = last(stopLines[event.stop.session]?[event.writer])
        else { return false }
        return told < stop
    }

    func begin(_ origin: FactOrigin) { (writer, sequence) = (origin.writer, origin.sequence) }

    func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        defer { sequence += 1 }
        switch view.kind {
        case .gate where view.tellsOfWholeGate: gateLines[writer, default: []].append(sequence)
        case .aiSuppressed, .formInference:
            guard let session = view.session, stopLines[session]?[writer] != nil else { return }
            events.append((SessionStop(session: session, time: view.time), writer, sequence))
        default: break
        }
    }

    func countUnreadable() { sequence += 1 }
}
