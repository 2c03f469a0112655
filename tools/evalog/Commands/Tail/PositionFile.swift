// Where a follower has come, kept in a file of the user's.

import EvalogLog

/// A position as a file, replaced only when it has changed.
final class PositionFile {
    let path: String
    private let folder: String
    private let name: String
    private let log: LogDirectory
    private var written: Position?

    /// - Parameter log: Whose position it is.
    init(path: String, of log: LogDirectory) {
        self.path = path
        self.log = log
        let slash = path.lastIndex(of: "/")
        let parent = slash.map { String(path[..<$0]) } ?? "."
        folder = parent.isEmpty ? "/" : parent
        name = String(path[(slash.map { path.index(after: $0) } ?? path.startIndex)...])
    }

    /// The position in the file; the beginning where there is no file yet.
    ///
    /// - Throws: ``CommandFailure``, also for a damaged one: nobody guesses.
    func read() throws -> Position {
        try LogPlace.demandOutside(path, of: log)
        guard !name.isEmpty, FileSystem.isFolder(folder), !FileSystem.isStream(path) else {
            throw CommandFailure(
                "--position cannot keep a file at \"\(path)\"",
                hint: "name a file in a folder that exists")
        }
        // Before anything is shown that it should remember.
        try FileSystem.demandWritable(folder)
        guard let bytes = try FileSystem.contents(of: path) else { return Position() }
        do {
            let position = try Position(text: String(decoding: bytes, as: UTF8.self))
            written = position
            return position
        } catch LogError.position(let line) {
            throw line == 1
                ? CommandFailure(
                    "\(path) is no position file, and stays as it is",
                    hint: "name another one; where there is none it is made")
                : CommandFailure(
                    "the position file \(path) is damaged in line \(line)",
                    hint: "bring a copy of it back, or delete it to start from the log's first line"
                )
        }
    }

    /// Replaces the file at once, after the output it stands for was written.
    func replaceIfChanged(_ position: Position) throws {
        guard position != written else { return }
        let text = Array(position.text.utf8)
        try OutputFolder(path: folder, of: log).replace([
            (name: name, body: { emit in try text.withUnsafeBytes(emit) })
        ])
        written = position
    }
}
