// Takes from a log what a report can be made of: events, catalogs, what tells of the gate.

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

/// What an evaluation was for, as far as a report has to know.
enum EvaluationUsage: CaseIterable {
    case suppression, textInput
    /// Of these nothing is ever reported, whatever an event says of them.
    case other

    init(_ usage: FactView.Text) {
        self =
            if Self.is(usage, "in_app_message_suppression") {
                .suppression
            } else if Self.is(usage, "scene_text_input") {
                .textInput
            } else {
                .other
            }
    }

    private static func `is`(_ usage: FactView.Text, _ name: StaticString) -> Bool {
        usage.elementsEqual(
            UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }
}

/// Keeps the lines of one thread that matter for a report, each fact once. One thread at a time.
///
/// Of lines with one (type, id) that with the least (time, bytes) stays, as everywhere. It takes
/// the bytes of those lines and some 100 more, and about 40 for each evaluation.
package final class VendorCollector: FactReceiver, @unchecked Sendable {
    /// Where a fact stands, and what all its lines have in common.
    struct Line {
        fileprivate var text: Range<Int>
        fileprivate var time: Int64
        /// When the first of its lines was appended, µs since 1970.
        fileprivate(set) var appendTime: Int64
        fileprivate var writer: UniqueID
    }

    private(set) var lines: [FactKey: Line] = [:]
    /// The text of all lines, which an array each would double.
    private var texts: [UInt8] = []
    /// Facts that stand in lines of several writers: the others.
    private var otherWriters: [FactKey: Set<UniqueID>] = [:]
    private var evaluations: [EvaluationUsage: Set<UniqueID>] = [:]
    /// Starts of evaluations that were skipped because on-device AI was off, by session.
    private(set) var gateSkips: [UniqueID: [Int64]] = [:]
    /// Writers whose first lines are gone.
    private(set) var beheaded: Set<UniqueID> = []
    private(set) var withheld = Withheld()
    private var origin = FactOrigin(writer: UniqueID(high: 0, low: 0), appendTime: 0)

    package init() {}

    package func begin(_ origin: FactOrigin) { self.origin = origin }

    package func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        switch view.kind {
        case .aiSuppressed, .formInference, .catalog, .gate:
            let start = texts.count
            texts += line
            let added = Line(
                text: start..<texts.count, time: view.time, appendTime: origin.appendTime,
                writer: origin.writer)
            keep(added, as: FactKey(view.kind, view.id))
        case .evaluation:
            evaluations[EvaluationUsage(view.usage), default: []].insert(view.id)
            if view.reason == .aiDisabled, let session = view.session, !session.isDigest {
                gateSkips[session.bits, default: []].append(view.time)
            }
            countOddities(of: view)
        case .logGap: countOddities(of: view)
        case .unknown: break
        }
    }

    package func countUnreadable() { withheld.add(.unreadableLines) }

    /// Events that happened before a time in µs, whether they may leave or not.
    package func events(before end: Int64) -> Set<FactKey> {
        let events: Set<FactKind> = [.aiSuppressed, .formInference]
        return Set(
            lines.lazy.filter { events.contains($0.key.kind) && $0.value.time < end }.map(\.key))
    }

    /// Tells of a writer that has lines, but not those that it began with.
    package func miss(beginningOf writer: UniqueID) { beheaded.insert(writer) }

    /// Takes over what another thread's collector has.
    package func absorb(_ other: VendorCollector) {
        if lines.isEmpty {
            (lines, texts) = (other.lines, other.texts)
        } else {
            let offset = texts.count
            texts += other.texts
            for (key, line) in other.lines {
                var line = line
                line.text = line.text.lowerBound + offset..<line.text.upperBound + offset
                keep(line, as: key)
            }
        }
        for (key, writers) in other.otherWriters { add(writers, of: key) }
        for (usage, ids) in other.evaluations {
            if evaluations[usage] == nil {
                evaluations[usage] = ids
            } else {
                evaluations[usage]?.formUnion(ids)
            }
        }
        gateSkips.merge(other.gateSkips, uniquingKeysWith: +)
        beheaded.formUnion(other.beheaded)
        for (reason, count) in other.withheld.occurring { withheld.add(reason, count) }
    }

    private func keep(_ line: Line, as key: FactKey) {
        guard let known = lines[key] else {
            lines[key] = line
            return
        }
        withheld.add(.repeatedLines)
        var kept = precedes(line, known) ? line : known
        kept.appendTime = min(line.appendTime, known.appendTime)
        lines[key] = kept
        if line.writer != known.writer { add([line.writer, known.writer], of: key) }
    }

    private func precedes(_ left: Line, _ right: Line) -> Bool {
        left.time != right.time
            ? left.time < right.time
            : texts[left.text].lexicographicallyPrecedes(texts[right.text])
    }

    private func add(_ writers: Set<UniqueID>, of key: FactKey) {
        otherWriters[key, default: []].formUnion(writers)
    }

    // Unknown types may come with a later version; their keys are nobody's fault.
    private func countOddities(of view: borrowing FactView) {
        withheld.add(.unknownKeys, view.unknownKeyCount)
        withheld.add(.malformedValue, view.misfitCount)
    }

    // MARK: What it has

    /// Every writer of a fact's lines.
    func writers(of key: FactKey) -> Set<UniqueID> {
        var writers = otherWriters[key] ?? []
        if let line = lines[key] { writers.insert(line.writer) }
        return writers
    }

    /// Calls the body with each fact of some kinds.
    func forEach(_ kinds: Set<FactKind>, _ body: (FactKey, Line, borrowing FactView) -> Void) {
        var decoder = FactDecoder()
        texts.withUnsafeBytes { texts in
            for (key, line) in lines where kinds.contains(key.kind) {
                // Each of these lines was decoded before.
                let text = UnsafeRawBufferPointer(rebasing: texts[line.text])
                if let view = try? decoder.decode(text) { body(key, line, view) }
            }
        }
    }

    /// Whether an evaluation has that id.
    func isEvaluation(_ id: UniqueID) -> Bool {
        evaluations.values.contains { $0.contains(id) }
    }

    /// Whether an evaluation of another usage has that id.
    func isEvaluation(_ id: UniqueID, butFor usage: EvaluationUsage) -> Bool {
        evaluations.contains { $0.key != usage && $0.value.contains(id) }
    }
}
