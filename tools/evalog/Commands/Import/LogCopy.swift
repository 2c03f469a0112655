// Another log's segments into this one.

import EvalogContent
import EvalogLog

struct LogCopy {
    private let source: LogDirectory
    private let target: LogDirectory
    private let console: Console

    /// - Throws: ``CommandFailure`` where `path` is no log, or is the log itself.
    init(from path: String, to target: LogDirectory, console: Console) throws {
        guard FileSystem.isFolder("\(path)/\(StreamKind.facts.name)") else {
            throw CommandFailure(
                "\(path) is a folder, but no log",
                hint: "name the files in it: evalog import \(path)/*")
        }
        guard FileSystem.absolute(path) != FileSystem.absolute(target.path) else {
            throw CommandFailure(
                "\(path) is the log itself", hint: "name another log to import into with --log DIR")
        }
        source = LogDirectory(path: path)
        self.target = target
        self.console = console
    }

    func run() throws -> Bool {
        let progress = Progress("copying \(source.path)", console: console)
        defer { progress.end() }
        let copy = SegmentCopy(from: source, to: target)
        var total = SegmentCopy.Outcome()
        for stream in [LogStream.facts, ContentAccess.stream] {
            let outcome = try copy.run(stream) { progress.update(done: $0, total: 0, lines: 0) }
            total.copiedCount += outcome.copiedCount
            total.presentCount += outcome.presentCount
            total.byteCount += outcome.byteCount
        }
        progress.end()
        console.note(
            "\(source.path): \(Figures.count(total.copiedCount)) segments copied"
                + " (\(Figures.bytes(total.byteCount))), \(Figures.count(total.presentCount)) were there"
        )
        return true
    }
}
