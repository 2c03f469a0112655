// A process that follows the log by position and keeps the position where a kill leaves it.

import EvalogLog
import TestSupport

/// What followers have delivered, one process after the other.
final class FollowedLines {
    /// As the last process saved it.
    private(set) var position = Position()
    private(set) var delivered: Set<Identity> = []
    private(set) var problems: [String] = []
    /// Delivered since the position was saved.
    private var unsaved: Set<Identity> = []
    /// Delivered by a process that died before it saved the position: they may come again, once.
    private var mayRepeat: Set<Identity> = []
    private let truth: Truth

    init(_ truth: Truth) { self.truth = truth }

    /// A process goes on from the saved position.
    func begin() {
        mayRepeat.formUnion(unsaved)
        unsaved = []
    }

    func deliver(_ block: LineBlock, of kind: StreamKind) {
        block.forEachLine { sequence, line in
            let identity = Identity(kind: kind, writer: block.header.writer, sequence: sequence)
            if let problem = truth.judge(line, at: identity).problem { problems.append(problem) }
            unsaved.insert(identity)
            guard !delivered.insert(identity).inserted else { return }
            if mayRepeat.remove(identity) == nil {
                problems.append("the follower delivers \(identity) twice")
            }
        }
    }

    func save(_ position: Position) {
        self.position = position
        unsaved = []
    }

    func takeProblems() -> [String] {
        defer { problems = [] }
        return problems
    }
}

struct FollowerLife: Life {
    let actor: Actor
    let world: World
    private let kind: StreamKind

    /// The consumer did not take a block.
    private struct Refusal: Error {}

    init(_ actor: Actor, _ world: World) {
        self.actor = actor
        self.world = world
        kind = world.profile.stream
    }

    func run() {
        // One at a time: there is one position.
        guard !world.isFollowed else { return }
        world.isFollowed = true
        world.followed.begin()
        let start =
            world.sabotage == .forgetsPosition && Bool.random(using: &actor.random)
            ? Position() : world.followed.position
        let follower = LogFollower(actor.directory, world.stream, from: start)
        var pollsLeft = Int.random(in: 1...30, using: &actor.random)
        while actor.isAlive, pollsLeft > 0, !world.isEnding {
            poll(follower)
            pollsLeft -= 1
            if actor.isAlive { world.sleep(actor, .random(in: 0...500_000, using: &actor.random)) }
        }
        // What a kill leaves is one position and what came since; who ends in peace saves it.
        if actor.isAlive { world.followed.save(follower.position) }
        world.isFollowed = false
    }

    private func poll(_ follower: LogFollower) {
        var isRefused = false
        let report = attempt("follow") { () throws -> LogFollower.Report? in
            do {
                return try follower.poll { block in
                    if Int.random(in: 0..<20, using: &actor.random) == 0 { throw Refusal() }
                    if actor.isAlive { world.followed.deliver(block, of: kind) }
                }
            } catch is Refusal {
                isRefused = true
                return nil
            } catch let error as LogError where error.isMissing {
                return nil
            }
        }
        for problem in world.followed.takeProblems() { world.report("\(actor.name): \(problem)") }
        guard report != nil, actor.isAlive else { return }
        world.count(isRefused ? "delivery refused" : "poll")
        if actor.process.openHandleCount > 0 {
            world.report("\(actor.name) keeps a file open between two polls")
        }
        if Bool.random(using: &actor.random) { world.followed.save(follower.position) }
    }
}
