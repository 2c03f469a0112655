// Why evaluations count as they do: those that a person names, and all that share a key with them.

package import EvalogFacts
package import EvalogLog
package import EvalogMetrics
package import EvalogText

/// The evaluations that a person asks about.
package enum Inquiry: Hashable, Sendable {
    /// One evaluation, or the one that an event of this id names.
    case id(UniqueID)
    /// All evaluations of a subject.
    case subject(String)
    /// All evaluations of a session.
    case session(SessionID)
}

/// The answer to an ``Inquiry``.
package struct Explanation {
    package var trace: ImpressionTrace
    /// The impressions of ``trace`` that the inquiry is about, in the same order.
    package var impressions: [TracedImpression]
    /// Evaluations one line of which is what was asked for while the line that stays is not.
    package var strays: [UniqueID]
    /// Whether any line is what was asked for, be it outside of the rules.
    package var isKnown: Bool
    /// The different lines of each evaluation that has conflicts, in order of their bytes.
    package var versions: [UniqueID: [[UInt8]]]
    package var report: ReadReport
}

extension Replay {
    /// Reads the log three to five times; memory grows with the evaluations explained only.
    ///
    /// - Throws: As ``tables(_:partCount:)``.
    package func explanation(of inquiry: Inquiry, _ rules: MetricsRules) throws -> Explanation {
        let run = try MetricsRun(rules, threads: threads)
        let reader = RepeatedReading(self, first: nil)
        let wanted = try Wanted(inquiry, threads: threads, reader)
        let trace = try run.trace { sinks in
            try reader.read(into: sinks.map { SelectiveReceiver($0, wanted.ids) })
        }
        var impressions: [TracedImpression] = []
        var strays: [UniqueID] = []
        var conflicting: Set<UniqueID> = []
        for impression in trace.impressions {
            let isAsked = wanted.matches(impression, trace)
            if isAsked { impressions.append(impression) }
            for number in impression.evaluations {
                if !isAsked {
                    if wanted.isWholeKeys { strays.append(trace.id(number)) }
                } else if trace.evaluation(number).conflictCount > 0 {
                    conflicting.insert(trace.id(number))
                }
            }
        }
        return Explanation(
            trace: trace, impressions: impressions, strays: strays, isKnown: !wanted.ids.isEmpty,
            versions: try versions(of: conflicting, reader), report: reader.first)
    }

    private func versions(
        of ids: Set<UniqueID>, _ reader: RepeatedReading
    ) throws -> [UniqueID: [[UInt8]]] {
        guard !ids.isEmpty else { return [:] }
        let receivers = (0..<threads).map { _ in VersionReceiver(ids) }
        try reader.read(into: receivers)
        return receivers.reduce(into: [:]) { all, receiver in
            all.merge(receiver.lines) { $0.union($1) }
        }.mapValues { $0.sorted { $0.lexicographicallyPrecedes($1) } }
    }
}

/// All evaluations that may share an impression with those asked for.
private struct Wanted {
    private let inquiry: Inquiry
    /// The evaluations that an ``Inquiry/id(_:)`` is about.
    private var targets: Set<UniqueID> = []
    /// Evaluations with a line of a key that is asked for.
    private(set) var ids: Set<UniqueID> = []

    init(_ inquiry: Inquiry, threads: Int, _ reader: RepeatedReading) throws {
        self.inquiry = inquiry
        var selection = Selection(inquiry)
        if case .id(let id) = inquiry {
            targets = [id]
            selection.keys = try Self.keys(of: &targets, threads: threads, reader)
            selection.ids = targets
        }
        let receivers = (0..<threads).map { _ in SelectingReceiver(selection) }
        try reader.read(into: receivers)
        for receiver in receivers { ids.formUnion(receiver.ids) }
    }

    /// The keys that any line gives to the targets, to which those are added that an event names.
    private static func keys(
        of targets: inout Set<UniqueID>, threads: Int, _ reader: RepeatedReading
    ) throws -> Set<FoldKey> {
        while true {
            let receivers = (0..<threads).map { [targets] _ in TargetReceiver(targets) }
            try reader.read(into: receivers)
            let named = receivers.reduce(into: targets) { $0.formUnion($1.named) }
            if named == targets { return receivers.reduce(into: []) { $0.formUnion($1.keys) } }
            targets = named
        }
    }

