// The facts of a log, decoded on several threads, each line once.

package import EvalogFacts
package import EvalogLog
package import EvalogText

/// One reading of the facts stream.
package struct FactReading: Sendable {
    package var report: ReadReport
    /// Lines delivered, unreadable ones included.
    package var lineCount: UInt64

    /// Reads every line and hands it to the receiver of the thread that inflated it.
    ///
    /// - Parameters:
    ///   - receivers: One for each thread.
    ///   - catalog: What is read first, where it is known already; nil looks now.
    ///   - bound: Lines to deliver; nil for all.
    ///   - others: Take the lines that are not in the bound, one for each thread; nil leaves them out.
    ///   - isWanted: Asked once for each block; one that is not wanted is passed over.
    ///   - progress: Called now and then, on the caller's thread.
    /// - Throws: `LogError` where a file cannot be read. Damage is no error: it is in the report.
    package init<Receiver: FactReceiver>(
        of directory: LogDirectory, into receivers: [Receiver],
        catalog: LogCatalog? = nil, within bound: SequencesByWriter? = nil,
        othersInto others: [Receiver]? = nil,
        where isWanted: (BlockHeader) -> Bool = { _ in true },
        progress: (@Sendable (ReadProgress) -> Void)? = nil
    ) throws {
        let workers = receivers.indices.map {
            Worker(receivers[$0], bound: bound, others: others?[$0])
        }
        report = try readLog(
            directory, .facts, catalog: catalog, threads: receivers.count, trustsChain: true,
            where: isWanted, progress: progress
        ) { worker, block in workers[worker].take(block) }
        lineCount = workers.reduce(0) { $0 + $1.lineCount }
    }
}

extension UniqueID {
    /// A writer's id, for those who do not know of logs.
    package init(_ writer: WriterID) { self.init(high: writer.high, low: writer.low) }
}

extension FactReceiver {
    /// Tells of a line's place where it is not behind the one before.
    @inline(__always)
    fileprivate func follow(_ sequence: UInt64, _ next: inout UInt64, in header: BlockHeader) {
        if sequence != next {
            begin(
                FactOrigin(
                    writer: UniqueID(header.writer), sequence: sequence,
                    appendTime: header.appendTime, eventTimes: header.eventTimes))
        }
        next = sequence + 1
    }
}

/// One thread's decoder and receivers. The reader calls it from one thread at a time.
private final class Worker<Receiver: FactReceiver>: @unchecked Sendable {
    private let receiver: Receiver
    private let bound: SequencesByWriter?
    private let others: Receiver?
    @exclusivity(unchecked) private var decoder = FactDecoder()
    @exclusivity(unchecked) private(set) var lineCount: UInt64 = 0

    init(_ receiver: Receiver, bound: SequencesByWriter?, others: Receiver?) {
        self.receiver = receiver
        self.bound = bound
        self.others = others
    }

    func take(_ block: LineBlock) {
        let known = bound.map { $0[block.header.writer] ?? SequenceSet() }
        // No line has the number 0.
        var (next, nextOther): (UInt64, UInt64) = (0, 0)
        var view = FactView()
        guard let known else {
            block.forEachLine { sequence, line in
                receiver.follow(sequence, &next, in: block.header)
                take(line, into: receiver, &view)
            }
            return
        }
        block.forEachLine { sequence, line in
            if known.contains(sequence) {
                receiver.follow(sequence, &next, in: block.header)
                take(line, into: receiver, &view)
            } else if let others {
                others.follow(sequence, &nextOther, in: block.header)
                take(line, into: others, &view)
            }
        }
    }

    @inline(__always)
    private func take(
        _ line: UnsafeRawBufferPointer, into receiver: Receiver, _ view: inout FactView
    ) {
        lineCount += 1
        do throws(FactError) {
            try decoder.decode(line, into: &view)
            receiver.add(view, line: line)
        } catch {
            receiver.countUnreadable()
        }
    }
}
