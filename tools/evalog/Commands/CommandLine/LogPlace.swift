// Whether a log is where somebody says, and which one may be meant if not.

import EvalogLog

extension LogDirectory {
    /// Tells a log, which may be empty, from what is none.
    ///
    /// - Parameter hint: What to try if no log is near; nil says how to name one.
    /// - Throws: ``CommandFailure`` that says what is there instead; `LogError` where it cannot be told.
    func demandExisting(hint: String? = nil) throws {
        let naming = "name it with --log DIR or EVALOG_LOG"
        if FileSystem.isFolder(path) {
            if try isLog() { return }
            throw CommandFailure(
                "\(path) is a folder, but no log",
                hint: LogPlace.suggestion(for: path) ?? hint ?? naming)
        }
        if FileSystem.exists(path) {
            throw CommandFailure(
                "\(path) is a file, but no log",
                hint: LogPlace.suggestion(for: path) ?? hint ?? naming)
        }
        // A path on which something may not be looked at is not one where nothing is.
        _ = try isLog()
        throw CommandFailure(
            "there is no log at \(path)",
            hint: LogPlace.suggestion(for: path).map { "\($0) \(naming)" }
                ?? "\(naming), or make one: evalog import FILE")
    }
}

/// Logs around a path.
enum LogPlace {
    /// How far above a path is looked.
    private static let levelCount = 2
    private static let suggestionCountMax = 3

    /// Asks for the log that a path lies in, or else for those that lie in it; where nothing is at
    /// the path, for those beside it.
    static func suggestion(for path: String) -> String? {
        let near =
            FileSystem.exists(path)
            ? logAbove(path).map { [$0] } ?? logs(below: path)
            : logs(at: FileSystem.parent(of: path))
        return near.isEmpty ? nil : "did you mean \(near.joined(separator: " or "))?"
    }

    private static func logs(at path: String) -> [String] {
        isLog(path) ? [path] : logs(below: path)
    }

    private static func logAbove(_ path: String) -> String? {
        var above = path
        for _ in 0..<levelCount {
            above = FileSystem.parent(of: above)
            if isLog(above) { return above }
        }
        return nil
    }

    /// Folders in a folder that are logs, and those that `evalog demo` made there.
    private static func logs(below path: String) -> [String] {
        let stem = path == "." ? "" : path.hasSuffix("/") ? path : path + "/"
        let names = FileSystem.names(in: path).sorted().map { stem + $0 }
        return Array(
            (names + names.map { $0 + "/log" }).lazy.filter(isLog).prefix(suggestionCountMax))
    }

    private static func isLog(_ path: String) -> Bool {
        (try? LogDirectory(path: path).isLog()) ?? false
    }

    /// Keeps results out of logs, where they would be taken for parts of them.
    ///
    /// - Parameter log: Where the results come from.
    /// - Throws: ``CommandFailure`` for a path that is a log or lies in one, by whatever links.
    static func demandOutside(_ path: String, of log: LogDirectory?) throws {
        guard let log = self.log(around: path, or: log) else { return }
        throw CommandFailure(
            "\(path) \(FileSystem.isSame(path, log) ? "is a log" : "lies inside of the log \(log)")",
            hint: "name a folder outside of it")
    }

    /// Whether a log lies in a folder, at whatever depth.
    static func isFolder(_ folder: String, around log: LogDirectory) -> Bool {
        guard FileSystem.isFolder(folder) else { return false }
        var place = FileSystem.absolute(log.path)
        while place.hasPrefix("/"), place != "/" {
            place = FileSystem.parent(of: place)
            if FileSystem.isSame(place, folder) { return true }
        }
        return false
    }

    /// The log that a path is or lies in, whether or not there is something at the path yet.
    ///
    /// Of logs but the given one only those with a segment are recognized: another folder, too, may
    /// have a folder called facts.
    static func log(around path: String, or own: LogDirectory? = nil) -> String? {
        var place = path
        while !FileSystem.exists(place), place != "/" { place = FileSystem.parent(of: place) }
        place = FileSystem.absolute(place)
        while place.hasPrefix("/") {
            if let own, FileSystem.isSame(place, own.path) { return own.path }
            let segments = try? LogDirectory(path: place).list(.facts).segments
            if segments?.isEmpty == false { return place }
            if place == "/" { break }
            place = FileSystem.parent(of: place)
        }
        return nil
    }
}