    /// Whether all that is wanted of a key is all impressions of it.
    var isWholeKeys: Bool {
        if case .id = inquiry { false } else { true }
    }

    /// Whether an impression, all of whose evaluations have one key, is what was asked for.
    func matches(_ impression: TracedImpression, _ trace: ImpressionTrace) -> Bool {
        switch inquiry {
        case .id: impression.evaluations.contains { targets.contains(trace.id($0)) }
        case .subject(let subject):
            trace.evaluation(impression.evaluations[0]).fact.subject == subject
        case .session(let session):
            trace.evaluation(impression.evaluations[0]).fact.session == session
        }
    }
}

/// What evaluations are folded by.
private struct FoldKey: Hashable {
    var usage: [UInt8]
    var subject: [UInt8]
    var session: SessionID

    /// Nil for an evaluation that is an impression of its own.
    init?(_ view: borrowing FactView) {
        guard let session = view.session, !view.subject.isEmpty else { return nil }
        usage = Array(view.usage)
        subject = Array(view.subject)
        self.session = session
    }
}

/// Which lines of evaluations are looked for.
private struct Selection {
    var subject: [UInt8]?
    var session: SessionID?
    var ids: Set<UniqueID> = []
    var keys: Set<FoldKey> = []

    init(_ inquiry: Inquiry) {
        switch inquiry {
        case .id: break
        case .subject(let text): subject = Array(text.utf8)
        case .session(let id): session = id
        }
    }

    func contains(_ view: borrowing FactView) -> Bool {
        if let subject { return view.subject.elementsEqual(subject) }
        if let session { return view.session == session }
        if ids.contains(view.id) { return true }
        guard !keys.isEmpty, let key = FoldKey(view) else { return false }
        return keys.contains(key)
    }
}

// MARK: Receivers, each on a thread of its own

/// Gathers the keys of evaluations, and the evaluations that events of the same ids name.
private final class TargetReceiver: FactReceiver, @unchecked Sendable {
    private let targets: Set<UniqueID>
    private(set) var keys: Set<FoldKey> = []
    private(set) var named: Set<UniqueID> = []

    init(_ targets: Set<UniqueID>) { self.targets = targets }

    func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        guard targets.contains(view.id) else { return }
        if view.kind == .evaluation {
            if let key = FoldKey(view) { keys.insert(key) }
        } else if let evaluation = view.evaluation {
            named.insert(evaluation)
        }
    }

    func countUnreadable() {}
}

/// Gathers the ids of the evaluations of a selection.
private final class SelectingReceiver: FactReceiver, @unchecked Sendable {
    private let selection: Selection
    private(set) var ids: Set<UniqueID> = []

    init(_ selection: Selection) { self.selection = selection }

    func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        if view.kind == .evaluation, selection.contains(view) { ids.insert(view.id) }
    }

    func countUnreadable() {}
}

/// Hands on the lines of some evaluations and of the events that name them.
private final class SelectiveReceiver: FactReceiver, @unchecked Sendable {
    private let sink: FactSink
    private let ids: Set<UniqueID>

    init(_ sink: FactSink, _ ids: Set<UniqueID>) {
        self.sink = sink
        self.ids = ids
    }

    func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        let isWanted =
            view.kind == .evaluation
            ? ids.contains(view.id) : view.evaluation.map(ids.contains) ?? false
        if isWanted { sink.add(view, line: line) }
    }

    func countUnreadable() {}
}

/// Keeps the different lines of some evaluations.
private final class VersionReceiver: FactReceiver, @unchecked Sendable {
    private let ids: Set<UniqueID>
    private(set) var lines: [UniqueID: Set<[UInt8]>] = [:]

    init(_ ids: Set<UniqueID>) { self.ids = ids }

    func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        guard view.kind == .evaluation, ids.contains(view.id) else { return }
        lines[view.id, default: []].insert(Array(line))
    }

    func countUnreadable() {}
}
