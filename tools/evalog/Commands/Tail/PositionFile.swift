// Where a follower has come, kept in a file of the user's.

import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

final class PositionFile {
    let path: String
    private var written: Position?

    init(path: String) {
        self.path = path
    }

    /// The position in the file; the beginning where there is no file yet.
    ///
    /// - Throws: ``CommandFailure``, `LogError.position` for a damaged one: nobody guesses.
    func read() throws -> Position {
        guard FileSystem.exists(path) else { return Position() }
        var source = try LineSource(path: path, lineByteCountMax: 1 << 24)
        var text = ""
        while let line = try source.next() {
            guard case .line(let bytes) = line else { continue }
            text += String(decoding: bytes, as: UTF8.self) + "\n"
        }
        let position = try Position(text: text)
        written = position
        return position
    }

    /// Replaces the file at once, after the output it stands for was written.
    func replaceIfChanged(_ position: Position) throws {
        guard position != written else { return }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[..<$0]) } ?? "."
        let name = String(path[(slash.map { path.index(after: $0) } ?? path.startIndex)...])
        let text = Array(position.text.utf8)
        try OutputFolder(path: folder.isEmpty ? "/" : folder).replace([
            (name: name, body: { emit in try text.withUnsafeBytes(emit) })
        ])
        written = position
    }
}
