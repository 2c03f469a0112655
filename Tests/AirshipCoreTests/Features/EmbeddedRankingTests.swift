import AirshipCore
import Foundation
import Testing

@Suite("embedded display, ranked by a model") struct EmbeddedRankingTests {
    @Test("two pending: the placeholder first, then the ranking's best, and one question")
    func ranking() {
        var stage = EmbeddedStage(.ai(prompt: "p"))
        stage.become(.init("a"), .init("b"))
        #expect(stage.shown == "-")
        stage.rank("b", "a")
        #expect(stage.shown == "b")
        #expect(stage.display.order == ["b", "a"])
        #expect(stage.asks == [["a", "b"]])
    }

    @Test("one pending is shown and never ranked")
    func single() {
        var stage = EmbeddedStage(.ai(prompt: "p"))
        stage.become(.init("a"))
        #expect(stage.shown == "a")
        #expect(stage.asks.isEmpty)
    }

    @Test("nothing that describes itself is never ranked: the fallback shows")
    func undescribable() {
        var stage = EmbeddedStage(.ai(prompt: "p", fallback: .comparator(worstFirst)))
        stage.become(
            .init("a", priority: 1, description: nil), .init("b", priority: 2, description: nil))
        #expect(stage.shown == "b")
        #expect(stage.asks.isEmpty)
    }

    @Test("an unavailable model: the fallback at once, no placeholder; asked only for its record")
    func unavailable() {
        var stage = EmbeddedStage(.ai(prompt: "p"))
        stage.isModelAvailable = false
        stage.become(.init("a", priority: 2), .init("b", priority: 1))
        #expect(stage.shown == "b")
        stage.noOpinion()
        #expect(stage.shown == "b")
        #expect(stage.asks.count == 1)
    }

    @Test("no opinion shows the fallback, and a fallback that has nothing the placeholder")
    func noOpinion() {
        for (fallback, expected) in [
            (AirshipEmbeddedSelection.Fallback.priority, "b"), (.comparator(worstFirst), "a"),
            (.instance("a"), "a"), (.instance("ghost"), "-"),
        ] {
            var stage = EmbeddedStage(.ai(prompt: "p", fallback: fallback))
            stage.become(.init("a", priority: 2), .init("b", priority: 1))
            stage.noOpinion()
            #expect(stage.shown == expected)
        }
    }

    @Test("removal alone does not ask again; the order shrinks and its next is displayed")
    func removal() {
        var stage = EmbeddedStage(.ai(prompt: "p"))
        stage.become(.init("a"), .init("b"), .init("c"))
        stage.rank("b", "c", "a")
        stage.dismiss("a")
        #expect((stage.shown, stage.display.order) == ("b", ["b", "c"]))
        stage.become(.init("b"), .init("c"))
        stage.dismiss("b")
        #expect(stage.shown == "c")
        #expect(stage.asks.count == 1)
    }

    @Test("the order also stands when the only one that describes itself has left")
    func undescribedSurvivors() {
        var stage = EmbeddedStage(.ai(prompt: "p"))
        stage.become(
            .init("a", priority: 1, description: nil), .init("b"),
            .init("c", priority: 2, description: nil))
        stage.rank("b", "c", "a")
        stage.dismiss("b")
        #expect(stage.shown == "c")
        #expect(stage.asks.count == 1)
    }

    @Test("DECISION: removal during a ranking lets it end, over the survivors; one question")
    func removalDuringRanking() {
        var stage = EmbeddedStage(.ai(prompt: "p"))
        stage.become(.init("a"), .init("b"), .init("c"))
        stage.dismiss("c")
        #expect(stage.shown == "-")
        stage.rank("c", "b", "a")
        #expect((stage.shown, stage.display.order) == ("b", ["b", "a"]))
        #expect((stage.asks.count, stage.cancels) == (1, 0))
    }

    @Test("a set that shrinks below two during a ranking shows the fallback and stops it")
    func shrinks() {
        var stage = EmbeddedStage(.ai(prompt: "p"))
        stage.become(.init("a"), .init("b"))
        stage.dismiss("a")
        #expect(stage.shown == "b")
        #expect(stage.cancels == 1)
        stage.rank("a", "b")
        #expect(stage.shown == "b")
        stage.become(.init("b"), .init("c"))
        #expect(stage.asks == [["a", "b"], ["b", "c"]])
        #expect(stage.shown == "b", "what is on screen stays while it is asked again")
    }

    @Test("a newcomer asks again, cancels the older question, and its late answer is ignored")
    func newcomer() {
        var stage = EmbeddedStage(.ai(prompt: "p"))
        stage.become(.init("a"), .init("b"))
        stage.become(.init("a"), .init("b"), .init("c"))
        #expect(stage.asks == [["a", "b"], ["a", "b", "c"]])
        #expect(stage.cancels == 1)
        stage.rank("a", "b", asked: 0)
        #expect(stage.shown == "-")
        stage.rank("c", "b", "a")
        #expect(stage.shown == "c")
    }

    @Test("DECISION: without interruptions a re-rank puts newcomers behind all that was in order")
    func uninterrupted() {
        var stage = EmbeddedStage(.ai(prompt: "p"))
        stage.become(.init("a"), .init("b"))
        stage.rank("b", "a")
        stage.become(.init("a"), .init("b"), .init("c"), .init("d"))
        #expect(stage.shown == "b")
        stage.rank("d", "c", "a", "b")
        #expect((stage.shown, stage.display.order) == ("b", ["b", "a", "d", "c"]))
        stage.dismiss("b")
        #expect(stage.shown == "a")
        stage.dismiss("a")
        #expect(stage.shown == "d")
        #expect(stage.asks.count == 2)
    }

