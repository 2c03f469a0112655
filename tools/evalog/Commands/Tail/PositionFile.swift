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
    /// - Throws: ``CommandFailure``, `LogError.position` for a damaged one: nobody guesses.
    func read() throws -> Position {
        try LogPlace.demandOutside(path, of: log)
        guard !name.isEmpty, FileSystem.isFolder(folder) else {
            throw CommandFailure(
                "--position cannot keep a file at \"\(path)\"",
                hint: "name a file in a folder that exists")
        }
        guard let bytes = try FileSystem.contents(of: path) else { return Position() }
        let position = try Position(text: String(decoding: bytes, as: UTF8.self))
        written = position
        return position
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
