// Takes from a log what a report can be made of: events, catalogs, switches of the gate.

package import EvalogFacts
package import EvalogText

/// What tells facts apart.
package struct FactKey: Hashable, Comparable, Sendable {
    package let kind: FactKind
    package let id: UniqueID

    package init(_ kind: FactKind, _ id: UniqueID) {
        self.kind = kind
        self.id = id
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.id != right.id ? left.id < right.id : left.kind.rawValue < right.kind.rawValue
    }
}

/// Keeps the lines of one thread that matter for a report, each fact once. One thread at a time.
///
/// Of lines with one (type, id) that with the least (time, bytes) stays, as everywhere. It takes
/// the bytes of those lines, and about 40 for each evaluation of a usage that is not reported.
package final class VendorCollector: FactReceiver, @unchecked Sendable {
    struct Line {
        var time: Int64
        var bytes: [UInt8]
    }

    private(set) var lines: [FactKey: Line] = [:]
    /// Evaluations of usages that are never reported, whatever an event says of them.
    private(set) var otherUsages: Set<UniqueID> = []
    private(set) var withheld = Withheld()

    private static let reportedUsages: [StaticString] = [
        "in_app_message_suppression", "scene_text_input",
    ]

    package init() {}

    package func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        switch view.kind {
        case .aiSuppressed, .formInference, .catalog, .gate:
            keep(FactKey(view.kind, view.id), time: view.time, line)
        case .evaluation:
            let usage = view.usage
            let isReported = Self.reportedUsages.contains { name in
                usage.elementsEqual(
                    UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
            }
            if !isReported { otherUsages.insert(view.id) }
        case .logGap, .unknown: break
        }
    }

    package func countUnreadable() { withheld.add(.unreadableLines) }

    /// Events that happened before a time in µs, whether they may leave or not.
    package func events(before end: Int64) -> Set<FactKey> {
        let events: Set<FactKind> = [.aiSuppressed, .formInference]
        return Set(
            lines.lazy.filter { events.contains($0.key.kind) && $0.value.time < end }.map(\.key))
    }

    /// Takes over what another thread's collector has.
    package func absorb(_ other: VendorCollector) {
        for (key, line) in other.lines {
            line.bytes.withUnsafeBytes { keep(key, time: line.time, $0) }
        }
        otherUsages.formUnion(other.otherUsages)
        for (reason, count) in other.withheld.occurring { withheld.add(reason, count) }
    }

    private func keep(_ key: FactKey, time: Int64, _ line: UnsafeRawBufferPointer) {
        guard let known = lines[key] else {
            lines[key] = Line(time: time, bytes: Array(line))
            return
        }
        withheld.add(.repeatedLines)
        let isLess =
            time != known.time
            ? time < known.time : line.lexicographicallyPrecedes(known.bytes)
        if isLess { lines[key] = Line(time: time, bytes: Array(line)) }
    }
}
