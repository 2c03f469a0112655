// A log as it grows: first what it holds of the recent past, then what is appended, each line once.

package import EvalogFacts
package import EvalogLog

/// Delivers the facts of a log to a receiver while they come in. One thread at a time.
package final class LiveReplay<Receiver: FactReceiver> {
    private let directory: LogDirectory
    private let receiver: Receiver
    private let follower: LogFollower
    private var decoder = FactDecoder()

    /// Delivers what is in the log now, and will follow from behind it.
    ///
    /// - Parameters:
    ///   - time: Blocks whose facts all happened before it are passed over, in µs.
    ///   - progress: Called now and then, on the caller's thread.
    /// - Throws: `LogError` where a file cannot be read.
    package init(
        _ directory: LogDirectory, into receiver: Receiver, since time: Int64,
        progress: (@Sendable (ReadProgress) -> Void)? = nil
    ) throws {
        self.directory = directory
        self.receiver = receiver
        let end = try readLastLines(0, of: directory, .facts) { _ in }
        let history = try FactReading(
            of: directory, into: [receiver], within: end.position[.facts],
            where: { $0.greatestEventTime >= time }, progress: progress)
        damages = history.report.damages
        follower = LogFollower(directory, .facts, from: end.position, knowing: damages)
    }

    /// Damage of the blocks read at first.
    package let damages: [Damage]

    /// Delivers what has been appended since.
    ///
    /// - Throws: `LogError` where a file cannot be read; the next poll goes on.
    @discardableResult
    package func poll() throws -> LogFollower.Report {
        try follower.poll { block in
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
