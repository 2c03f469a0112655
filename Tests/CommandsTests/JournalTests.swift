// Lines in a log's folder: each is a line of its own, whatever became of the one before.

import Foundation
import TestSupport
import Testing

@testable import Commands

@Suite("A journal") struct JournalTests {
    private let scratch = ScratchFolder()

    @Test(
        "begins a line of its own behind what a kill left of the last one",
        arguments: [("", ""), ("{}\n", "{}\n"), ("{}\n{\"v\":", "{}\n{\"v\":\n"), ("{", "{\n")])
    func tornLine(left: String, kept: String) throws {
        let path = scratch.path("journal.ndjson")
        try Data(left.utf8).write(to: URL(filePath: path))
        let journal = Journal(path: path, consequence: "nothing is done")
        try journal.append(Array("one".utf8))
        try journal.append(Array("two".utf8))
        let bytes = try #require(FileManager.default.contents(atPath: path))
        #expect(String(decoding: bytes, as: UTF8.self) == kept + "one\ntwo\n")
    }
}
