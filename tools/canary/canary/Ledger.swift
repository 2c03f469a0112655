// What was planted and what models and servers got to see, in files for the search.

import AirshipCore
import Foundation

/// Everything that one player plants.
final class Ledger: Sendable {
    private struct State {
        var seen: [String] = []
        var optedIn: Set<String> = []
    }

    private let state = Locked(State())
    private let planted: FileHandle
    private let seen: FileHandle
    private let optedIn: FileHandle

    /// - Parameter folder: Gets `planted-NAME`, `seen-NAME` and `opted-NAME`: texts, each followed
    ///   by the byte 0xFF, which no text holds.
    init(folder: String, name: String) throws {
        planted = try Self.file("\(folder)/planted-\(name)")
        seen = try Self.file("\(folder)/seen-\(name)")
        optedIn = try Self.file("\(folder)/opted-\(name)")
    }

    /// A model or a server saw this, or said it.
    func saw(_ texts: String...) { state.withLock { $0.seen += texts } }

    /// A form's field reported this value of a property: it is meant to appear.
    func reported(_ field: String, _ property: String, _ value: String) {
        state.withLock { _ = $0.optedIn.insert("\(field)\n\(property)\n\(value)") }
    }

    func write(planted texts: [String]) throws {
        let taken = state.withLock { state in
            defer { state = State() }
            return state
        }
        try planted.write(contentsOf: Self.bytes(texts))
        try seen.write(contentsOf: Self.bytes(taken.seen))
        try optedIn.write(contentsOf: Self.bytes(taken.optedIn.sorted()))
    }

    private static func bytes(_ texts: [String]) -> Data {
        var data = Data()
        for text in texts {
            data.append(contentsOf: text.utf8)
            data.append(0xFF)
        }
        return data
    }

    private static func file(_ path: String) throws -> FileHandle {
        try Data().write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
        return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }
}