    @Test("with interruptions a better newcomer is displayed once it is ranked, not before")
    func interrupted() {
        var stage = EmbeddedStage(.ai(prompt: "p", allowDisplayInterruptions: true))
        stage.become(.init("a"), .init("b"))
        stage.rank("b", "a")
        stage.become(.init("a"), .init("b"), .init("c"))
        #expect(stage.shown == "b")
        stage.rank("c", "b", "a")
        #expect(stage.shown == "c")
    }

    @Test("without interruptions a failed re-rank leaves the screen and the order behind it")
    func failedAgain() {
        var stage = EmbeddedStage(.ai(prompt: "p", fallback: .instance("a")))
        stage.become(.init("a"), .init("b"), .init("c"))
        stage.rank("b", "c", "a")
        stage.become(.init("a"), .init("b"), .init("c"), .init("d"))
        stage.noOpinion()
        #expect((stage.shown, stage.display.order) == ("b", ["b", "c", "a"]))
        stage.dismiss("b")
        #expect(stage.shown == "c")
        stage.dismiss("c")
        #expect(stage.shown == "a")
        stage.become(.init("d"), .init("e"))
        stage.noOpinion()
        #expect(stage.shown == "-", "the fallback, where nothing in order is left")
    }

    @Test("with interruptions a failed re-rank leaves the choice to the fallback")
    func failedAgainInterruptible() {
        var stage = EmbeddedStage(
            .ai(prompt: "p", allowDisplayInterruptions: true, fallback: .instance("a")))
        stage.become(.init("a"), .init("b"))
        stage.rank("b", "a")
        stage.become(.init("a"), .init("b"), .init("c"))
        #expect(stage.shown == "b")
        stage.noOpinion()
        #expect((stage.shown, stage.display.order) == ("a", []))
    }

    @Test("an instance that left and came back is new")
    func cameBack() {
        var stage = EmbeddedStage(.ai(prompt: "p"))
        stage.become(.init("a"), .init("b"), .init("c"))
        stage.rank("a", "b", "c")
        stage.dismiss("c")
        stage.become(.init("a"), .init("b"), .init("c"))
        #expect(stage.asks.count == 2)
    }

    @Test("another configuration asks again from the placeholder; another fallback does not")
    func configuration() {
        var stage = EmbeddedStage(.ai(prompt: "p"))
        stage.become(.init("a"), .init("b"))
        stage.rank("b", "a")
        stage.select(.ai(prompt: "p", fallback: .instance("a")))
        #expect((stage.shown, stage.asks.count) == ("b", 1))
        let changed: [AirshipEmbeddedSelection] = [
            .ai(prompt: "q"), .ai(prompt: "q", minScoreThreshold: 3),
            .ai(prompt: "q", minScoreThreshold: 3, subjectHints: ["a": "b"]),
            .ai(prompt: "q", strategy: .priorityThenScore),
        ]
        for (index, selection) in changed.enumerated() {
            stage.select(selection)
            #expect((stage.shown, stage.asks.count) == ("-", index + 2))
            stage.rank("b", "a")
        }
        stage.select(.priority)
        #expect(stage.shown == "b")
    }

    @Test("the threshold is for what is there when the ranking ends", arguments: [true, false])
    func thresholdOfSurvivors(isInterruptible: Bool) {
        var stage = EmbeddedStage(
            .ai(prompt: "p", minScoreThreshold: 5, allowDisplayInterruptions: isInterruptible))
        stage.become(.init("good"), .init("bad", priority: 3), .init("worse", priority: 1))
        stage.pending.removeAll { $0.instanceID == "good" }
        stage.end(["good": 9, "bad": 4, "worse": 2])
        #expect(stage.shown == "worse", "the fallback, by priority")

        stage = EmbeddedStage(.ai(prompt: "p", minScoreThreshold: 5))
        stage.become(.init("good"), .init("bad"), .init("fair"))
        stage.dismiss("good")
        stage.end(["good": 9, "bad": 4, "fair": 5])
        #expect(stage.shown == "fair")
        stage.dismiss("fair")
        #expect(stage.shown == "bad", "what was put into order is displayed in that order")
    }

    @Test("a ranking that went on when the view went off screen is asked anew when it is back")
    func disappeared() {
        var stage = EmbeddedStage(.ai(prompt: "p"))
        stage.become(.init("a"), .init("b"))
        stage.disappear()
        #expect((stage.cancels, stage.shown) == (1, "-"))
        stage.noOpinion()
        #expect(stage.shown == "-", "nobody sees it")
        stage.become(.init("a"), .init("b"))
        #expect(stage.asks.count == 2)
        stage.rank("b", "a")
        #expect(stage.shown == "b")
        stage.disappear()
        stage.become(.init("a"), .init("b"))
        #expect((stage.asks.count, stage.shown) == (2, "b"), "that one had ended")
    }

    @Test("a display made anew asks again")
    func madeAnew() {
        for _ in 1...2 {
            var stage = EmbeddedStage(.ai(prompt: "p"))
            stage.become(.init("a"), .init("b"))
            #expect(stage.asks.count == 1)
        }
    }
}
