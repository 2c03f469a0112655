// Beginning, background, end, and many threads at once.

import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogRecording
import EvalogText
import Foundation
import TestSupport
import Testing

@Suite("a recorder's life", .timeLimit(.minutes(10))) struct RecorderLifeTests {
    private let fixture = RecorderFixture()

    /// How each segment of the facts ends.
    private func states() throws -> [LogCatalog.State] {
        try LogCatalog.scan(fixture.directory, .facts).segments.map(\.state)
    }

    @Test("making a recorder, and ending one that was never used, touches nothing")
    func unused() {
        let recorder = fixture.recorder()
        #expect(recorder.flush() && recorder.suspend() && recorder.close() && recorder.close())
        #expect(!FileManager.default.fileExists(atPath: fixture.directory.path))
    }

    @Test(
        "after a suspension every segment is sealed and unlocked, and a line after its end opens one"
    )
    func suspension() throws {
        let recorder = fixture.recorder(hasThread: true)
        recorder.record(.marked(number: 1))
        #expect(recorder.flush())
        #expect(try states() == [.live])
        #expect(recorder.suspend())
        #expect(try states() == [.closed])
        #expect(recorder.suspend(), "a second one has nothing to do")
        recorder.resume()
        #expect(try states() == [.closed], "nothing is opened before it is needed")
        recorder.record(.marked(number: 2))
        #expect(recorder.flush())
        #expect(try states().sorted { $0.rawValue < $1.rawValue } == [.closed, .live])
        #expect(recorder.close())
        #expect(try fixture.evaluations().count == 2)
        #expect(recorder.status.recordedCount == 2)
    }

    @Test("what comes in a suspension opens nothing, and is in the log once that has ended")
    func heldLines() throws {
        let recorder = fixture.recorder(hasThread: true)
        recorder.record(.marked(number: 1))
        #expect(recorder.suspend())
        for number in 2...4 { recorder.record(.marked(number: number)) }
        #expect(!recorder.flush(), "it is not in the files")
        #expect(try states() == [.closed])
        #expect(recorder.status.recordedCount == 1)
        recorder.resume()
        #expect(recorder.flush())
        #expect(recorder.close())
        // Segments of one moment are in no order.
        let ids = (1...4).map { ObservedEvaluation.uuid($0) }
        #expect(try fixture.evaluations().map(\.id.text).sorted() == ids)
        #expect(try fixture.contents().map(\.id.text).sorted() == ids)
        #expect(recorder.status.recordedCount == 4)
        #expect(recorder.status.contentCount == 4)
    }

    @Test("a second suspension writes what came since the first, and leaves nothing open")
    func secondSuspension() throws {
        let recorder = fixture.recorder(hasThread: true)
        for number in 1...3 {
            recorder.record(.marked(number: number))
            #expect(recorder.suspend())
            #expect(try states() == Array(repeating: .closed, count: number))
            #expect(try fixture.evaluations().count == number)
        }
    }

    @Test("closing in a suspension writes what has waited; what cannot be written is counted")
    func closedInSuspension() throws {
        for isFull in [false, true] {
            let fixture = RecorderFixture()
            let recorder = fixture.recorder(.off)
            recorder.suspend()
            for number in 1...3 { recorder.record(.marked(number: number)) }
            if isFull { fixture.disk.failWrites(13) }
            #expect(recorder.close() == !isFull)
            #expect(recorder.status.recordedCount == (isFull ? 0 : 3))
            #expect(recorder.status.refusedCounts == (isFull ? ["io_error": 3] : [:]))
            if !isFull { #expect(try fixture.evaluations().count == 3) }
        }
    }

    @Test("in a suspension memory is bounded, and what had no room is told afterwards, exactly")
    func heldTooMuch() throws {
        let recorder = fixture.recorder()
        recorder.suspend()
        let count = 12_000
        for number in 0..<count { recorder.record(.marked(number: number)) }
        let refused = recorder.status.refusedCounts
        recorder.resume()
        #expect(recorder.close())
        let status = recorder.status
        #expect(status.recordedCount < count && status.recordedCount > 1_000)
        #expect(try fixture.evaluations().count == status.recordedCount)
        #expect(status.refusedCounts == refused, "whatever was held fits into the log's memory")
        // For content of a fact that was refused nobody asks.
        let contents = status.recordedCount - status.contentCount
        #expect(refused == ["buffer_full": count - status.recordedCount + contents])
        let gaps = try fixture.gaps()
        #expect(gaps.first?.stream == .facts)
        #expect(gaps.reduce(0) { $0 + $1.refused } == Int64(refused["buffer_full"] ?? 0))
        #expect(gaps.allSatisfy { $0.cause == .bufferFull })
    }

    @Test("a suspension that the disk refuses loses nothing, also of what comes after it")
    func refusedSuspension() throws {
        let recorder = fixture.recorder(.off)
        recorder.record(.marked(number: 1))
        fixture.disk.failWrites(28)
        #expect(!recorder.suspend())
        recorder.record(.marked(number: 2))
        #expect(!recorder.suspend())
        fixture.disk.failWrites(nil)
        recorder.record(.marked(number: 3))
        #expect(recorder.suspend())
        #expect(try states() == [.closed])
        #expect(try fixture.evaluations().count == 3)
    }

    @Test("a line that comes while a suspension writes waits for the next, or for its end")
    func overlapping() throws {
        let recorder = fixture.recorder(.off)
        recorder.record(.marked(number: 1))
        let isFirst = Mutable(true)
        fixture.disk.beforeWrites {
            let mayRecord = isFirst.withValue { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if mayRecord { recorder.record(.marked(number: 2)) }
        }
        #expect(recorder.suspend())
        #expect(try fixture.evaluations().count == 1)
        #expect(recorder.suspend())
        #expect(try fixture.evaluations().count == 2)
        #expect(try states() == [.closed, .closed])
    }

    @Test("a suspension that overtakes a flush is no fault of the disk")
    func overtakenFlush() throws {
        // The flush asks for its process before it looks at anything.
        let overtaking = Mutable<(@Sendable () -> Void)?>(nil)
        let recorder = fixture.recorder(
            .off,
            process: {
                let call = overtaking.withValue { call in
                    defer { call = nil }
                    return call
                }
                call?()
                return 1
            })
        recorder.record(.marked(number: 1))
        overtaking.withValue { $0 = { recorder.suspend() } }
        #expect(recorder.flush())
        #expect(try states() == [.closed])
        #expect(try fixture.evaluations().count == 1)
    }

    @Test("an event after a suspension still knows the evaluation from before it")
    func memory() {
        let recorder = fixture.recorder(.off)
        recorder.record(.marked(number: 1))
        recorder.suspend()
        recorder.record(
            FeatureReport(
                .suppressed(
                    evaluation: ObservedEvaluation.uuid(1), message: "m", missBehavior: "skip")))
        #expect(recorder.status.orphanCount == 0)
    }

    @Test("closing under load: each line is in the log or counted as refused, and none is both")
    func closeDuringLoad() async throws {
        let recorder = fixture.recorder(.all(days: 1), hasThread: true)
        let (tasks, each) = (4, 500)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for number in 0..<each {
                        recorder.record(.marked(number: task * each + number))
                        if task == 0, number == each / 2 { recorder.close() }
                    }
                }
            }
        }
        let status = recorder.status
        #expect(status.recordedCount + (status.refusedCounts["closed"] ?? 0) == tasks * each)
        #expect(try fixture.evaluations().count == status.recordedCount)
        #expect(try fixture.contents().count == status.contentCount)
        #expect(try states() == [.closed])
    }

    @Test("suspending under load loses nothing and repeats nothing")
    func suspendDuringLoad() async throws {
        let recorder = fixture.recorder(.off, hasThread: true)
        let (tasks, each) = (4, 300)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for number in 0..<each {
                        recorder.record(.marked(number: task * each + number))
                        if number % 100 == 50 { recorder.suspend() }
                        if number % 100 == 70 { recorder.resume() }
                    }
                }
            }
        }
        recorder.close()
        #expect(Set(try fixture.evaluations().map(\.id)).count == tasks * each)
        #expect(try fixture.facts().count == tasks * each)
    }

    @Test("two recorders on one log lose nothing of each other")
    func two() async throws {
        let recorders = [
            fixture.recorder(hasThread: true), fixture.recorder(.off, hasThread: true),
        ]
        await withTaskGroup(of: Void.self) { group in
            for (index, recorder) in recorders.enumerated() {
                group.addTask {
                    for number in 0..<500 {
                        recorder.record(.marked(number: index * 500 + number))
                    }
                    recorder.close()
                }
            }
        }
        #expect(Set(try fixture.evaluations().map(\.id)).count == 1_000)
        #expect(try fixture.contents().count == 500)
        #expect(try verifyLog(fixture.directory, .facts).damages.isEmpty)
    }

    @Test("a source is detached once at the end, also when that came before")
    func detached() {
        let recorder = fixture.recorder()
        let calls = Mutable(0)
        let source = ObservationSource(
            of: Teller(), deliver: { true }, detach: { _ in calls.withValue { $0 += 1 } })
        recorder.follow(source)
        #expect(calls.withValue { $0 } == 0)
        recorder.close()
        recorder.close()
        #expect(calls.withValue { $0 } == 1)
        recorder.follow(source)
        #expect(calls.withValue { $0 } == 2)
    }

    private final class Teller: Sendable {}

    /// Tells of one evaluation each time that it is asked to.
    private static func source(
        of teller: Teller = Teller(), for recorder: EvaluationRecorder, isInTime: Bool = true
    ) -> ObservationSource {
        ObservationSource(
            of: teller,
            deliver: { [weak recorder] in
                recorder?.record(.marked())
                return isInTime
            }, detach: { _ in })
    }

    @Test("of one teller one source counts, and of those that are gone each, wherever they were")
    func tellers() throws {
        let recorder = fixture.recorder()
        let teller = Teller()
        for _ in 0..<3 { recorder.follow(Self.source(of: teller, for: recorder)) }
        // Each goes at once, and the next may well be where it was.
        for _ in 0..<100 { recorder.follow(Self.source(for: recorder)) }
        #expect(recorder.flush())
        #expect(try fixture.evaluations().count == 101)
        withExtendedLifetime(teller) {}
    }

    @Test("a flush, a suspension, another one in it and the end take in what is still to be told")
    func takesIn() throws {
        let recorder = fixture.recorder()
        recorder.follow(Self.source(for: recorder))
        #expect(recorder.flush())
        #expect(try fixture.evaluations().count == 1)
        #expect(recorder.suspend())
        #expect(try fixture.evaluations().count == 2)
        #expect(recorder.suspend())
        #expect(try fixture.evaluations().count == 3)
        recorder.resume()
        #expect(recorder.close())
        #expect(try fixture.evaluations().count == 4)
        #expect(recorder.status.refusedCounts.isEmpty)
    }

    @Test("where a source takes too long, what there is is written and the answer is false")
    func lateSource() throws {
        let recorder = fixture.recorder()
        recorder.follow(Self.source(for: recorder, isInTime: false))
        #expect(!recorder.flush())
        #expect(try fixture.evaluations().count == 1)
        #expect(!recorder.suspend())
        recorder.resume()
        #expect(!recorder.close())
        #expect(try fixture.evaluations().count == 3)
    }
}

@Suite("DeviceDescription") struct DeviceDescriptionTests {
    @Test(
        "the system's words give a system, up to four numbers and a model",
        arguments: [
            ("Linux", "6.1.0-13-amd64", "x86_64", "Linux 6.1.0"),
            ("iOS", "26.1.0", "iPhone17,1", "iOS 26.1.0"),
            ("iOS", "26.1", "iPad16,3", "iPadOS 26.1"),
            ("Linux", "1.2.3.4.5", "aarch64", "Linux 1.2.3.4"),
            ("Linux", "rolling", "x86_64", "Linux"),
        ])
    func parsing(system: String, version: String, machine: String, os: String) {
        let device = DeviceDescription(system: system, version: version, machine: machine, app: nil)
        #expect(device.os == os)
        #expect(device.device == machine)
        #expect(Shape.os.fits(os) && Shape.device.fits(machine))
    }

    @Test("this machine has a system and a model that facts can name")
    func current() throws {
        #expect(Shape.os.fits(try #require(DeviceDescription.current.os)))
        #expect(Shape.device.fits(try #require(DeviceDescription.current.device)))
    }
}
