// Processes that rewrite and delete segments, or bring them from elsewhere.

import EvalogLog
import TestSupport

struct MaintainerLife: Life {
    let actor: Actor
    let world: World

    init(_ actor: Actor, _ world: World) {
        self.actor = actor
        self.world = world
    }

    func run() {
        let taken = attempt("lock") {
            Bool.random(using: &actor.random)
                ? try MaintenanceLock(actor.directory)
                : try MaintenanceLock.wait(
                    actor.directory, patience: 2_000_000, timing: world.timing(actor))
        }
        guard let lock = taken ?? nil else { return }
        if Bool.random(using: &actor.random) {
            let ids = Identities(world, Identities.ofFiles)
            let eraser = LineEraser(
                lock, world.stream, timing: world.timing(actor), makeID: { ids.draw() })
            _ = attempt("erase what came back") { try eraser.eraseReturned() }
        }
        guard actor.isAlive else { return }
        let days = world.profile.days
        let rules = MaintenanceRules(
            factsDays: days, contentDays: days,
            joinCount: 2...Int.random(in: 2...20, using: &actor.random),
            joinByteCount: .random(in: 300...30_000, using: &actor.random))
        let ids = Identities(world, Identities.ofFiles)
        let maintainer = LogMaintainer(
            lock, world.stream, rules: rules, timing: timing(rules), makeID: { ids.draw() })
        let budget = MaintenanceBudget(
            segmentCount: .random(in: 1...60, using: &actor.random), byteCount: .max)
        let patience = Int.random(in: 0...60, using: &actor.random)
        var asked = 0
        let report = maintainer.run(budget: budget) {
            asked += 1
            return patience > 50 && asked > patience - 50
        }
        guard actor.isAlive else { return }
        _ = attempt("maintain") { if let failure = report.failure { throw failure } }
        for kind in MaintenanceStep.Kind.allCases {
            guard let done = report.done[kind] else { continue }
            world.note("\(actor.name): \(kind.rawValue) \(done.segmentCount)")
            world.count("segment to \(kind.rawValue)", done.segmentCount)
        }
    }

    /// Tells the truth which lines maintenance takes for old.
    private func timing(_ rules: MaintenanceRules) -> MaintenanceTiming {
        var timing = world.timing(actor)
        timing.clock = WatchedClock(world, rules)
        return timing
    }
}

/// The world's clock; whoever looks at it may prune what has had its time by then.
private final class WatchedClock: LogClock, @unchecked Sendable {
    private unowned let world: World
    private let rules: MaintenanceRules

    init(_ world: World, _ rules: MaintenanceRules) {
        self.world = world
        self.rules = rules
    }

    func wallTime() -> Int64 {
        let kind = world.profile.stream
        world.truth.mayPrune(kind, before: rules.limit(for: kind, at: world.clock.wall))
        return world.clock.wall
    }

    func monotonicTime() -> Int64 { world.clock.monotonic }
}

/// Copies the log to another one, or that one back.
struct CopierLife: Life {
    let actor: Actor
    let world: World

    init(_ actor: Actor, _ world: World) {
        self.actor = actor
        self.world = world
    }

    func run() {
        let copy = LogDirectory(path: World.copyPath, disk: actor.process)
        let isThere = (try? copy.list(world.stream)) != nil
        let isBack = isThere && Bool.random(using: &actor.random)
        guard isBack || (try? actor.directory.list(world.stream)) != nil else { return }
        if isBack { world.backups.beginReturn() }
        transfer(isBack ? (copy, actor.directory) : (actor.directory, copy))
        if isBack { world.backups.endReturn() }
    }

    private func transfer(_ logs: (source: LogDirectory, target: LogDirectory)) {
        let ids = Identities(world, Identities.ofFiles)
        let report = attempt("copy") {
            try copySegments(
                of: world.stream, from: logs.source, to: logs.target, makeID: { ids.draw() })
        }
        if let report { world.count("segment copied", report.copied.count) }
    }
}
