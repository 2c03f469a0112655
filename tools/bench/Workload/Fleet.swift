// The apps of a workload: sessions that come and go, each doing one thing after the other.

import EvalogFacts
import EvalogText

/// One run of one app on one device.
struct Visit {
    var session: SessionID?
    var model: String?
    var os: String?
    var device: String?
    var app: String?
    /// What the device's clock is ahead of the true time.
    var clockError: Int64 = 0
    var remainingActivities: Int
}

/// Makes activities in the order of true time; each is a few lines that belong together.
struct Fleet {
    private(set) var chance: Chance
    private let options: Workload.Options
    private var visits: [Visit] = []
    private var now: Int64
    private let pause: Int64
    private var chain: Chain

    private static let visitCount = 48

    /// An app that asks about one place every 20 minutes for longer than a day.
    private struct Chain {
        var next: Int64
        var remaining: Int
        var session: SessionID
    }

    init(seed: UInt64, lineCount: Int, options: Workload.Options) {
        chance = Chance(seed: seed)
        self.options = options
        now = options.start
        // An activity has some three lines.
        pause = max(1, options.span / Int64(max(1, lineCount / 3)))
        chain = Chain(
            next: options.start + options.span / 10,
            remaining: options.hasFaults && lineCount >= 500 ? 80 : 0,
            session: SessionID(bits: .random(using: &chance), isDigest: false))
        for _ in 0..<Self.visitCount { visits.append(newVisit()) }
    }

    /// The lines of whatever happens next.
    mutating func nextActivity() -> [Workload.Line] {
        now += chance.below(2 * pause + 1)
        if chain.remaining > 0, chain.next <= now { return [nextOfChain()] }
        let place = chance.below(visits.count)
        var visit = visits[place]
        if options.hasFaults, chance.happens(4) {
            visit.clockError = (chance.below(Int64(7)) - 3) * 86_400_000_000
        }
        let lines = activity(in: &visit)
        visit.remainingActivities -= 1
        visits[place] = visit.remainingActivities > 0 ? visit : newVisit()
        return lines
    }

    private mutating func nextOfChain() -> Workload.Line {
        var fact = EvaluationFact(
            id: .timeOrdered(microseconds: chain.next, using: &chance), time: chain.next,
            usage: Cast.embedded, outcome: .completed, attempts: 1)
        fact.subject = "long_chain"
        fact.session = chain.session
        fact.model = Cast.models[0]
        fact.os = Cast.systems[0]
        fact.duration = chance.duration(median: 200_000)
        chain.next += 1_200_000_000
        chain.remaining -= 1
        return Workload.Line(.evaluation(fact))
    }

    private mutating func newVisit() -> Visit {
        let session: SessionID? =
            chance.happens(50)
            ? nil : SessionID(bits: .random(using: &chance), isDigest: chance.happens(80))
        return Visit(
            session: session,
            model: chance.happens(30) ? nil : chance.pick(Cast.models),
            os: chance.happens(20) ? nil : chance.pick(Cast.systems),
            device: chance.happens(100) ? nil : chance.pick(Cast.devices),
            app: chance.happens(100) ? nil : chance.pick(Cast.apps),
            remainingActivities: 1 + chance.below(12))
    }

    private mutating func activity(in visit: inout Visit) -> [Workload.Line] {
        var activity = Activity(
            visit: visit, time: now + visit.clockError, hasFaults: options.hasFaults, chance: chance
        )
        defer { chance = activity.chance }
        switch chance.below(100) {
        case 0..<45: activity.selectEmbedded()
        case 45..<65: activity.suppress()
        case 65..<82: activity.inferText()
        case 82..<95: activity.askCustom()
        case 95..<97: activity.publishCatalog()
        case 97: activity.switchGate()
        case 98: activity.loseLines()
        default: activity.sayTheUnknown()
        }
        return activity.lines
    }
}
