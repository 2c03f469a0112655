// One schedule: processes that take turns, call by call, on one machine, and what befalls them. All of it
// follows from the seed.

import EvalogContent
import EvalogLog
import TestSupport

/// The simulated machine and everybody on it.
final class World {
    static let path = "/data/log"
    static let copyPath = "/data/copy"

    let profile: Profile
    let sabotage: Sabotage?
    let clock = SimulatedClock()
    let disk: SimulatedDisk
    let truth = Truth()
    let followed: FollowedLines
    let backups = Backups()
    var random: SeededGenerator
    /// Whether a follower has the position.
    var isFollowed = false
    private var hasLostPower = false
    /// The latest that the wall clock has shown before it was set back.
    private(set) var greatestTime: Int64
    /// No further work is begun, and nothing goes wrong any more.
    private(set) var isEnding = false
    private(set) var problems: [String] = []
    private(set) var tally = Tally()
    private(set) var trace: [String] = []

    private let isTraced: Bool
    private let stacks: StackPool
    private var actors: [Actor] = []
    private var actorCount = 0
    /// Whose turn it is.
    private var running: Actor?
    /// File calls until the next one has its turn.
    private var callsLeft = 0
    private var inspector: Inspector

    init(seed: UInt64, sabotage: Sabotage?, isTraced: Bool, stacks: StackPool) {
        random = SeededGenerator(seed: seed)
        profile = Profile(using: &random)
        disk = SimulatedDisk(clock: clock, traits: profile.traits, seed: random.next())
        self.sabotage = sabotage
        self.isTraced = isTraced
        self.stacks = stacks
        followed = FollowedLines(truth)
        inspector = Inspector(profile.stream)
        truth.mayRepeat = profile.hasMeddling
        greatestTime = clock.wall
        try? disk.makeFolder(at: "/data")
        disk.syncEverything()
    }

    var stream: LogStream { profile.stream == .facts ? .facts : ContentAccess.stream }

    /// The log as somebody sees it whom nobody interrupts.
    var quiet: LogDirectory {
        LogDirectory(path: Self.path, disk: SimulatedProcess("nobody", number: 0, on: disk))
    }

    func drawID(_ writer: Int) -> WriterID {
        let id =
            sabotage == .repeatsIdentity
            ? WriterID(high: 1, low: 1) : WriterID(high: random.next(), low: random.next())
        truth.own(id, writer)
        note("process \(writer) draws \(id)")
        return id
    }

    /// Whether nothing but kills, and a disk that was full, has happened to the log.
    var isUndisturbed: Bool {
        !profile.hasErrors && !profile.hasMeddling && !hasLostPower
    }

    func isAlive(_ number: Int) -> Bool { actors.contains { $0.number == number } }

    /// Whether somebody rewrites or deletes segments.
    var isMaintained: Bool { !maintainers.isEmpty }
    private var maintainers: [Int] {
        actors.filter { $0.role == .maintainer || $0.role == .eraser }.map(\.number)
    }
    /// Those who have looked at the log before its files were changed from outside, and act on that.
    private var unaware: [Int] = []
    var hasUnaware: Bool { unaware.contains(where: isAlive) }

    /// A number for one more writer, which no process stands for.
    func addWriter() -> Int {
        actorCount += 1
        return actorCount
    }

    /// A live writer's segment is taken from it.
    func excuseHolder(of name: SegmentName) {
        guard let handle = disk.holder(of: name) else { return }
        truth.excuse(linesOf: SimulatedProcess.number(ofHandle: handle))
    }

    // MARK: What is noticed

    func note(_ text: @autoclosure () -> String) {
        if isTraced { trace.append("\(clock.monotonic)µs \(text())") }
    }

    func count(_ event: String, _ count: Int = 1) { tally.count(event, count) }
    func count(_ accident: Accident, _ count: Int = 1) { tally.count(accident, count) }

    func report(_ problem: String) {
        note("PROBLEM: \(problem)")
        if problems.isEmpty { noteSegments() }
        problems.append(problem)
    }

