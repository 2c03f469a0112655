import AirshipCore
import Foundation
import TestSupport
import Testing

@Suite("embedded display") struct EmbeddedDisplayTests {
    @Test("priority shows the best, keeps it against a better newcomer, then shows the next best")
    func priority() {
        var stage = EmbeddedStage(.priority)
        stage.become(.init("c", priority: 3), .init("a", priority: 1), .init("b", priority: 2))
        #expect(stage.shown == "a")
        stage.become(.init("a", priority: 1), .init("b", priority: 2), .init("z", priority: 0))
        #expect(stage.shown == "a")
        stage.dismiss("a")
        #expect(stage.shown == "z")
        stage.dismiss("z")
        stage.dismiss("b")
        #expect(stage.shown == "-")
    }

    @Test("of equal priorities the earliest arrival is shown")
    func tie() {
        var stage = EmbeddedStage(.priority)
        stage.become(.init("b", priority: 1), .init("a", priority: 1))
        #expect(stage.shown == "b")
    }

    @Test("a recreated view keeps what was displayed")
    func recreated() {
        var stage = EmbeddedStage(.priority)
        stage.lastDisplayed = "b"
        stage.become(.init("a", priority: 1), .init("b", priority: 2))
        #expect(stage.shown == "b")
    }

    @Test(
        "a comparator's first is shown, also against what is on screen; the same keep their order")
    func comparator() {
        var stage = EmbeddedStage(.comparator(worstFirst))
        stage.become(.init("a", priority: 1), .init("b", priority: 1))
        #expect(stage.shown == "a")
        stage.become(.init("a", priority: 1), .init("b", priority: 1), .init("c", priority: 2))
        #expect(stage.shown == "c")
        stage.select(.comparator { _, _ in .orderedSame })
        #expect(stage.shown == "a")
    }

    @Test("DECISION: what any strategy displayed counts as displayed for priority")
    func anyStrategy() {
        var stage = EmbeddedStage(.comparator(worstFirst))
        stage.become(.init("best", priority: 1), .init("worst", priority: 9))
        #expect(stage.shown == "worst")
        stage.select(.priority)
        #expect(stage.shown == "worst")
        stage.dismiss("worst")
        #expect(stage.shown == "best")
    }

    @Test("a pinned instance is shown when it is pending, and nothing in its place")
    func instance() {
        var stage = EmbeddedStage(.instance("b"))
        stage.become(.init("a"))
        #expect(stage.shown == "-")
        stage.become(.init("a"), .init("b"))
        #expect(stage.shown == "b")
        stage.dismiss("b")
        #expect(stage.shown == "-")
    }

    @Test(
        "whatever happens, the display shows something pending, and no placeholder stays for good",
        arguments: 1...200)
    func neverStuck(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var stage = EmbeddedStage(
            .ai(prompt: "p", allowDisplayInterruptions: random.next() % 2 == 0))
        for number in 0..<40 {
            if random.next() % 8 == 0 { stage.consent.become(!stage.consent.isGiven) }
            stage.isModelAvailable = stage.consent.isGiven && random.next() % 4 != 0
            var pending = stage.pending
            switch random.next() % 4 {
            case 0 where !pending.isEmpty:
                pending.remove(at: Int(random.next() % UInt64(pending.count)))
            case 1 where !stage.tokens.isEmpty:
                let scores = Dictionary(
                    uniqueKeysWithValues: pending.map {
                        ($0.instanceID, Int(random.next() % 10) + 1)
                    })
                stage.end(
                    random.next() % 3 == 0 ? nil : scores,
                    asked: Int(random.next() % UInt64(stage.tokens.count)))
            default: pending.append(.init("i\(number)", priority: Int(random.next() % 5)))
            }
            stage.become(pending)
            if let displayed = stage.display.displayed {
                #expect(pending.contains { $0.instanceID == displayed })
            }
        }
        // The second is what may be asked when the first was from before a switch.
        for _ in 1...2 where !stage.tokens.isEmpty { stage.noOpinion() }
        #expect((stage.display.displayed == nil) == stage.pending.isEmpty)
    }
}
