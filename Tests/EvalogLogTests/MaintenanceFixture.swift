// A log under maintenance on a disk with faults, and a clock that tests move.

import Testing

@testable import EvalogLog

struct MaintenanceFixture {
    let disk = FaultyDisk()
    let log: LogFixture
    let clock = ManualClock()
    private let identities = IdentitySequence(1_000_000)
    static let day = LogLimits.day
    /// Joins nothing.
    static func alone(factsDays: Int = 400, contentDays: Int = 7) -> MaintenanceRules {
        MaintenanceRules(factsDays: factsDays, contentDays: contentDays, joinByteCount: 0)
    }

    init() {
        log = LogFixture(disk: disk)
        // Far behind the times that the real disk gives to files: they are all at rest.
        clock.advance(by: 20_000 * Self.day)
    }

    var timing: MaintenanceTiming {
        MaintenanceTiming(clock: clock) { [clock] in clock.advance(by: $0) }
    }

    /// Writes segments of one writer, a day apart and of so many lines in each block.
    func write(_ segments: [[Int]], id: UInt64, isKilled: Bool = false) throws {
        let writer = try log.writer(id, clock: clock)
        var number: UInt64 = 0
        for (index, blocks) in segments.enumerated() {
            if index > 0 {
                clock.advance(by: Self.day)
                writer.roll()
            }
            for count in blocks {
                for _ in 0..<count {
                    number += 1
                    _ = writer.append(
                        LogFixture.line(id, number), to: .facts, eventTime: Int64(number))
                }
                try writer.flush()
            }
        }
        // A writer that is let go closes, which a kill does not.
        if isKilled { disk.set { $0.callsUntilDeath = 0 } }
        _ = try? writer.close()
        disk.set { $0.callsUntilDeath = nil }
    }

    @discardableResult
    func maintain(
        _ rules: MaintenanceRules = alone(), budget: MaintenanceBudget = .unlimited,
        shouldStop: () -> Bool = { false }
    ) throws -> MaintenanceReport {
        // A child forked by another test may hold on to an earlier lock for a moment.
        let lock = try #require(try MaintenanceLock.wait(log.directory))
        let maintainer = LogMaintainer(
            lock, .facts, rules: rules, timing: timing,
            makeID: { [identities] in identities.next() })
        return maintainer.run(budget: budget, shouldStop: shouldStop)
    }

    func plan(_ rules: MaintenanceRules = alone()) throws -> MaintenancePlan {
        MaintenancePlan(
            try LogCatalog.scan(log.directory, .facts), .facts, rules, at: clock.wallTime())
    }

    /// Everything in the log's folder with its bytes.
    func snapshot() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try log.segmentNames() { files[name] = try log.bytes(of: name) }
        return files
    }

    /// Puts the segments of a snapshot in the place of what is there.
    func restore(_ files: [String: [UInt8]]) throws {
        try log.clear()
        for (name, bytes) in files { try log.replace(name, by: bytes) }
    }
}
