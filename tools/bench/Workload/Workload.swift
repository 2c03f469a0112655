// A stream of facts as a fleet of apps would log them, with all that goes wrong in the field.

package import EvalogFacts
import EvalogText

/// Fact lines that are a function of the seed, in the order in which they reach the log.
///
/// The same seed, count and options give the same bytes on any machine. Memory does not grow with
/// the count.
package struct Workload: Sendable {
    /// When things happen, and whether they go wrong.
    package struct Options: Sendable {
        /// The time of the first activity, in microseconds since 1970.
        package var start: Int64 = 1_793_491_200_000_000
        /// The microseconds that the activities spread over.
        package var span: Int64 = 14 * 86_400_000_000
        /// Late and repeated lines, conflicting ids, clock jumps, lines of unknown types, and a key
        /// that is evaluated again and again for longer than a day.
        package var hasFaults = true

        package init() {}
    }

    /// One line, and what it says.
    package struct Line: Sendable {
        /// Nil for a line of an unknown type.
        package var fact: Fact?
        /// Without a line feed.
        package var bytes: [UInt8]

        init(_ fact: Fact) {
            self.fact = fact
            bytes = []
            fact.encode(into: &bytes)
        }

        init(unknown bytes: [UInt8]) {
            self.bytes = bytes
        }
    }

    private let seed: UInt64
    private let count: Int
    private let options: Options

    /// - Parameter count: Lines, all kinds and duplicates included.
    package init(seed: UInt64, count: Int, options: Options = Options()) {
        self.seed = seed
        self.count = count
        self.options = options
    }

    /// Makes the lines one after the other.
    package func forEachLine<Failure>(
        _ body: (Line) throws(Failure) -> Void
    ) throws(Failure) {
        var fleet = Fleet(seed: seed, lineCount: count, options: options)
        var delivery = Delivery(seed: seed &+ 1, lineCount: count, hasFaults: options.hasFaults)
        while !delivery.isDone {
            for line in fleet.nextActivity() {
                try delivery.deliver(line, to: body)
            }
        }
    }

    /// All lines at once, for small counts.
    package var lines: [Line] {
        var lines: [Line] = []
        lines.reserveCapacity(count)
        forEachLine { lines.append($0) }
        return lines
    }
}

/// The way from the app to the log: lines get late, come twice, or come twice and differ.
private struct Delivery {
    private var chance: Chance
    private let lineCount: Int
    private let hasFaults: Bool
    private var deliveredCount = 0
    /// Held back lines by the number of lines that are to come before.
    private var heldBack: [Int: [Workload.Line]] = [:]

    init(seed: UInt64, lineCount: Int, hasFaults: Bool) {
        chance = Chance(seed: seed)
        self.lineCount = lineCount
        self.hasFaults = hasFaults
    }

    var isDone: Bool { deliveredCount >= lineCount }

    mutating func deliver<Failure>(
        _ line: Workload.Line, to body: (Workload.Line) throws(Failure) -> Void
    ) throws(Failure) {
        guard hasFaults else { return try pass(line, to: body) }
        if chance.happens(10) { holdBack(line) }
        if chance.happens(4), let fact = line.fact { holdBack(Workload.Line(conflicting(fact))) }
        if chance.happens(25) { return holdBack(line) }
        try pass(line, to: body)
    }

    private mutating func holdBack(_ line: Workload.Line) {
        let place = deliveredCount + 1 + chance.below(min(4_000, lineCount / 8 + 1))
        heldBack[place, default: []].append(line)
    }

    private mutating func pass<Failure>(
        _ line: Workload.Line, to body: (Workload.Line) throws(Failure) -> Void
    ) throws(Failure) {
        var ready = [line]
        var next = 0
        while next < ready.count, !isDone {
            try body(ready[next])
            next += 1
            deliveredCount += 1
            if let due = heldBack.removeValue(forKey: deliveredCount) { ready += due }
        }
    }

    /// A fact of the same id that says something else.
    private mutating func conflicting(_ fact: Fact) -> Fact {
        switch fact {
        case .evaluation(var fact):
            if fact.isTimeAssumed {
                // What another import of the same record makes of it: no conflict, but a duplicate.
                fact.time += 3_600_000_000
                return .evaluation(fact)
            }
            switch chance.below(5) {
            case 0: fact.duration = (fact.duration ?? 0) + 1
            case 1: fact.usage = chance.pick(Cast.usages)
            case 2: fact.session = SessionID(bits: .random(using: &chance), isDigest: false)
            case 3: fact.subject = chance.pick(Cast.subjects)
            default: fact.time += chance.below(Int64(7_200_000_001)) - 3_600_000_000
            }
            return .evaluation(fact)
        case .aiSuppressed(var fact):
            fact.time -= 1
            return .aiSuppressed(fact)
        case .formInference(var fact):
            fact.status = fact.status == .success ? .failure : .success
            return .formInference(fact)
        case .catalog(var fact):
            fact.report = Array(fact.report.dropLast())
            return .catalog(fact)
        case .gate(var fact):
            fact.isOnDeviceAIEnabled.toggle()
            return .gate(fact)
        case .logGap(var fact):
            fact.refused += 1
            return .logGap(fact)
        case .testResult(var fact):
            fact.verdict = fact.verdict == .pass ? .fail : .pass
            return .testResult(fact)
        }
    }
}
