// Full disks, denied keys, deleted logs, forks: what is lost is counted, exactly.

import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogRecording
import EvalogText
import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("a recorder in trouble") struct RecorderFaultTests {
    private let fixture = RecorderFixture()

    @Test("on a full disk content is refused first, facts wait, and a gap tells the exact count")
    func fullDisk() throws {
        let recorder = fixture.recorder()
        recorder.record(.marked(number: 0))
        #expect(recorder.flush())
        fixture.disk.failWrites(ENOSPC)
        recorder.record(.marked(number: 1))
        #expect(!recorder.flush(), "the disk is full")
        for number in 2...6 { recorder.record(.marked(number: number)) }
        #expect(recorder.status.refusedCounts == ["no_space": 5])
        fixture.disk.failWrites(nil)
        #expect(recorder.flush())
        recorder.record(.marked(number: 7))
        recorder.close()
        #expect(try fixture.evaluations().count == 8, "no fact is lost")
        #expect(
            try fixture.contents().map(\.id.text)
                == [0, 1, 7].map { ObservedEvaluation.uuid($0) })
        let gaps = try fixture.gaps()
        #expect(gaps.map(\.refused) == [5])
        #expect(gaps.map(\.stream) == [.content])
        #expect(gaps.map(\.cause) == [.noSpace])
        #expect(gaps.map(\.since) == [SettableClock.start])
        #expect(recorder.status.recordedCount == 8)
    }

    @Test(
        "once the buffer is full facts are refused too, and both gaps are told when there is room")
    func fullBuffer() throws {
        let recorder = fixture.recorder()
        recorder.record(.marked(number: 0))
        #expect(recorder.flush())
        fixture.disk.failWrites(ENOSPC)
        recorder.record(.marked(number: 1))
        #expect(!recorder.flush())
        let count = 12_000
        for number in 2..<count { recorder.record(.marked(number: number)) }
        let status = recorder.status
        fixture.disk.failWrites(nil)
        #expect(recorder.flush())
        #expect(recorder.close())
        let lost = count - status.recordedCount
        #expect(lost > 0)
        #expect(try fixture.evaluations().count == count - lost)
        let gaps = try fixture.gaps()
        #expect(gaps.map(\.stream) == [.facts, .content])
        #expect(gaps.map(\.refused) == [Int64(lost), Int64(status.recordedCount - 2)])
        #expect(status.refusedCounts == ["no_space": count - 2])
    }

    @Test(
        "what is left when it closes counts as refused, and facts tell of content",
        arguments: [false, true])
    func closedWithoutContent(hasThread: Bool) throws {
        let recorder = fixture.recorder(hasThread: hasThread)
        fixture.disk.failMaking("content")
        for number in 0..<3 { recorder.record(.marked(number: number)) }
        #expect(!recorder.close())
        #expect(recorder.status.recordedCount == 3)
        #expect(recorder.status.contentCount == 0)
        #expect(recorder.status.refusedCounts == ["io_error": 3])
        #expect(try fixture.evaluations().count == 3)
        let gaps = try fixture.gaps()
        #expect(gaps.map(\.stream) == [.content])
        #expect(gaps.map(\.refused) == [3])
        #expect(gaps.map(\.cause) == [.ioError])
    }

    @Test("what is left when it closes on a full disk counts as refused", arguments: [false, true])
    func closedOnFullDisk(hasThread: Bool) throws {
        let recorder = fixture.recorder(hasThread: hasThread)
        recorder.record(.marked(number: 0))
        #expect(recorder.flush())
        fixture.disk.failWrites(ENOSPC)
        for number in 1...4 { recorder.record(.marked(number: number)) }
        #expect(!recorder.close())
        #expect(recorder.status.recordedCount == 1)
        #expect(recorder.status.contentCount == 1)
        #expect(recorder.status.refusedCounts == ["no_space": 8])
        fixture.disk.failWrites(nil)
        #expect(try fixture.evaluations().count == 1)
        #expect(try fixture.contents().count == 1)
    }

    @Test("a log that cannot be opened is tried again later, and what came meanwhile is a gap")
    func unopened() throws {
        fixture.disk.failWrites(EACCES)
        let recorder = fixture.recorder(.off)
        for number in 0..<3 { recorder.record(.marked(number: number)) }
        #expect(recorder.status.refusedCounts == ["io_error": 3])
        fixture.disk.failWrites(nil)
        recorder.record(.marked(number: 3))
        #expect(recorder.status.refusedCounts == ["io_error": 4], "not before its time")
        fixture.clock.advance(by: 1_000_000)
        recorder.record(.marked(number: 4))
        recorder.close()
        #expect(try fixture.evaluations().map(\.id.text) == [ObservedEvaluation.uuid(4)])
        #expect(try fixture.gaps().map(\.refused) == [4])
        #expect(try fixture.gaps().map(\.since) == [SettableClock.start])
    }

    @Test("without its key the fact is recorded, without the text that needed a digest")
    func noKey() throws {
        let recorder = fixture.recorder(.off)
        fixture.disk.failReads(EACCES)
        var observation = ObservedEvaluation.marked(number: 1)
        observation.subject = "two words"
        observation.session = "no UUID"
        recorder.record(observation)
        fixture.disk.failReads(nil)
        recorder.record(observation)
        fixture.clock.advance(by: 1_000_000)
        recorder.record(observation)
        recorder.close()
        let facts = try fixture.evaluations()
        #expect(facts.map { $0.subject == nil } == [true, true, false])
        #expect(facts.map { $0.session == nil } == [true, true, false])
        #expect(facts[2].subject?.hasPrefix("~") == true)
        #expect(recorder.status.replacedCount == 6)
    }

    @Test("where every text has its shape there is no key, and no folder for content")
    func noNeedOfKey() {
        let recorder = fixture.recorder(.failures(days: 7))
        recorder.record(.marked())
        recorder.record(
            FeatureReport(
                .suppressed(
                    evaluation: ObservedEvaluation.uuid(0), message: "m", missBehavior: "skip")))
        recorder.close()
        #expect(!FileManager.default.fileExists(atPath: "\(fixture.directory.path)/content"))
    }

    @Test("a log deleted under a recorder is made again, and what went with it is counted")
    func deleted() throws {
        let recorder = fixture.recorder(.off)
        for number in 0..<3 { recorder.record(.marked(number: number)) }
        #expect(recorder.flush())
        try FileManager.default.removeItem(atPath: fixture.directory.path)
        recorder.record(.marked(number: 3))
        #expect(recorder.flush())
        recorder.record(.marked(number: 4))
        #expect(recorder.close())
        #expect(
            try fixture.evaluations().map(\.id.text)
                == [3, 4].map { ObservedEvaluation.uuid($0) })
        #expect(try fixture.gaps().map(\.refused) == [3])
        #expect(try fixture.gaps().map(\.cause) == [.ioError])
    }

    @Test("a forked child writes its own segments, and the parent's lines stay the parent's")
    func forked() throws {
        let process = Mutable<Int32>(1)
        let recorder = fixture.recorder(.off, process: { process.withValue { $0 } })
        recorder.record(.marked(number: 1))
        #expect(recorder.flush())
        process.withValue { $0 = 2 }
        recorder.record(.marked(number: 2))
        recorder.close()
        #expect(try fixture.evaluations().count == 2)
        let writers = try fixture.directory.list(.facts).segments.map(\.name.writer)
        #expect(Set(writers).count == 2)
    }

    @Test("a line that is too long is refused by itself: the fact of the same evaluation stays")
    func tooLong() throws {
        let recorder = fixture.recorder()
        var observation = ObservedEvaluation.marked(number: 1)
        observation.request.instructions = String(repeating: "x", count: 17 << 20)
        recorder.record(observation)
        recorder.record(.marked(number: 2))
        recorder.close()
        #expect(try fixture.evaluations().count == 2)
        #expect(try fixture.contents().map(\.id.text) == [ObservedEvaluation.uuid(2)])
        #expect(try fixture.gaps().map(\.cause) == [.tooLong])
        #expect(try fixture.gaps().map(\.refused) == [1])
    }
}
