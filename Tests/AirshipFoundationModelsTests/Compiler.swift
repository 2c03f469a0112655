// Builds modules beside the package with the compiler that built this test.

import Foundation

/// Runs `swiftc` in a folder of its own, which goes with it.
final class Compiler {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The package's root.
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let flags = [
        "-swift-version", "6", "-package-name", "evalog", "-Onone", "-wmo",
        "-enable-upcoming-feature", "ExistentialAny",
        "-enable-upcoming-feature", "InternalImportsByDefault",
        "-enable-upcoming-feature", "MemberImportVisibility", "-warnings-as-errors",
    ]

    let folder = FileManager.default.temporaryDirectory
        .appending(path: "foundation-models-\(UUID().uuidString)")

    /// The compilation conditions of whatever is built next.
    var conditions: [String] = []

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Whether there is a compiler.
    static var isPresent: Bool { (try? run("/usr/bin/env", ["swiftc", "--version"])) != nil }

    /// Builds a module and its object file into the folder, in place of an earlier one.
    func module(_ name: String, _ sources: [URL]) throws {
        try compile(
            [
                "-parse-as-library", "-module-name", name, "-emit-module", "-emit-module-path",
                folder.appending(path: name + ".swiftmodule").path, "-c", "-o",
                folder.appending(path: name + ".o").path,
            ], sources)
    }

    /// Builds a program from the sources and every module so far, runs it, and returns its output.
    func output(ofProgram sources: [URL]) throws -> String {
        let program = folder.appending(path: "program")
        let objects = try Self.files(in: folder, ending: "o")
        try compile(["-module-name", "Program", "-o", program.path], sources + objects)
        return try Self.run(program.path, [])
    }

    private func compile(_ arguments: [String], _ inputs: [URL]) throws {
        _ = try Self.run(
            "/usr/bin/env",
            ["swiftc", "-I", folder.path] + Self.flags + conditions.flatMap { ["-D", $0] }
                + arguments
                + inputs.map(\.path))
    }

    /// The files below a folder whose names end like that, in the order of their paths.
    static func files(in folder: URL, ending: String) throws -> [URL] {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (files?.allObjects ?? []).compactMap { $0 as? URL }
            .filter { $0.pathExtension == ending }.sorted { $0.path < $1.path }
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        let text = String(decoding: data, as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: text) }
        return text
    }
}
