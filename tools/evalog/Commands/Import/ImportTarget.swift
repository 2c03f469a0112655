// The log that lines go into. It comes into being with the first of them, so that an input of which
// nothing is accepted leaves nothing behind.

import AirshipCore
import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogText

/// A log's key and writer, as soon as there is something to write.
final class ImportTarget {
    /// What ids and digests are made with: the log's, or until it is opened what would become its.
    private(set) var key: [UInt8]
    /// Nil until it is opened.
    private(set) var writer: LogWriter?
    /// Writes and seals what was accepted, should a signal end the run.
    private var ending: Interrupts.Ending?
    private let closing = Locked(())
    private let directory: LogDirectory
    private let console: Console

    /// Makes nothing.
    init(_ directory: LogDirectory, _ console: Console) throws {
        self.directory = directory
        self.console = console
        key = try ContentAccess.existingKey(of: directory) ?? LogDirectory.randomBytes()
    }

    static func hasFacts(_ directory: LogDirectory) throws -> Bool {
        guard FileSystem.exists(directory.path) else { return false }
        return try !directory.list(.facts).segments.isEmpty
    }

    /// Makes the log where it is missing, and its key, and opens it for appending.
    ///
    /// - Returns: Whether another key turned out to be the log's.
    func open() throws -> Bool {
        // In this order: who else starts the log at this moment makes its key before any fact.
        if try Self.hasFacts(directory), try ContentAccess.existingKey(of: directory) == nil {
            try warnOfLostKey()
        }
        let own = try Interrupts.whole { try ContentAccess.key(of: directory) { key } }
        defer { key = own }
        let writer = try LogWriter(directory)
        self.writer = writer
        ending = Interrupts.atEnd { [closing] in closing.withLock { _ in try? writer.close() } }
        return own != key
    }

    /// Writes everything, and ends the writing.
    func close() throws {
        try closing.withLock { _ in try writer?.close() }
        ending?.cancel()
    }

    /// Ids that are derived from lines depend on the log's key: with another one, what was imported
    /// before would count again. An app's recorder that never needed a key has none, which is no loss.
    private func warnOfLostKey() throws {
        let progress = Progress("looking for what was made with a key", console: console)
        defer { progress.end() }
        guard try KeyTraces.exist(in: directory, progress: { progress.update($0) }) else { return }
        progress.end()
        console.warn(
            "\(directory.path) has ids or digests that were made with a key, but its key is gone, so"
                + " a new one is made; records without an id that were imported before will count"
                + " again (docs/limits.md, The key)")
    }
}

/// What shows in facts that the log had a key.
enum KeyTraces {
    /// Nobody has to read on.
    private struct Found: Error {}

    /// Whether any fact has an id or a digest that takes a key.
    static func exist(
        in directory: LogDirectory, progress: @escaping @Sendable (ReadProgress) -> Void
    ) throws -> Bool {
        do {
            try readLog(directory, .facts, threads: Processors.count, progress: progress) {
                _, block in
                var decoder = FactDecoder()
                var isFound = false
                block.forEachLine { _, line in
                    guard let fact = try? decoder.decode(line) else { return }
                    isFound = isFound || exist(in: fact)
                }
                if isFound { throw Found() }
            }
            return false
        } catch is Found {
            return true
        }
    }

    private static func exist(in fact: FactView) -> Bool {
        let derived = 8
        return fact.id.version == derived || fact.session?.isDigest == true
            || SessionID(fact.subject)?.isDigest == true
    }
}
