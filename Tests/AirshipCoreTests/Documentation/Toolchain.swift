// Runs the compiler on small sources, for what a test cannot say by compiling itself.

import Foundation

/// A scratch folder and the compiler; gone with the last reference.
final class Toolchain {
    private let folder: URL
    /// Where the build that this test belongs to put its modules.
    private static let modules = URL(fileURLWithPath: CommandLine.arguments[0])
        .deletingLastPathComponent().appending(path: "Modules")

    /// False, after a printed line, where there is no compiler or no module of ours.
    static let isPresent: Bool = {
        let module = modules.appending(path: "AirshipCore.swiftmodule").path
        if FileManager.default.fileExists(atPath: module), run(["--version"]).isEmpty {
            return true
        }
        print("skipped: no compiler, or no module beside the tests")
        return false
    }()

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "airship-core-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The compiler's errors for an app that links the built AirshipCore; none when it compiles.
    ///
    /// - Parameter isolation: The app's default isolation, `MainActor` or none.
    func errors(inApp source: String, isolation: String? = nil) throws -> [String] {
        let file = try write(source, to: "App.swift")
        let isolated = isolation.map { ["-default-isolation", $0] } ?? []
        return Self.run(
            ["-typecheck", "-swift-version", "6", "-I", Self.modules.path] + isolated + [file])
    }

    /// Compiles a module that later calls can import.
    func makeModule(_ name: String, _ source: String) throws -> [String] {
        try makeModule(name, files: [write(source, to: name + ".swift")])
    }

    func makeModule(_ name: String, files: [String]) throws -> [String] {
        let settings = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
            .flatMap { ["-enable-upcoming-feature", $0] }
        let arguments =
            ["-swift-version", "6", "-wmo", "-package-name", "evalog", "-module-name", name]
            + ["-I", folder.path] + settings + files
        let errors = Self.run(["-typecheck"] + arguments)
        guard errors.isEmpty else { return errors }
        let output = folder.appending(path: name + ".swiftmodule").path
        return Self.run(["-emit-module", "-o", output] + arguments)
    }

    /// The compiler's errors for an app that imports only modules made here.
    func errors(inIsolated source: String) throws -> [String] {
        let file = try write(source, to: "Isolated.swift")
        return Self.run(["-typecheck", "-swift-version", "6", "-I", folder.path, file])
    }

    private func write(_ source: String, to name: String) throws -> String {
        let file = folder.appending(path: name)
        try Data(source.utf8).write(to: file)
        return file.path
    }

    /// The lines of the compiler's output that hold an error; one of ours if it did not run.
    private static func run(_ arguments: [String]) -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swiftc"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        guard (try? process.run()) != nil else { return ["error: no compiler"] }
        let output = String(
            decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let errors = output.split(separator: "\n").map(String.init)
            .filter { $0.contains("error: ") }
        return process.terminationStatus == 0 || !errors.isEmpty ? errors : ["error: \(output)"]
    }
}
