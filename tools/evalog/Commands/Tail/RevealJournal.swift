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
    /// What stands for a filter where there is no key to make a digest with.
    private static let keyless = "no_key"
    private let directory: LogDirectory
    private let console: Console

    init(_ directory: LogDirectory, _ console: Console) {
        self.directory = directory
        self.console = console
    }

    /// Appends an entry before anything is shown.
    ///
    /// - Parameter filters: What was asked for, each as `--flag=value` in the value's one form. Each
    ///   gets a digest of its own, so that one that names an erased session can be taken out. A log
    ///   without a key has no digests, and none is made for reading: then it is said how many there
    ///   were, and not which.
    /// - Throws: ``CommandFailure`` where it cannot be written; then nothing may be revealed.
    func add(command: StaticString, filters: [String]) throws {
        let key = try ContentAccess.existingKey(of: directory)
        if key == nil, !filters.isEmpty {
            console.note(
                "\(directory.path) has no key, so \(Self.name) says who looked, and not for what")
        }
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
            let digests = key.map(FilterDigests.init(key:))
            for filter in filters { json.string(digests?[filter] ?? Self.keyless) }
            json.endArray()
            json.endObject()
        }
        try Journal(
            path: "\(directory.path)/\(Self.name)", consequence: "nothing is revealed"
        ).append(line)
    }

    /// Puts `erased` in the place of the digests of filters; who looked, and when, stays.
    ///
    /// - Parameter filters: Asked for where there is a journal only.
    /// - Returns: How many there were.
    func forget(_ filters: @autoclosure () -> [String], key: [UInt8]) throws -> Int {
        var count = 0
        try directory.rewriteFile(Self.name) { bytes in
            let digests = FilterDigests(key: key)
            let erased = Set(filters().map { digests[$0] })
            // Nothing in an entry needs an escape, so every second part is a string.
            let parts = String(decoding: bytes, as: UTF8.self).split(
                separator: "\"", omittingEmptySubsequences: false)
            count = parts.count { erased.contains(String($0)) }
            let kept = parts.map { erased.contains(String($0)) ? "erased" : $0 }
            return count == 0 ? nil : Array(kept.joined(separator: "\"").utf8)
        }
        return count
    }
}

/// What stands for filters in the journal: nobody can guess them without the log's key.
private struct FilterDigests {
    private let code: HMACSHA256

    init(key: [UInt8]) { code = HMACSHA256(key: key) }

    subscript(filter: String) -> String {
        var code = code
        code.update(Array(filter.utf8))
        return UniqueID.leading(bytesOf: code.finish()).text
    }
}
