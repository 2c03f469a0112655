// Confidential content, for a person who asked for it by name.

import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogText

/// Shows the content of the evaluations shown, whichever of the two lines came first.
///
/// A fact is appended before its content, but their blocks reach the disk on their own, so either
/// may be seen first.
final class Revealer: @unchecked Sendable {
    /// Evaluations whose content has not come; beyond these the oldest are given up.
    private static let expectedCountMax = 1_000_000
    /// Content whose fact has not come. Only lines about a second apart have to meet here; most of
    /// it belongs to facts that the filter holds back. One longest line fits.
    private static let earlyByteCountMax = LogLimits.lineByteCountMax

    private let directory: LogDirectory
    private let console: Console
    private let isJSON: Bool
    private var follower: LogFollower?
    private var decoder = ContentDecoder()
    private var expected: [UniqueID: Int64] = [:]
    private var expectedOrder = Fifo<UniqueID>()
    private var early: [UniqueID: [UInt8]] = [:]
    private var earlyOrder = Fifo<(id: UniqueID, byteCount: Int)>()
    private var earlyByteCount = 0
    private var givenUpCount = 0
    private var unreadableCount = 0
    private var damages: [Damage] = []

    init(_ directory: LogDirectory, isJSON: Bool, _ console: Console) {
        self.directory = directory
        self.console = console
        self.isJSON = isJSON
    }

    /// Takes a fact that was shown, if it is of a kind that has content.
    func expect(_ fact: Fact) throws {
        switch fact {
        case .evaluation, .testResult: break
        default: return
        }
        if let line = early.removeValue(forKey: fact.id) {
            try line.withUnsafeBytes(show)
            return
        }
        if expected.updateValue(fact.time, forKey: fact.id) == nil { expectedOrder.push(fact.id) }
        while expectedOrder.count > Self.expectedCountMax, let oldest = expectedOrder.pop() {
            if expected.removeValue(forKey: oldest) != nil { givenUpCount += 1 }
        }
    }

    /// Shows what has come since; the first time, what is there already.
    func catchUp() throws {
        if let follower {
            damages += try follower.poll { block in
                try take(block) { line, id in keep(line, of: id) }
            }.damages
            return
        }
        let position = try readLastLines(0, of: directory, ContentAccess.stream) { _ in }.position
        follower = LogFollower(directory, ContentAccess.stream, from: position)
        guard let first = expected.values.min(), let last = expected.values.max() else { return }
        let report = try readLog(
            directory, ContentAccess.stream,
            where: { $0.leastEventTime <= last && $0.greatestEventTime >= first },
            body: { _, block in try self.take(block) { _, _ in } })
        damages += report.damages
    }

    /// Damage met since last asked.
    func takeDamages() -> [Damage] {
        defer { damages = [] }
        return damages
    }

    /// What could not be shown, in words; nil if nothing.
    var shortfall: String? {
        var parts: [String] = []
        if unreadableCount > 0 {
            parts.append("\(Figures.count(unreadableCount)) content lines could not be read")
        }
        if givenUpCount > 0 {
            parts.append(
                "content of \(Figures.count(givenUpCount)) older evaluations was not looked for:"
                    + " narrow it with --since, --until or -n")
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// Shows what is expected of a block and hands the other records on.
    private func take(
        _ block: LineBlock, other: (UnsafeRawBufferPointer, UniqueID) -> Void
    ) throws {
        try block.forEachLine { _, line in
            guard let kind = try? decoder.check(line) else {
                unreadableCount += 1
                return
            }
            guard case .record(let id) = kind else { return }
            if expected.removeValue(forKey: id) != nil {
                try show(line)
            } else {
                other(line, id)
            }
        }
    }

    private func keep(_ line: UnsafeRawBufferPointer, of id: UniqueID) {
        while earlyByteCount + line.count > Self.earlyByteCountMax, let oldest = earlyOrder.pop() {
            early[oldest.id] = nil
            earlyByteCount -= oldest.byteCount
        }
        guard early.updateValue(Array(line), forKey: id) == nil else { return }
        earlyOrder.push((id, line.count))
        earlyByteCount += line.count
    }

    private func show(_ line: UnsafeRawBufferPointer) throws {
        let output = console.output
        guard !isJSON else { return try output.write(line: line) }
        guard case .record(let id)? = try? decoder.check(line) else { return }
        try output.write("  content of \(id.text)\n")
        try decoder.forEachText { field, text in
            try output.write("    \(padded("\(field.name)", to: 12))  ")
            try text.forEachPiece { piece in try output.write(printable: piece) }
            try output.write("\n")
        }
    }
}

/// First in, first out, in constant time on average.
struct Fifo<Element> {
    private var items: [Element] = []
    private var start = 0

    var count: Int { items.count - start }

    mutating func push(_ element: Element) { items.append(element) }

    mutating func pop() -> Element? {
        guard start < items.count else { return nil }
        let element = items[start]
        start += 1
        if start * 2 > items.count {
            items.removeFirst(start)
            start = 0
        }
        return element
    }
}
