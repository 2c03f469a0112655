// Files that belong together are replaced together, or not at all.

import TestSupport
import Testing

@testable import Commands

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("A folder of results") struct OutputFolderTests {
    private let scratch = ScratchFolder()

    private func files(_ text: String) -> [(name: String, body: OutputFolder.Body)] {
        ["a.csv", "b.csv", "c.csv"].map { name in
            (name, { emit in try Array("\(name) \(text)".utf8).withUnsafeBytes(emit) })
        }
    }

    private func contents() throws -> [String?] {
        try ["a.csv", "b.csv", "c.csv"].map { name in
            FileSystem.isFolder(scratch.path(name))
                ? nil
                : try FileSystem.contents(of: scratch.path(name)).map {
                    String(decoding: $0, as: UTF8.self)
                }
        }
    }

    @Test("where a folder stands in the place of a file, nothing is replaced, and it is named")
    func folderInTheWay() throws {
        let folder = try OutputFolder(path: scratch.path, of: nil)
        try folder.replace(files("old"))
        try #require(unlink(scratch.path("b.csv")) == 0)
        try #require(mkdir(scratch.path("b.csv"), 0o700) == 0)
        let failure = #expect(throws: CommandFailure.self) { try folder.replace(files("new")) }
        #expect(
            failure?.what
                == "\(scratch.path("b.csv")) is a folder, where a file has to go; nothing was replaced"
        )
        #expect(try contents() == ["a.csv old", nil, "c.csv old"])
        #expect(FileSystem.names(in: scratch.path).sorted() == ["a.csv", "b.csv", "c.csv"])
    }

    @Test("one that comes in the way while files are written changes nothing either")
    func folderThatComes() throws {
        let folder = try OutputFolder(path: scratch.path, of: nil)
        try folder.replace(files("old"))
        do {
            let staged = try folder.stage(files("new"))
            try #require(unlink(scratch.path("c.csv")) == 0)
            try #require(mkdir(scratch.path("c.csv"), 0o700) == 0)
            #expect(throws: CommandFailure.self) { try staged.commit() }
        }
        #expect(try contents() == ["a.csv old", "b.csv old", nil])
        #expect(FileSystem.names(in: scratch.path).count == 3)
    }

    @Test("what fails between two files says which are replaced")
    func betweenTwo() throws {
        let folder = try OutputFolder(path: scratch.path, of: nil)
        try folder.replace(files("old"))
        let staged = try folder.stage(files("new"))
        let temporary = try #require(
            FileSystem.names(in: scratch.path).first { $0.hasPrefix(".b.csv.tmp-") })
        try #require(unlink(scratch.path(temporary)) == 0)
        let failure = #expect(throws: CommandFailure.self) { try staged.commit() }
        #expect(
            failure
                == CommandFailure(
                    "cannot replace \(scratch.path("b.csv")): No such file or directory;"
                        + " a.csv is replaced, the others are as before"))
        #expect(try contents() == ["a.csv new", "b.csv old", "c.csv old"])
    }

    @Test("a link in the place of a file gives way, and what it leads to stays")
    func link() throws {
        let folder = try OutputFolder(path: scratch.path, of: nil)
        try #require(mkdir(scratch.path("elsewhere"), 0o700) == 0)
        try #require(symlink("elsewhere", scratch.path("a.csv")) == 0)
        try folder.replace(files("new"))
        #expect(try contents() == ["a.csv new", "b.csv new", "c.csv new"])
        #expect(FileSystem.isFolder(scratch.path("elsewhere")))
    }
}

@Suite("Paths as a person writes them") struct PathTests {
    @Test(
        "the folder that something lies in",
        arguments: [
            ("a/b", "a"), ("a/b/", "a"), ("a//b", "a"), ("a", "."), ("/a", "/"), ("/", "/"),
            (".", ".."), ("..", "../.."), ("a/..", "a/../.."), ("/a/b/", "/a"), ("a/.", "."),
            ("./a", "."), ("/.", "/"), ("a/b/./", "a"),
        ])
    func parent(path: String, expected: String) {
        #expect(FileSystem.parent(of: path) == expected)
    }
}
