// Reading the whole log at one moment, and processes that read while others write.

import EvalogLog
import TestSupport

/// What a reader sees of the log that nobody interrupts.
struct Reading {
    private(set) var contents: [Identity: Truth.Content] = [:]
    /// nil where there is no log, or it cannot be read.
    private(set) var report: ReadReport?
    private(set) var problems: [String] = []

    init(_ world: World) { self.init(world, world.quiet) }

    init(_ world: World, _ directory: LogDirectory) {
        let collector = LineCollector(world.truth, world.profile.stream)
        do {
            report = try readLog(directory, world.stream) { _, block in collector.add(block) }
        } catch let error as LogError where error.isMissing {
        } catch {
            problems.append("the log cannot be read: \(error)")
        }
        contents = collector.contents
        problems += collector.problems
    }

    /// Which lines are there.
    var numbers: [Int] {
        Self.numbers(of: contents).sorted()
    }

    /// Where lines were erased.
    var tombstones: Set<Identity> {
        Set(contents.filter { $0.value == .tombstone }.keys)
    }
}

extension LogError {
    /// Whether there is no log.
    var isMissing: Bool {
        if case .disk(let error) = self { error.isMissing } else { false }
    }
}

/// Gathers lines from blocks on loan, and what is wrong about them.
final class LineCollector: @unchecked Sendable {
    private(set) var contents: [Identity: Truth.Content] = [:]
    private(set) var problems: [String] = []
    private let truth: Truth
    private let kind: StreamKind

    init(_ truth: Truth, _ kind: StreamKind) {
        self.truth = truth
        self.kind = kind
    }

    func add(_ block: LineBlock) {
        block.forEachLine { sequence, line in
            let identity = Identity(kind: kind, writer: block.header.writer, sequence: sequence)
            let (content, problem) = truth.judge(line, at: identity)
            if let problem { problems.append(problem) }
            if let content, contents.updateValue(content, forKey: identity) != nil {
                problems.append("\(identity) was read twice")
            }
        }
    }
}

/// A process that reads the log from time to time, while others change it.
struct ReaderLife: Life {
    let actor: Actor
    let world: World

    init(_ actor: Actor, _ world: World) {
        self.actor = actor
        self.world = world
    }

    func run() {
        for _ in 0..<Int.random(in: 1...3, using: &actor.random) where actor.isAlive {
            read()
            world.sleep(actor, .random(in: 0...200_000, using: &actor.random))
        }
    }

    private func read() {
        let kind = world.profile.stream
        let due = Set(world.truth.due(in: kind))
        let collector = LineCollector(world.truth, kind)
        var isThere = true
        let report = attempt("read") { () throws -> ReadReport? in
            do {
                return try readLog(actor.directory, world.stream) { _, block in
                    collector.add(block)
                }
            } catch let error as LogError where error.isMissing {
                isThere = false
                return nil
            }
        }
        guard report != nil else { return }
        for problem in collector.problems { world.report("\(actor.name): \(problem)") }
        world.count("reading beside others")
        // What was due all the time.
        let still = due.intersection(world.truth.due(in: kind))
        if !isThere, still.isEmpty { return }
        let found = Reading.numbers(of: collector.contents)
        for number in still.subtracting(found).sorted() {
            world.report("\(actor.name) misses \(world.truth.describe(number))")
        }
    }
}

extension Reading {
    static func numbers(of contents: [Identity: Truth.Content]) -> Set<Int> {
        var numbers: Set<Int> = []
        for case .line(let number) in contents.values { numbers.insert(number) }
        return numbers
    }
}
