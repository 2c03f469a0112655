// Looking at a folder while others rename and delete what is in it, and calls that signals interrupt.

import TestSupport
import Testing

@testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("A listing") struct ListingTests {
    private let disk: FaultyDisk
    private let log: LogFixture

    init() throws {
        disk = FaultyDisk()
        log = LogFixture(disk: disk)
        try log.write([10], id: 1)
        try log.write([10], id: 2)
    }

    /// Joins all segments, behind the back of whoever reads through the faulty disk.
    private static func join(_ path: String) {
        let directory = LogDirectory(path: path)
        guard let lock = try? MaintenanceLock.wait(directory) else { return }
        let report = LogMaintainer(lock, .facts, timing: .init(clock: ManualClock())).run()
        #expect(report.done[.merge]?.segmentCount == 2)
    }

    /// Lets the segments be joined before one of the calls of an operation.
    private func joining(before number: Int, _ operation: DiskError.Operation) {
        let path = log.directory.path
        let count = Monitor(0)
        disk.set {
            $0.before = { call in
                guard call == operation else { return }
                let isTime = count.withLock { count in
                    defer { count += 1 }
                    return count == number
                }
                if isTime { Self.join(path) }
            }
        }
    }

    @Test(
        "of segments that are joined between the list and the looks misses no line",
        arguments: [0, 1])
    func joined(number: Int) throws {
        joining(before: number, .status)
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...10) + keys(2, 1...10))
        #expect(report.segments.map(\.state) == [.merged])
    }

    @Test("a follower gets lines that are on their way into another file, once, in order")
    func followed() throws {
        joining(before: 0, .status)
        let follower = LogFollower(log.directory, .facts)
        let collector = LineCollector()
        _ = try follower.poll { collector.add($0) }
        _ = try follower.poll { collector.add($0) }
        #expect(collector.unsorted == keys(1, 1...10) + keys(2, 1...10))
    }

    @Test("a joined file that came while the names were read is not overlooked")
    func cameMeanwhile() throws {
        // The second look at the names shows it.
        joining(before: 1, .list)
        #expect(try log.read().lines == keys(1, 1...10) + keys(2, 1...10))
    }
}

@Suite("A call that a signal interrupts") struct InterruptedCallTests {
    @Test("is made again until it is carried out, and then once")
    func repeats() throws {
        var calls = 0
        let result = try DiskError.repeating(.write, "") { () -> Int in
            calls += 1
            errno = EINTR
            return calls < 5 ? -1 : 7
        }
        #expect(result == 7 && calls == 5)
    }

    @Test("fails with the first other error, and says on what")
    func fails() {
        var calls = 0
        #expect(throws: DiskError(operation: .link, path: "name", code: EIO)) {
            _ = try DiskError.repeating(.link, "name") { () -> Int in
                calls += 1
                errno = calls < 3 ? EINTR : EIO
                return -1
            }
        }
        #expect(calls == 3)
    }
}
