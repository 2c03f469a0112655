// A process that erases a session's lines, and what must be true once it says that it has.

import EvalogLog
import TestSupport

struct EraserLife: Life {
    let actor: Actor
    let world: World
    private let session: Int

    init(_ actor: Actor, _ world: World) {
        self.actor = actor
        self.world = world
        session = .random(in: 0..<LineText.sessionCount, using: &actor.random)
    }

    func run() {
        let taken = attempt("lock") {
            try MaintenanceLock.wait(
                actor.directory, patience: 1_000_000, timing: world.timing(actor))
        }
        guard let lock = taken ?? nil else { return }
        // What is there now has to go; what is appended from now on may stay.
        let before = Reading(world)
        let found = before.numbers.filter { world.truth.lines[$0].session == session }
        let places = before.contents.compactMap { identity, content in
            if case .line(let number) = content, found.contains(number) { identity } else { nil }
        }
        let judge = Judge(world, session)
        let ids = Identities(world, Identities.ofFiles)
        let eraser = LineEraser(
            lock, world.stream, timing: world.timing(actor), makeID: { ids.draw() })
        let quietTime = world.backups.quietTime
        let lossCount = world.backups.lossCount
        let report = attempt("erase") { try eraser.run { _, line in judge.verdict(line) } }
        guard let report else { return }
        world.count("erasing done")
        guard report.isComplete else { return world.count("erasing incomplete") }
        world.count("line erased", found.count)
        world.note("\(actor.name) says that session \(session) is gone: \(found)")
        let after = Reading(world)
        let isWhole = lossCount == world.backups.lossCount
        world.truth.erase(
            places.filter {
                guard let content = after.contents[$0] else { return false }
                // What somebody else took away meanwhile has nothing that stands in for it, and
                // comes back as a line if a copy does.
                return isWhole || content == .tombstone
            })
        // What came back while it erased is found by the next one.
        guard let quietTime, world.backups.quietTime == quietTime else { return }
        for problem in RawSearch(world).problems(found) { world.report(problem) }
    }
}

/// Chooses the lines of a session.
private final class Judge: @unchecked Sendable {
    private unowned let world: World
    private let session: Int
    private var hasKeptOne = false

    init(_ world: World, _ session: Int) {
        self.world = world
        self.session = session
    }

    func verdict(_ line: UnsafeRawBufferPointer) -> LineVerdict {
        if Tombstone(line) != nil { return .erased }
        guard let number = LineText.number(of: line), number < world.truth.lines.count,
            world.truth.lines[number].session == session
        else { return .keep }
        if world.sabotage == .keepsErased, !hasKeptOne {
            hasKeptOne = true
            return .keep
        }
        world.truth.choose(number)
        return .erase
    }
}
