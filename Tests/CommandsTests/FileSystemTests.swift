// Files that are read as a whole.

import Foundation
import TestSupport
import Testing

@testable import Commands

@Suite("Small files") struct FileSystemTests {
    @Test(
        "a file of the largest size is read, and a byte more is refused, also where nobody knows its size"
    )
    func limit() throws {
        let scratch = ScratchFolder()
        let path = scratch.path("file")
        try Data(repeating: 0x61, count: (1 << 20) + 1).write(to: URL(filePath: path))
        #expect(throws: CommandFailure.self) {
            try FileSystem.contents(of: path, atMost: 1 << 20)
        }
        #expect(try FileSystem.contents(of: path, atMost: (1 << 20) + 1)?.count == (1 << 20) + 1)
        #expect(throws: CommandFailure.self) {
            try FileSystem.contents(of: "/dev/zero", atMost: 1 << 20)
        }
        #expect(try FileSystem.contents(of: scratch.path("none"), atMost: 1) == nil)
    }
}