    /// What there is, header by header.
    func noteSegments() {
        guard isTraced, let catalog = try? LogCatalog.scan(quiet, stream) else { return }
        for (index, segment) in catalog.segments.enumerated() {
            note("  \(segment.name): \(segment.state), \(segment.status.byteCount) bytes")
            for (header, owner, offset) in catalog.headers where owner == index {
                note(
                    "    at \(offset): \(header.writer) \(header.sequences)"
                        + " generation \(header.generation)")
            }
        }
        for damage in catalog.damages { note("  \(damage)") }
        let account = catalog.account()
        for writer in account.writers { note("  \(writer)") }
        for loss in account.uncounted { note("  \(loss)") }
    }

    // MARK: Turns

    /// Where the process whose turn it is may be interrupted.
    private func pause() {
        callsLeft -= 1
        if callsLeft <= 0 { running?.yield() }
    }

    /// Lets time pass for a process, and others run.
    func sleep(_ actor: Actor, _ microseconds: Int64) {
        clock.advance(by: microseconds * .random(in: 1...30, using: &random))
        if actor.process.isAlive { actor.yield() }
    }

    func timing(_ actor: Actor) -> MaintenanceTiming {
        let sleeper = Sleeper(world: self, actor: actor)
        return MaintenanceTiming(clock: clock) { sleeper.sleep($0) }
    }

    private func resume(_ actor: Actor) {
        callsLeft = .random(in: 1...profile.turnCallCountMax, using: &random)
        running = actor
        actor.resume()
        running = nil
        guard actor.isDone else { return }
        actors.removeAll { $0 === actor }
        tally.add(actor.process.tally)
        if actor.process.isAlive, actor.process.openHandleCount > 0 {
            report("\(actor.name) leaves \(actor.process.openHandleCount) handles open")
        }
        note("\(actor.name) ends")
    }

    private func spawn(_ role: Role) {
        actorCount += 1
        let number = actorCount
        let process = SimulatedProcess(
            "\(role.rawValue) \(number)", number: number, on: disk, faults: profile.faults,
            sabotage: sabotage, seed: random.next()
        ) { [unowned self] in pause() }
        if isTraced {
            process.observe = { [unowned self] call in note("    \(process.name): \(call)") }
        }
        let actor = Actor(number, role, process, seed: random.next())
        actor.start(on: stacks, in: self)
        actors.append(actor)
        count("\(role.rawValue) begun")
        note("\(actor.name) begins")
    }

    private func kill(_ actor: Actor) {
        note("\(actor.name) is killed")
        count("\(actor.role.rawValue) killed")
        count(.kill)
        truth.killed.insert(actor.number)
        actor.process.kill()
        resume(actor)
        if !actor.isDone { report("\(actor.name) goes on after its end") }
    }

    // MARK: The schedule

    func run() {
        for _ in 0..<profile.eventCount where problems.isEmpty { event() }
        if problems.isEmpty { end() }
        for actor in actors { kill(actor) }
    }

