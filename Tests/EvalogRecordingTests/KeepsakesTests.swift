// What must be there before other lines go.

import EvalogLog
import EvalogRecording
import Foundation
import TestSupport
import Testing

@Suite("Lines that are kept before others go") struct KeepsakesTests {
    @Test("none is left out, however many there are")
    func many() throws {
        let scratch = ScratchFolder()
        let directory = LogDirectory(path: scratch.path("log"))
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 200)
        // Ten times what a writer holds in memory.
        let count = 10 * LogLimits.factsBufferByteCount / line.count
        try directory.keep((0..<count).map { _ in (line: line, time: 0) })
        let found = Monitor(0)
        try readLog(directory, .facts) { _, block in
            block.forEachLine { _, _ in found.withLock { $0 += 1 } }
        }
        #expect(found.withLock { $0 } == count)
    }

    @Test("nothing to keep makes no file")
    func nothing() throws {
        let scratch = ScratchFolder()
        try LogDirectory(path: scratch.path("log")).keep([])
        #expect(!FileManager.default.fileExists(atPath: scratch.path("log")))
    }
}
