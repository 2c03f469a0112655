// Who opened confidential content: one line for each look, written before anything is shown.

import EvalogContent
import EvalogLog
import EvalogText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `LOG/reveals.ndjson`: who opened the content, when, and digests of what they asked for.
struct RevealJournal {
    private static let name = "reveals.ndjson"
    private let directory: LogDirectory
    private let console: Console

    init(_ directory: LogDirectory, _ console: Console) {
        self.directory = directory
        self.console = console
    }

    /// Appends an entry before anything is shown.
    ///
    /// - Parameter filters: What was asked for, each as `--flag=value`. Each gets a digest of its
    ///   own, so that one that names an erased session can be taken out.
    /// - Throws: ``CommandFailure`` where it cannot be written; then nothing may be revealed.
    func add(command: StaticString, filters: [String]) throws {
        let key = try ContentAccess.key(of: directory)
        var line: [UInt8] = []
        JSONWriter.append(to: &line) { json in
            json.beginObject()
            json.key("v")
            json.integer(1)
            json.key("time")
            json.time(console.now())
            json.key("user_id")
            json.integer(Int64(getuid()))
            json.key("command")
            json.string(command)
            json.key("filter_digests")
            json.beginArray()
            for filter in filters { json.string(Self.digest(of: filter, key: key)) }
            json.endArray()
            json.endObject()
        }
        try append(line + [0x0A])
    }

    /// Puts `erased` in the place of the digests of filters; who looked, and when, stays.
    ///
    /// - Returns: How many there were.
    func forget(_ filters: [String], key: [UInt8]) throws -> Int {
        let digests = filters.map { "\"\(Self.digest(of: $0, key: key))\"" }
        var count = 0
        try directory.rewriteFile(Self.name) { bytes in
            var text = String(decoding: bytes, as: UTF8.self)
            count = digests.reduce(0) { $0 + text.ranges(of: $1).count }
            for digest in digests { text = text.replacing(digest, with: "\"erased\"") }
            return count == 0 ? nil : Array(text.utf8)
        }
        return count
    }

    private static func digest(of filter: String, key: [UInt8]) -> String {
        var code = HMACSHA256(key: key)
        code.update(Array(filter.utf8))
        return UniqueID.leading(bytesOf: code.finish()).text
    }

    private func append(_ line: [UInt8]) throws {
        let path = "\(directory.path)/\(Self.name)"
        let descriptor = try openLocked(path)
        defer { close(descriptor) }
        let output = Output(descriptor: descriptor, name: path)
        try output.write(bytes: line)
        try output.flush()
        guard fsync(descriptor) == 0 else {
            throw CommandFailure("nothing is revealed, for \(path) cannot be synced")
        }
    }

    /// Opens the journal at its end and locks it: whoever rewrites it does so too, and puts another
    /// file in its place.
    private func openLocked(_ path: String) throws -> Int32 {
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        while true {
            let descriptor = open(path, flags, 0o600)
            guard descriptor >= 0 else {
                throw CommandFailure(
                    "nothing is revealed, for \(path) cannot be written: \(SystemError.text(errno))"
                )
            }
            var (own, named) = (stat(), stat())
            if flock(descriptor, LOCK_EX) == 0, fstat(descriptor, &own) == 0,
                lstat(path, &named) == 0, own.st_ino == named.st_ino
            {
                return descriptor
            }
            close(descriptor)
        }
    }
}
