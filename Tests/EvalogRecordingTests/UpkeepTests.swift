// A log that keeps itself in order while apps record into it.

import Dispatch
import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogRecording
import EvalogText
import TestSupport
import Testing

@Suite("Upkeep of a recorder's log", .timeLimit(.minutes(10)))
struct UpkeepTests {
    private let fixture = RecorderFixture()

    private func segmentCount(_ stream: LogStream) throws -> Int {
        try fixture.directory.list(stream).segments.count
    }

    private func live(_ number: Int, hasThread: Bool = false) {
        let recorder = fixture.recorder(hasThread: hasThread)
        recorder.record(.marked("life", number: number))
        recorder.close()
    }

    @Test("many short lives of an app leave few files, and all that they recorded")
    func shortLives() throws {
        for number in 1...100 { live(number) }
        #expect(try segmentCount(.facts) < 20)
        #expect(try segmentCount(ContentAccess.stream) < 20)
        #expect(Set(try fixture.evaluations().map(\.id)).count == 100)
        #expect(Set(try fixture.contents().map(\.id)).count == 100)
        #expect(try verifyLog(fixture.directory, .facts).isClean)
    }

    @Test("what is open for longer than a day is maintained once a day")
    func daily() throws {
        let recorder = fixture.recorder(.all(days: 2))
        recorder.record(.marked("old", number: 1))
        recorder.close()
        let next = fixture.recorder(.all(days: 2))
        for number in 2...5 {
            next.record(.marked("new", number: number))
            #expect(next.flush())
            let isKept = try fixture.contents().contains {
                $0.id.text == ObservedEvaluation.uuid(1)
            }
            #expect(isKept == (number < 5))
            fixture.clock.advance(by: 86_400_000_000)
        }
        next.close()
    }

    @Test("while somebody else maintains the log nothing is done, and recording goes on")
    func otherMaintainer() throws {
        let lock = try liveUnmaintained(30)
        withExtendedLifetime(lock) {}
        #expect(try segmentCount(.facts) == 30)
    }

    @Test("a log that is somebody else's to keep keeps what has had its time")
    func otherKeeper() throws {
        live(1)
        fixture.clock.advance(by: 500 * 86_400_000_000)
        let recorder = fixture.recorder(.all(days: 2), maintainsLog: false)
        for number in 2...8 {
            recorder.record(.marked("new", number: number))
            #expect(recorder.flush())
            #expect(recorder.suspend())
            recorder.resume()
        }
        recorder.close()
        #expect(try fixture.evaluations().count == 8)
        #expect(try fixture.contents().count == 8)
        live(9)
        #expect(try fixture.evaluations().count == 8)
    }

    /// A life that tells of the gate and of a form, and whatever else a report has to know, 401 days ago.
    private func liveLongAgo() throws -> [Fact] {
        let recorder = fixture.recorder()
        recorder.record(FeatureReport(.catalog(field: "form/field", values: ["a": [.flag(true)]])))
        recorder.record(FeatureReport(.gate(isOnDeviceAIEnabled: false)))
        recorder.record(.marked("life", number: 1))
        recorder.close()
        let told = try fixture.facts().filter {
            if case .evaluation = $0 { false } else { true }
        }
        #expect(told.count == 2)
        fixture.clock.advance(by: 401 * 86_400_000_000)
        return told
    }

    private func lines(_ facts: [Fact]) -> Set<[UInt8]> {
        facts.reduce(into: []) { lines, fact in
            var line: [UInt8] = []
            fact.encode(into: &line)
            lines.insert(line)
        }
    }

    @Test("what a report has to know of facts outlives them")
    func notes() throws {
        let told = try liveLongAgo()
        for number in 2...4 {
            live(number)
            let ids = try fixture.evaluations().map(\.id.text)
            #expect(!ids.contains(ObservedEvaluation.uuid(1)) && ids.count == number - 1)
            #expect(lines(try fixture.facts()).isSuperset(of: lines(told)))
            let gaps = try fixture.gaps()
            #expect(gaps.count == 1 && gaps[0].refused == 0 && gaps[0].since == 0)
        }
        fixture.clock.advance(by: 401 * 86_400_000_000)
        live(5)
        #expect(try fixture.evaluations().count == 1)
        #expect(lines(try fixture.facts()).isSuperset(of: lines(told)), "also the notes' own time")
    }

    @Test("facts stay as long as what a report has to know of them cannot be written")
    func unwritten() throws {
        _ = try liveLongAgo()
        fixture.disk.failWrites(28)
        let recorder = fixture.recorder()
        recorder.record(.marked("life", number: 2))
        #expect(try fixture.evaluations().map(\.id.text) == [ObservedEvaluation.uuid(1)])
        fixture.disk.failWrites(nil)
        #expect(recorder.flush())
        recorder.close()
        live(3)
        #expect(try fixture.evaluations().count == 2)
    }

    @Test("a full disk and one that cannot be read harm nothing but upkeep")
    func faults() throws {
        for number in 1...7 { live(number) }
        let recorder = fixture.recorder()
        fixture.disk.failWrites(28)
        recorder.record(.marked("life", number: 8))
        fixture.disk.failWrites(nil)
        #expect(recorder.flush())
        recorder.close()
        #expect(try fixture.evaluations().count == 8)
    }

    @Test("a suspension ends upkeep in the middle of its work; then nothing is locked")
    func suspension() async throws {
        var lock = try liveUnmaintained(8)
        let (writes, second) = (Mutable(0), DispatchSemaphore(value: 0))
        // The first write is upkeep's, for the writer's lines wait for a flush; it lasts until the
        // suspension has written them.
        fixture.disk.beforeWrites {
            let number = writes.withValue { count in
                count += 1
                return count
            }
            if number == 1 {
                _ = second.wait(timeout: .now() + .seconds(60))
            } else {
                second.signal()
            }
        }
        lock = nil
        let recorder = fixture.recorder(hasThread: true)
        recorder.record(.marked("life", number: 9))
        await waitUntil { writes.withValue { $0 } > 0 }
        #expect(recorder.suspend())
        fixture.disk.beforeWrites(nil)
        lock = try MaintenanceLock(fixture.directory)
        #expect(lock != nil)
        lock = nil
        // What was about to get its name got it; the facts come second.
        #expect(try segmentCount(ContentAccess.stream) == 2 && segmentCount(.facts) == 9)
        #expect(try fixture.directory.list(.facts).ignored.isEmpty)
        #expect(try fixture.directory.list(ContentAccess.stream).ignored.isEmpty)
        // The end of the suspension is not the end of upkeep.
        recorder.resume()
        recorder.record(.marked("life", number: 10))
        recorder.flush()
        try await waitUntil { try segmentCount(.facts) <= 3 }
        recorder.close()
        #expect(Set(try fixture.evaluations().map(\.id)).count == 10)
    }

    /// So many lives, and the lock that has kept them from being joined.
    private func liveUnmaintained(_ count: Int) throws -> MaintenanceLock? {
        live(1)
        let lock = try #require(try MaintenanceLock.wait(fixture.directory))
        for number in 2...count { live(number) }
        return lock
    }
}
