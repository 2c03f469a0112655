import AirshipCore
import Foundation
import Testing

@Suite("system time", .timeLimit(.minutes(1))) struct SystemTimeTests {
    private let time = SystemTime()

    @Test("alarms ring in order of their time, not of their setting, and no sooner")
    func order() async {
        let rung = Shared<[Int]>([])
        let last = Rendezvous<Void>()
        let start = time.elapsed
        let delays: [(Int, Duration)] = [
            (3, .milliseconds(40)), (1, .milliseconds(5)), (2, .milliseconds(20)),
        ]
        var alarms: [any Alarm] = []
        for (number, delay) in delays {
            alarms.append(
                time.schedule(after: delay) {
                    rung.change { $0.append(number) }
                    if number == 3 { last.settle(()) }
                })
        }
        await last.value
        #expect(rung.value == [1, 2, 3])
        #expect(time.elapsed - start >= .milliseconds(40))
        for alarm in alarms { alarm.cancel() }
    }

    @Test("a cancelled alarm does not ring, lets go of its call, and leaves the others alone")
    func cancelled() async {
        final class Token: Sendable {}
        let rung = Shared(0)
        weak var held: Token?
        do {
            let token = Token()
            held = token
            for _ in 1...500 {
                time.schedule(after: .milliseconds(10)) {
                    _ = token
                    rung.change { $0 += 1 }
                }.cancel()
            }
        }
        #expect(held == nil)
        await time.sleep(for: .milliseconds(20))
        #expect(rung.value == 0)
    }

    @Test("a delay of zero, or less, or of ages, is no trap", arguments: [0, -5, Int64.max / 2])
    func extremes(seconds: Int64) async {
        let rung = Rendezvous<Void>()
        let alarm = time.schedule(after: .seconds(seconds)) { rung.settle(()) }
        if seconds <= 0 { await rung.value }
        alarm.cancel()
    }

    @Test("a sleep ends early when its task is cancelled")
    func sleep() async {
        let time = time
        let sleeping = Task { await time.sleep(for: .seconds(86_400)) }
        sleeping.cancel()
        await sleeping.value
    }
}
