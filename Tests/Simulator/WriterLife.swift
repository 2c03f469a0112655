// A process that appends lines: some of them in time, some of them never.

import EvalogContent
import EvalogLog
import TestSupport

/// A process's life that has a name for what it tries.
protocol Life {
    var actor: Actor { get }
    var world: World { get }
}

extension Life {
    /// Does something that has to succeed where no file call fails.
    ///
    /// - Returns: nil where it failed, or the process died meanwhile.
    func attempt<Result>(_ what: String, _ body: () throws -> Result) -> Result? {
        do {
            let result = try body()
            return actor.isAlive ? result : nil
        } catch let error as LogError where error.isMissing {
            return nil
        } catch {
            guard actor.isAlive else { return nil }
            world.note("\(actor.name) cannot \(what): \(error)")
            world.count("\(actor.role.rawValue) failed")
            if world.profile.isGentle { world.report("\(actor.name) cannot \(what): \(error)") }
            return nil
        }
    }
}

struct WriterLife: Life {
    let actor: Actor
    let world: World
    private let durability: Durability
    private let writer: LogWriter?
    private let kind: StreamKind

    init(_ actor: Actor, _ world: World) {
        self.actor = actor
        self.world = world
        kind = world.profile.stream
        durability =
            world.profile.durabilities.randomElement(using: &actor.random) ?? .buffered
        var segments = SegmentPolicy()
        segments.byteCountMax = world.profile.segmentByteCountMax
        let ids = Identities(world, actor.number)
        let options = WriterOptions(
            durability: durability, level: 1, segments: segments, clock: world.clock,
            makeWriterID: { ids.draw() }, processID: { [number = Int32(actor.number)] in number },
            hasThread: false)
        let directory = actor.directory
        writer = try? LogWriter(directory, options: options)
    }

    func run() {
        guard let writer else { return }
        var workLeft = Int.random(in: 3...40, using: &actor.random)
        while actor.isAlive, !world.isEnding, workLeft > 0 {
            work(writer)
            workLeft -= 1
        }
        if actor.isAlive { confirm("close") { try writer.close() } }
    }

    private func work(_ writer: LogWriter) {
        switch Int.random(in: 0..<12, using: &actor.random) {
        case 0..<6: append(to: writer)
        case 6..<9: confirm("flush") { try writer.flush() }
        case 9: writer.roll()
        case 10: _ = writer.takeRefusals()
        default:
            world.sleep(actor, .random(in: 0...300_000, using: &actor.random))
            if actor.isAlive { confirm("flush") { try writer.flush() } }
        }
    }

    private func append(to writer: LogWriter) {
        for _ in 0..<Int.random(in: 1...8, using: &actor.random) where actor.isAlive {
            let number = world.truth.offer(
                to: kind, by: actor.number, at: world.clock.wall, using: &actor.random)
            let outcome = writer.append(
                world.truth.lines[number].bytes, to: world.stream, eventTime: Int64(number))
            guard actor.isAlive else { return }
            switch outcome {
            case .accepted: world.truth.settle(number, isAccepted: true)
            case .refused(let cause):
                world.truth.settle(number, isAccepted: false)
                world.count("line refused")
                if world.profile.isGentle { world.report("\(actor.name) is refused: \(cause)") }
            }
        }
        if world.sabotage == .confirmsEarly {
            world.truth.confirm(
                0..<world.truth.lines.count, of: actor.number, isSynced: durability == .synced)
        }
    }

    /// Tries what confirms all lines that were accepted before.
    private func confirm(_ what: String, _ body: () throws -> Void) {
        let accepted = 0..<world.truth.lines.count
        guard attempt(what, body) != nil else { return }
        world.count("\(durability.rawValue) \(what)")
        world.note("\(actor.name) is told that its lines are \(durability.rawValue)")
        world.truth.confirm(accepted, of: actor.number, isSynced: durability == .synced)
    }
}

/// Carries the drawing of ids to the world, from where only what is sendable gets through.
final class Identities: @unchecked Sendable {
    /// The owner of ids that are drawn for merged files.
    static let ofFiles = -1

    private unowned let world: World
    private let writer: Int

    init(_ world: World, _ writer: Int) {
        self.world = world
        self.writer = writer
    }

    func draw() -> WriterID { world.drawID(writer) }
}
