// Runs a program to its end, for tests that need the compiler or the package manager.

import Foundation

/// A program that has ended.
package struct Subprocess {
    package let status: Int32
    /// What it wrote to standard output and standard error, in one.
    package let output: String

    /// Looks the program up in the path and waits for it; nil where there is none.
    package init?(_ words: [String]) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        guard (try? process.run()) != nil else { return nil }
        output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        // What env says when it finds no such program.
        guard process.terminationStatus != 127 else { return nil }
        status = process.terminationStatus
    }
}
