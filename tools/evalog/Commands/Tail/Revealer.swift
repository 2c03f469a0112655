// Confidential content, for a person who asked for it by name.

import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Shows the content of evaluations once both are in the log: the content may come a moment after
/// the fact, and before it, since a block of content is full sooner than one of facts.
final class Revealer {
    /// Evaluations whose content has not come yet; the oldest are given up for the newest.
    private static let pendingCountMax = 10_000
    private let console: Console
    private let follower: LogFollower
    private var decoder = ContentDecoder()
    private var pending: [UniqueID: EvaluationFact] = [:]
    private var order: [UniqueID] = []
    private var early = EarlyContent()
    /// Content whose evaluation came after it.
    private var ready: [[UInt8]] = []

    init(_ directory: LogDirectory, _ console: Console) {
        self.console = console
        follower = LogFollower(directory, ContentAccess.stream)
    }

    func expect(_ fact: EvaluationFact) {
        if let line = early.take(fact.id) {
            ready.append(line)
            return
        }
        if pending.updateValue(fact, forKey: fact.id) == nil { order.append(fact.id) }
        while order.count > Self.pendingCountMax { pending[order.removeFirst()] = nil }
    }

    func show(isJSON: Bool) throws {
        for line in ready {
            try line.withUnsafeBytes { bytes in
                guard let record = record(in: bytes) else { return }
                try write(record, bytes, isJSON: isJSON)
            }
        }
        ready = []
        _ = try follower.poll { block in
            try block.forEachLine { _, line in
                guard let record = record(in: line) else { return }
                if pending.removeValue(forKey: record.id) != nil {
                    try write(record, line, isJSON: isJSON)
                } else {
                    early.keep(line, of: record.id)
                }
            }
        }
    }

    private func record(in line: UnsafeRawBufferPointer) -> ContentRecord? {
        guard let content = try? decoder.decode(line), case .record(let record) = content else {
            return nil
        }
        return record
    }

    private func write(_ record: ContentRecord, _ line: UnsafeRawBufferPointer, isJSON: Bool) throws
    {
        if isJSON {
            try console.output.write(line: line)
            return
        }
        try console.output.write("  content of \(record.id.text)\n")
        for (name, text) in Self.parts(of: record) {
            try console.output.write("    \(padded(name, to: 12))  \(Printable.text(text))\n")
        }
    }

    private static func parts(of record: ContentRecord) -> [(String, String)] {
        var parts: [(String, String)] = []
        if let instructions = record.instructions { parts.append(("instructions", instructions)) }
        for item in record.context { parts.append(("context", item.content)) }
        switch record.answer {
        case .output(let output):
            parts.append(("output", String(decoding: output.bytes, as: UTF8.self)))
        case .reason(let reason): parts.append(("reason", reason))
        case .error(let error): parts.append(("error", error))
        case nil: break
        }
        return parts
    }
}

/// The newest content lines that no evaluation has asked for, most of them for good.
private struct EarlyContent {
    /// What the content of one block of facts seldom exceeds.
    private static let byteCountMax = 8 << 20
    private var lines: [UniqueID: [UInt8]] = [:]
    /// Oldest first; those before `head` are gone.
    private var order: [(id: UniqueID, byteCount: Int)] = []
    private var head = 0
    private var byteCount = 0

    mutating func keep(_ line: UnsafeRawBufferPointer, of id: UniqueID) {
        lines[id] = Array(line)
        order.append((id, line.count))
        byteCount += line.count
        while byteCount > Self.byteCountMax {
            lines[order[head].id] = nil
            byteCount -= order[head].byteCount
            head += 1
        }
        if head * 2 > order.count {
            order.removeFirst(head)
            head = 0
        }
    }

    mutating func take(_ id: UniqueID) -> [UInt8]? { lines.removeValue(forKey: id) }
}

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
        try append(line + [0x0A])
    }

    private func append(_ line: [UInt8]) throws {
        let path = "\(directory.path)/reveals.ndjson"
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(
                "nothing is revealed, for \(path) cannot be written: \(SystemError.text(errno))")
        }
        defer { close(descriptor) }
        let output = Output(descriptor: descriptor, name: path)
        try output.write(bytes: line)
        try output.flush()
        guard fsync(descriptor) == 0 else {
            throw CommandFailure("nothing is revealed, for \(path) cannot be synced")
        }
    }
}