    private func event() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<70: turn()
        case 70..<82: if actors.count < profile.processCountMax { spawn(Role.random(for: self)) }
        case 82..<85 where profile.hasKills:
            if let actor = actors.randomElement(using: &random) { kill(actor) }
        case 85 where profile.hasPowerCuts: losePower()
        case 86..<91: passTime()
        case 91..<93 where profile.hasClockJumps: jump()
        case 93..<95 where profile.hasFullDisk: limitSpace()
        case 95..<98 where profile.hasMeddling: backups.meddle(with: self)
        default: inspect()
        }
    }

    private func turn() {
        guard let actor = actors.randomElement(using: &random) else {
            return spawn(Role.random(for: self))
        }
        resume(actor)
    }

    private func losePower() {
        note("the power goes out")
        for actor in actors { kill(actor) }
        let lossCount = disk.losePower()
        hasLostPower = true
        count(.powerCut)
        count(.sectorOrNameLost, lossCount)
        truth.losePower()
        inspector.startAnew()
        inspect()
    }

    private func passTime() {
        let spans: [ClosedRange<Int64>] = [
            0...2_000_000, 0...2_000_000, 61_000_000...200_000_000,
            0...(profile.hasRetention ? 10 * LogLimits.day : 200_000_000),
        ]
        let span = spans.randomElement(using: &random) ?? 0...0
        clock.advance(by: .random(in: span, using: &random))
    }

    private func jump() {
        let spans: [Int64] = [100_000, 5_000_000, 3_600_000_000, 2 * LogLimits.day]
        let span = spans.randomElement(using: &random) ?? 0
        greatestTime = max(greatestTime, clock.wall)
        clock.jump(by: .random(in: -span...span, using: &random))
        count(.clockJump)
        truth.clockWasSetBack(to: clock.wall)
    }

    private func limitSpace() {
        let room = Int.random(in: 0...2_500, using: &random)
        disk.byteCountMax = Bool.random(using: &random) ? .max : disk.byteCount + room
        if disk.byteCountMax < .max { count(.spaceShort) }
    }

    func inspect() {
        count("inspection")
        inspector.inspect(self)
    }

    /// What is known of losses, and what must be there, is looked at anew: files were changed from
    /// outside.
    func startInspectionAnew() {
        inspector.startAnew()
        unaware = maintainers
    }

    // MARK: The end

    /// Everybody comes to an end in peace; then all must be in order.
    private func end() {
        note("the schedule ends")
        isEnding = true
        disk.byteCountMax = .max
        for actor in actors { actor.process.isSpared = true }
        var turnsLeft = 20_000
        while let actor = actors.randomElement(using: &random), turnsLeft > 0 {
            resume(actor)
            turnsLeft -= 1
        }
        for actor in actors { report("\(actor.name) does not come to an end") }
        if problems.isEmpty { Closing(self).check(&inspector) }
    }
}

/// What somebody does with the log.
enum Role: String, CaseIterable {
    case writer, maintainer, eraser, follower, reader, copier

    static func random(for world: World) -> Self {
        let roles: [Self] = [
            .writer, .writer, .writer, .maintainer, .maintainer, .follower, .reader, .copier,
            .eraser, .eraser,
        ]
        let role = roles.randomElement(using: &world.random) ?? .writer
        return role == .eraser && !world.profile.hasErasing ? .writer : role
    }
}

/// A process and the function that it runs.
final class Actor {
    let number: Int
    let role: Role
    let process: SimulatedProcess
    var random: SeededGenerator
    private var coroutine: Coroutine?

    init(_ number: Int, _ role: Role, _ process: SimulatedProcess, seed: UInt64) {
        self.number = number
        self.role = role
        self.process = process
        random = SeededGenerator(seed: seed)
    }

    var name: String { process.name }
    var isDone: Bool { coroutine?.isDone ?? true }
    var directory: LogDirectory { LogDirectory(path: World.path, disk: process) }

    func start(on stacks: StackPool, in world: World) {
        coroutine = Coroutine(on: stacks) { [unowned self, unowned world] in
            switch role {
            case .writer: WriterLife(self, world).run()
            case .maintainer: MaintainerLife(self, world).run()
            case .eraser: EraserLife(self, world).run()
            case .follower: FollowerLife(self, world).run()
            case .reader: ReaderLife(self, world).run()
            case .copier: CopierLife(self, world).run()
            }
        }
    }

    func resume() { coroutine?.resume() }
    func yield() { coroutine?.yield() }

    /// Whether what it just did counts: what a dead process believes is nobody's business.
    var isAlive: Bool { process.isAlive }
}

/// Carries a pause to the world, from where only what is sendable gets through.
private final class Sleeper: @unchecked Sendable {
    private unowned let world: World
    private unowned let actor: Actor

    init(world: World, actor: Actor) {
        self.world = world
        self.actor = actor
    }

    func sleep(_ microseconds: Int64) { world.sleep(actor, microseconds) }
}
