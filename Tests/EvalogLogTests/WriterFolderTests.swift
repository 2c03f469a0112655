// Who may read the log, and that no link leads a writer elsewhere.

import Foundation
import TestSupport
import Testing

@testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// Serialized: the umask belongs to the process.
@Suite("The folder of a log", .serialized)
struct WriterFolderTests {
    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test("a relative path is one from where the process is, an absolute or empty one stays")
    func absolute() {
        let here = FileManager.default.currentDirectoryPath
        #expect(LogDirectory.absolute("a/log") == "\(here)/a/log")
        #expect(LogDirectory.absolute("/a/log") == "/a/log")
        #expect(LogDirectory.absolute("") == "")
    }

    @Test(
        "folders are 0700 and files 0600 whatever the umask",
        arguments: [0, 0o022, 0o077, 0o777] as [mode_t])
    func modes(mask: mode_t) throws {
        let log = LogFixture()
        let before = umask(mask)
        defer { umask(before) }
        try log.write([1])
        #expect(mode(log.directory.path) == 0o700)
        #expect(mode(log.factsPath) == 0o700)
        let name = try #require(try log.segmentNames().first)
        #expect(mode("\(log.factsPath)/\(name)") == 0o600)
    }

    @Test("a link planted at the next segment's name is passed by, not followed")
    func plantedSegment() throws {
        let log = LogFixture()
        let clock = ManualClock()
        let name = SegmentName(
            wallTime: clock.wallTime(), writer: WriterID(high: 0, low: 1), number: 1, kind: .facts)
        try log.put("other", [])
        let target = log.scratch.path("target")
        symlink(target, "\(log.factsPath)/\(name)")
        let writer = try log.writer(clock: clock)
        _ = writer.append(LogFixture.line(1, 1), to: .facts, eventTime: 0)
        try writer.close()
        #expect(access(target, F_OK) != 0)
        #expect(try log.segmentNames().count == 1)
        let report = try log.read().report
        #expect(report.lineCount == 1)
        #expect(
            report.ignored.map(\.reason).sorted { $0.rawValue < $1.rawValue } == [
                .foreignName, .link,
            ])
    }

    @Test("a link planted at the temporary name is passed by, not followed")
    func plantedTemporary() throws {
        let log = LogFixture()
        try log.put("other", [])
        let target = log.scratch.path("target")
        symlink(target, "\(log.factsPath)/.tmp-\(WriterID(high: 0, low: 1))-1-0")
        try log.write([1])
        #expect(access(target, F_OK) != 0)
        #expect(try log.read().lines == keys(1, 1...1))
    }

    @Test("a link in place of the log or a stream's folder is refused")
    func linkedFolders() throws {
        let log = LogFixture()
        mkdir(log.scratch.path("elsewhere"), 0o700)
        symlink(log.scratch.path("elsewhere"), log.directory.path)
        #expect(throws: LogError.self) { try log.writer() }
        #expect(throws: LogError.self) {
            try LogWriter(LogDirectory(path: log.directory.path + "/"))
        }
        #expect(throws: LogError.self) { try log.read() }
        unlink(log.directory.path)

        try log.directory.make()
        rmdir(log.factsPath)
        symlink(log.scratch.path("elsewhere"), log.factsPath)
        let writer = try log.writer()
        _ = writer.append([0x61], to: .facts, eventTime: 0)
        #expect(throws: LogError.self) { try writer.flush() }
        #expect(throws: LogError.self) { try log.read() }
        #expect(throws: LogError.self) { try writer.close() }
    }

    @Test("what is no segment is passed over with a note")
    func foreignFiles() throws {
        let log = LogFixture()
        try log.write([2])
        let name = try #require(try log.segmentNames().first)
        let names = [
            ".nfs0000a1", "notes~", ".x.swp", ".DS_Store", "copy-of-\(name)", "\(name).bak",
            ".tmp-left-over", name.replacing("facts", with: "content"),
        ]
        for name in names { try log.put(name, Array("junk".utf8)) }
        mkdir("\(log.factsPath)/\(SegmentBuilder.name(7, 1))", 0o700)
        mkfifo("\(log.factsPath)/\(SegmentBuilder.name(7, 2))", 0o600)
        symlink("/nowhere", "\(log.factsPath)/\(SegmentBuilder.name(7, 3))")
        bindSocket("\(log.factsPath)/socket")
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...2))
        #expect(report.isClean)
        #expect(report.ignored.count == names.count + 4)
        #expect(report.ignored.filter { $0.reason == .notAFile }.count == 2)
        #expect(report.ignored.filter { $0.reason == .temporary }.count == 1)
        #expect(report.ignored.filter { $0.reason == .link }.count == 1)
    }

    private func bindSocket(_ path: String) {
        #if canImport(Glibc)
            let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let number = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        defer { close(number) }
        // A scratch path may be too long for a socket's name; then it is a plain file.
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let isBound = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard bytes.count < room.count else { return false }
            room.copyBytes(from: bytes)
            return true
        }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, size) }
        }
        if !isBound || status != 0 { try? writeFile(path, []) }
    }

    @Test("above the log no folder is made, and the error names the one that is missing")
    func missingParents() throws {
        let scratch = ScratchFolder()
        let missing = scratch.path("absent")
        for path in ["\(missing)/log", "\(missing)/deep//er/log/"] {
            #expect(
                throws: LogError.disk(
                    DiskError(operation: .openFolder, path: missing, code: ENOENT))
            ) { try LogWriter(LogDirectory(path: path)) }
        }
        #expect(access(missing, F_OK) != 0)
        #expect(
            throws: LogError.disk(
                DiskError(operation: .openFolder, path: "absent-too", code: ENOENT))
        ) { try LogWriter(LogDirectory(path: "absent-too/log")) }
    }

    @Test("a missing log is an error, a log without the stream is empty")
    func missing() throws {
        let log = LogFixture()
        #expect(throws: LogError.self) { try log.read() }
        try log.directory.make()
        #expect(try log.read().report.isClean)
        rmdir(log.factsPath)
        #expect(try log.read().report.isClean)
    }

    @Test("a folder is a log once a writer has opened it, before any line")
    func isLog() throws {
        let log = LogFixture()
        #expect(try !log.directory.isLog())
        mkdir(log.directory.path, 0o700)
        #expect(try !log.directory.isLog())
        let writer = try log.writer()
        #expect(try log.directory.isLog())
        try writer.close()
        #expect(try log.directory.isLog())
        #expect(try !LogDirectory(path: log.factsPath).isLog())
    }

    @Test("whether a folder is a log is not guessed where it cannot be told")
    func isLogOrError() throws {
        let log = LogFixture()
        mkdir(log.scratch.path("elsewhere"), 0o700)
        symlink(log.scratch.path("elsewhere"), log.directory.path)
        #expect(throws: LogError.self) { try log.directory.isLog() }
        unlink(log.directory.path)
        mkdir(log.directory.path, 0o700)
        symlink(log.scratch.path("elsewhere"), log.factsPath)
        #expect(throws: LogError.self) { try log.directory.isLog() }
    }
}
