// What a schedule is made of, drawn from its seed: so that some schedules are calm but for kills, where
// nothing may fail at all, and others have everything at once.

import EvalogLog
import TestSupport

/// What may happen in a schedule.
struct Profile {
    /// Processes are killed between any two file calls.
    var hasKills = false
    /// The power goes out.
    var hasPowerCuts = false
    /// Calls fail, syncs among them.
    var hasErrors = false
    /// The disk is full for a while.
    var hasFullDisk = false
    /// The wall clock is set ahead and back.
    var hasClockJumps = false
    /// Segments are deleted, and old copies of them come back.
    var hasMeddling = false
    /// Lines are erased.
    var hasErasing = false
    /// Days pass, and lines have their time.
    var hasRetention = false

    var stream: StreamKind
    var durabilities: [Durability]
    var faults = Faults()
    var traits = DiskTraits()
    /// The most calls that a process makes before another one has its turn.
    var turnCallCountMax: Int
    var eventCount: Int
    var processCountMax: Int
    var segmentByteCountMax: Int
    private let factsDays: Int

    init(using random: inout SeededGenerator) {
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        func pick<Value>(_ values: [Value]) -> Value {
            values[Int.random(in: 0..<values.count, using: &random)]
        }
        hasKills = chance(85)
        hasPowerCuts = chance(45)
        hasErrors = chance(35)
        hasFullDisk = chance(20)
        hasClockJumps = chance(25)
        hasMeddling = chance(25)
        hasErasing = chance(40)
        hasRetention = chance(25)
        stream = chance(75) ? .facts : .content
        durabilities = pick([[.synced], [.synced], [.buffered], [.buffered, .synced]])
        traits = DiskTraits(sectorByteCount: pick([16, 64, 512]), isOrdered: chance(50))
        faults.visibleHalf = pick([0, 100])
        if hasErrors {
            faults = Faults(
                interruption: pick([0, 30, 200]), shortTransfer: pick([0, 50, 300]),
                visibleHalf: pick([0, 100]), readError: pick([0, 0, 5, 30]),
                writeError: pick([0, 20, 100]), syncError: pick([0, 50, 300]),
                secondSyncError: pick([0, 500]), otherError: pick([0, 0, 5, 20]))
        }
        turnCallCountMax = pick([1, 4, 15, 60, 400])
        eventCount = pick([40, 80, 160])
        processCountMax = pick([2, 3, 5])
        segmentByteCountMax = pick([400, 900, 3_000, 1 << 20])
        factsDays = pick([3, 30])
    }

    /// Days for which lines are kept.
    var days: Int { hasRetention ? factsDays : LogLimits.factsDaysDefault }

    /// Whether no call fails by itself, so that every operation has to succeed.
    var isGentle: Bool { !hasErrors && !hasFullDisk }
}
