// A folder of a test's own with the command at hand, and the files in it as values.

import EvalogLog
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs evalog in a scratch folder; `log` is where it keeps its log.
struct CommandFixture {
    let scratch = ScratchFolder()
    var log: String { path("log") }
    var directory: LogDirectory { LogDirectory(path: log) }

    /// The scratch folder.
    var folder: String { scratch.path }
    func path(_ name: String) -> String { scratch.path(name) }

    /// Starts evalog on the log without waiting for it.
    func start(
        _ words: [String], environment: [String: String] = [:], input: [UInt8] = [],
        terminal: Int32? = nil, isTyped: Bool = false
    ) throws -> RunningProgram {
        try RunningProgram(
            BuiltProgram.evalog, words, in: scratch.path,
            environment: ["EVALOG_LOG": log].merging(environment) { $1 }, input: input,
            terminal: terminal, isTyped: isTyped)
    }

    /// Runs evalog on the log to its end.
    @discardableResult
    func evalog(
        _ words: String..., environment: [String: String] = [:], input: [UInt8] = []
    ) throws -> Finished {
        try start(words, environment: environment, input: input).finish()
    }

    /// Runs a line of sh, where `$EVALOG` is the command.
    @discardableResult
    func shell(_ line: String, environment: [String: String] = [:]) throws -> Finished {
        var variables = ["EVALOG": BuiltProgram.evalog, "EVALOG_LOG": log]
        variables.merge(environment) { $1 }
        return try RunningProgram(
            "/bin/sh", ["-c", line], in: scratch.path, environment: variables
        ).finish()
    }

    /// The bytes of every file of an export of the log, by name.
    func export(_ words: String..., environment: [String: String] = [:]) throws -> [String: [UInt8]]
    {
        try files(of: "export", words, environment)
    }

    /// The bytes of every file of a report on the log, by name.
    func report(_ words: String..., environment: [String: String] = [:]) throws -> [String: [UInt8]]
    {
        try files(of: "report", words, environment)
    }

    private func files(
        of command: String, _ words: [String], _ environment: [String: String]
    ) throws -> [String: [UInt8]] {
        let folder = path("\(command)-\(UInt64.random(in: .min ... .max))")
        let run = try start(
            [command, "--quiet", "--to", folder] + words, environment: environment
        ).finish()
        guard run.status == 0 else { throw FixtureFailure(what: run.errors) }
        return try Files.all(in: folder)
    }

    /// Every line of the facts, writer by writer; none where there is no log.
    func factLines() throws -> [String] {
        guard try directory.isLog() else { return [] }
        let collected = Collected()
        try readLog(directory, .facts) { _, block in
            block.forEachLine { _, line in collected.add(String(decoding: line, as: UTF8.self)) }
        }
        return collected.lines
    }

    /// What `zcat` makes of all segments of a stream.
    func text(of stream: String) throws -> String {
        try shell("cat '\(log)/\(stream)'/*.gz 2>/dev/null | zcat").text
    }
}

/// A step that a test needs and that did not work.
struct FixtureFailure: Error {
    let what: String
}

/// Lines gathered by a reader, which calls from one thread here.
final class Collected: @unchecked Sendable {
    private(set) var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
}

/// Files as whole values.
enum Files {
    static func bytes(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "rb") else {
            throw FixtureFailure(what: "cannot open \(path)")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&room, 1, room.count, file)
            if count == 0 { return bytes }
            bytes += room[..<count]
        }
    }

    static func text(_ path: String) throws -> String {
        String(decoding: try bytes(path), as: UTF8.self)
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        guard let file = fopen(path, "wb") else {
            throw FixtureFailure(what: "cannot write \(path)")
        }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
            throw FixtureFailure(what: "cannot write \(path)")
        }
    }

    static func write(_ text: String, to path: String) throws {
        try write(Array(text.utf8), to: path)
    }

    /// The names in a folder, hidden ones included, sorted; none where there is no folder.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                let capacity = MemoryLayout.size(ofValue: pointer.pointee)
                return pointer.withMemoryRebound(to: CChar.self, capacity: capacity) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// The bytes of every file in a folder, by name.
    static func all(in folder: String) throws -> [String: [UInt8]] {
        try Dictionary(
            uniqueKeysWithValues: names(in: folder).map { ($0, try bytes("\(folder)/\($0)")) })
    }

    /// The permission bits of a file.
    static func mode(_ path: String) -> Int {
        var status = stat()
        return lstat(path, &status) == 0 ? Int(status.st_mode) & 0o777 : -1
    }

    /// Every name below a folder that is not meant to stay: temporary files of any command.
    static func temporaries(below folder: String) -> [String] {
        names(in: folder).flatMap { name -> [String] in
            (name.contains("tmp-") ? ["\(folder)/\(name)"] : [])
                + temporaries(below: "\(folder)/\(name)")
        }
    }
}
