// What must be true in the end, when nothing goes wrong any more: the next writer works, maintenance comes
// to an end, and everybody who reads the log sees the same.

import EvalogLog
import TestSupport

/// The end of a schedule.
struct Closing {
    private let world: World
    private let kind: StreamKind

    init(_ world: World) {
        self.world = world
        kind = world.profile.stream
    }

    func check(_ inspector: inout Inspector) {
        inspector.inspect(world)
        appendMore()
        // Files from the future are taken for new.
        world.clock.jump(by: max(0, world.greatestTime - world.clock.wall))
        world.clock.advance(by: 2 * LogLimits.deadSegmentAge)
        maintain()
        inspector.inspect(world)
        compareReaders()
        follow()
    }

    private func attempt(_ what: String, _ body: () throws -> Void) {
        do { try body() } catch { world.report("in the end nobody can \(what): \(error)") }
    }

    /// The next writer needs no repair, and what it is told holds.
    private func appendMore() {
        let owner = world.addWriter()
        let ids = Identities(world, owner)
        attempt("append") {
            let writer = try LogWriter(
                world.quiet,
                options: WriterOptions(
                    durability: .synced, level: 1, clock: world.clock,
                    makeWriterID: { ids.draw() }, processID: { 0 }, hasThread: false))
            let start = world.truth.lines.count
            for _ in 0..<3 {
                let number = world.truth.offer(
                    to: kind, by: owner, at: world.clock.wall, using: &world.random)
                let outcome = writer.append(
                    world.truth.lines[number].bytes, to: world.stream, eventTime: 0)
                if case .refused(let cause) = outcome {
                    world.report("in the end lines are refused: \(cause)")
                }
                world.truth.settle(number, isAccepted: true)
            }
            try writer.close()
            world.truth.confirm(start..<start + 3, of: owner, isSynced: true)
        }
    }

    /// Maintenance does all that there is to do, and then there is nothing.
    private func maintain() {
        let days = world.profile.days
        let rules = MaintenanceRules(factsDays: days, contentDays: days)
        let ids = Identities(world, Identities.ofFiles)
        let clock = world.clock
        let timing = MaintenanceTiming(clock: clock) { clock.advance(by: $0) }
        world.truth.mayPrune(kind, before: rules.limit(for: kind, at: clock.wall + 1_000_000))
        attempt("maintain") {
            guard let lock = try MaintenanceLock(world.quiet) else {
                return world.report("in the end somebody still maintains")
            }
            let report = LogMaintainer(
                lock, world.stream, rules: rules, timing: timing, makeID: { ids.draw() }
            ).run()
            if let failure = report.failure { throw failure }
            let plan = MaintenancePlan(
                try LogCatalog.scan(world.quiet, world.stream), kind, rules, at: clock.wall)
            for step in plan.steps {
                world.report("after maintenance there is still to \(step.kind): \(step.segments)")
            }
            for name in plan.inUse { world.report("after the end \(name) is in use") }
            let listing = try world.quiet.list(world.stream)
            for ignored in listing.ignored {
                world.report("after maintenance \(ignored.name) lies around")
            }
        }
    }

    /// `verify`, the account from headers alone, and the last lines agree with the replay.
    private func compareReaders() {
        let reading = Reading(world)
        guard let report = reading.report else { return world.report("in the end there is no log") }
        attempt("verify") {
            let verified = try verifyLog(world.quiet, world.stream)
            if verified.writers != report.writers || verified.damages != report.damages
                || verified.uncounted != report.uncounted
            {
                world.report("verify and replay do not agree")
            }
            let account = try LogCatalog.scan(world.quiet, world.stream).account()
            if account.writers.map(\.lost) != report.writers.map(\.lost)
                || account.uncounted != report.uncounted
            {
                world.report("headers alone tell of other losses than the replay")
            }
        }
        for damage in report.damages { world.report("after maintenance there is \(damage)") }
        attempt("read the last lines") {
            let last = LineCollector(world.truth, kind)
            _ = try readLastLines(.max, of: world.quiet, world.stream) { last.add($0) }
            if last.contents != reading.contents {
                world.report("the last lines are not those of the replay")
            }
        }
    }

    /// The follower gets the rest, and with it has had all that there is.
    private func follow() {
        world.followed.begin()
        attempt("follow") {
            let follower = LogFollower(world.quiet, world.stream, from: world.followed.position)
            _ = try follower.poll { world.followed.deliver($0, of: kind) }
            let again = try follower.poll { _ in }
            if again.lineCount > 0 { world.report("a second poll delivers lines again") }
        }
        for problem in world.followed.takeProblems() { world.report(problem) }
        for identity in Reading(world).contents.keys.sorted()
        where !world.followed.delivered.contains(identity) {
            world.report("the follower never delivered \(identity)")
        }
    }
}
