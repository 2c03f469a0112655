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
        try Journal(
            path: "\(directory.path)/\(Self.name)", consequence: "nothing is revealed"
        ).append(line)
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
}
