// Who opened confidential content: one line for each look, written before anything is shown.

import EvalogContent
import EvalogLog
import EvalogText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `LOG/reveals.ndjson`: who opened the content, when, and a digest of what they asked for.
struct RevealJournal {
    private let directory: LogDirectory
    private let console: Console

    init(_ directory: LogDirectory, _ console: Console) {
        self.directory = directory
        self.console = console
    }

    /// Appends an entry before anything is shown.
    ///
    /// - Throws: ``CommandFailure`` where it cannot be written; then nothing may be revealed.
    func add(command: StaticString, filter: String) throws {
        var code = HMACSHA256(key: try ContentAccess.key(of: directory))
        code.update(Array(filter.utf8))
        let digest = UniqueID.leading(bytesOf: code.finish())
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
            json.key("filter_digest")
            json.string(digest.text)
            json.endObject()
        }
        try Journal(
            path: "\(directory.path)/reveals.ndjson", consequence: "nothing is revealed"
        ).append(line)
    }
}
