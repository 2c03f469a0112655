import AirshipCore
import Foundation
import TestSupport
import Testing

@Suite("system time", .timeLimit(.minutes(10))) struct SystemTimeTests {
    private let time = SystemTime()

    @Test("alarms ring in order of their time, not of their setting, and no sooner")
    func order() async {
        let rung = Shared<[(number: Int, at: Duration)]>([])
        let all = Rendezvous<Void>()
        let time = time
        // When each is due: after it was set at the earliest, so a pause of the machine between two
        // settings cannot make this wrong.
        var due: [ClosedRange<Duration>] = []
        var alarms: [any Alarm] = []
        for (number, delay) in [40, 5, 20].map(Duration.milliseconds).enumerated() {
            let before = time.elapsed
            alarms.append(
                time.schedule(after: delay) {
                    rung.change { $0.append((number, time.elapsed)) }
                    if rung.value.count == 3 { all.settle(()) }
                })
            due.append(before + delay...time.elapsed + delay)
        }
        await all.value(ifCancelled: ())
        for (index, early) in rung.value.enumerated() {
            #expect(early.at >= due[early.number].lowerBound)
            for late in rung.value.dropFirst(index + 1) {
                #expect(due[early.number].lowerBound <= due[late.number].upperBound)
            }
        }
        for alarm in alarms { alarm.cancel() }
    }

    @Test("a cancelled alarm does not ring")
    func cancelled() async {
        let rung = Shared(0)
        let delay = Duration.milliseconds(20)
        let start = time.elapsed
        time.schedule(after: delay) { rung.change { $0 += 1 } }.cancel()
        let isInTime = time.elapsed - start < delay
        await time.sleep(for: delay * 2)
        if isInTime { #expect(rung.value == 0) }
    }

    @Test("a cancelled alarm lets go of its call at once")
    func released() {
        final class Token: Sendable {}
        weak var held: Token?
        do {
            let token = Token()
            held = token
            for _ in 1...500 { time.schedule(after: .seconds(3_600)) { _ = token }.cancel() }
        }
        #expect(held == nil)
    }

    @Test("a delay of zero, or less, or of ages, is no trap", arguments: [0, -5, Int64.max / 2])
    func extremes(seconds: Int64) async {
        let rung = Rendezvous<Void>()
        let alarm = time.schedule(after: .seconds(seconds)) { rung.settle(()) }
        if seconds <= 0 { await rung.value(ifCancelled: ()) }
        alarm.cancel()
    }

    @Test("a sleep ends early when its task is cancelled")
    func sleep() async {
        let time = time
        let sleeping = Task { await time.sleep(for: .seconds(86_400)) }
        sleeping.cancel()
        _ = await sleeping.inTime
    }
}
