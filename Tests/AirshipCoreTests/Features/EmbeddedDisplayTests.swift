import AirshipCore
import Foundation
import TestSupport
import Testing

@Suite("embedded display") struct EmbeddedDisplayTests {
    typealias Selection = AirshipEmbeddedSelection

    /// A display and the process around it.
    struct Stage {
        var display: EmbeddedDisplay
        var pending: [AirshipEmbeddedInfo] = []
        var isModelAvailable = true
        var consent = AirshipAI.Consent(isGiven: true)
        var lastDisplayed: String?
        /// The candidates of every ranking asked for, and the tokens.
        var asks: [[String]] = []
        var tokens: [Int] = []
        var cancels = 0

        init(_ selection: Selection) {
            display = EmbeddedDisplay(embeddedID: "banner", selection: selection)
        }

        var situation: EmbeddedDisplay.Situation {
            .init(
                pending: pending, isModelAvailable: isModelAvailable, consent: consent,
                lastDisplayed: lastDisplayed)
        }

        /// What is on screen, or "-" for the placeholder.
        var shown: String { display.displayed ?? "-" }

        mutating func become(_ infos: AirshipEmbeddedInfo...) {
            pending = infos
            take(display.pendingChanged(situation))
        }

        mutating func dismiss(_ id: String) {
            pending.removeAll { $0.instanceID == id }
            take(display.pendingChanged(situation))
        }

        mutating func select(_ selection: Selection) {
            take(display.selectionChanged(to: selection, in: situation))
        }

        /// Ends the newest ranking, or an older one.
        mutating func rank(_ order: String..., asked index: Int? = nil) {
            let scores = Dictionary(uniqueKeysWithValues: zip(order, (1...10).reversed()))
            end(scores, asked: index)
        }

        mutating func noOpinion() { end(nil) }

        mutating func end(_ scores: [String: Int]?, asked index: Int? = nil) {
            display.ranked(
                token: tokens[index ?? tokens.count - 1], scores: scores, in: situation)
            take([])
        }

        mutating func disappear() { take(display.disappeared()) }

        /// On-device AI is switched off and on again.
        mutating func withdrawConsent() {
            consent.become(false)
            consent.become(true)
        }

        private mutating func take(_ actions: [EmbeddedDisplay.Action]) {
            for action in actions {
                switch action {
                case .cancel: cancels += 1
                case .ask(let token, let evaluation):
                    tokens.append(token)
                    asks.append(evaluation.subject.pending.map(\.instanceID))
                }
            }
            lastDisplayed = display.displayed ?? lastDisplayed
        }
    }

    static let reverse: Selection.Comparator = { left, right in
        if left.priority == right.priority { return .orderedSame }
        return left.priority > right.priority ? .orderedAscending : .orderedDescending
    }

    // MARK: Without a model

    @Test("priority shows the best, keeps it against a better newcomer, then shows the next best")
    func priority() {
        var stage = Stage(.priority)
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
        var stage = Stage(.priority)
        stage.become(.init("b", priority: 1), .init("a", priority: 1))
        #expect(stage.shown == "b")
    }

    @Test("a recreated view keeps what was displayed")
    func recreated() {
        var stage = Stage(.priority)
        stage.lastDisplayed = "b"
        stage.become(.init("a", priority: 1), .init("b", priority: 2))
        #expect(stage.shown == "b")
    }

    @Test(
        "a comparator's first is shown, also against what is on screen; the same keep their order")
    func comparator() {
        var stage = Stage(.comparator(Self.reverse))
        stage.become(.init("a", priority: 1), .init("b", priority: 1))
        #expect(stage.shown == "a")
        stage.become(.init("a", priority: 1), .init("b", priority: 1), .init("c", priority: 2))
        #expect(stage.shown == "c")
        stage.select(.comparator { _, _ in .orderedSame })
        #expect(stage.shown == "a")
    }

    @Test("DECISION: what any strategy displayed counts as displayed for priority")
    func anyStrategy() {
        var stage = Stage(.comparator(Self.reverse))
        stage.become(.init("best", priority: 1), .init("worst", priority: 9))
        #expect(stage.shown == "worst")
        stage.select(.priority)
        #expect(stage.shown == "worst")
        stage.dismiss("worst")
        #expect(stage.shown == "best")
    }

    @Test("a pinned instance is shown when it is pending, and nothing in its place")
    func instance() {
        var stage = Stage(.instance("b"))
        stage.become(.init("a"))
        #expect(stage.shown == "-")
        stage.become(.init("a"), .init("b"))
        #expect(stage.shown == "b")
        stage.dismiss("b")
        #expect(stage.shown == "-")
    }

    // MARK: With a model

    @Test("two pending: the placeholder first, then the ranking's best, and one question")
    func ranking() {
        var stage = Stage(.ai(prompt: "p"))
        stage.become(.init("a"), .init("b"))
        #expect(stage.shown == "-")
        stage.rank("b", "a")
        #expect(stage.shown == "b")
        #expect(stage.display.order == ["b", "a"])
        #expect(stage.asks == [["a", "b"]])
    }

    @Test("one pending is shown and never ranked")
    func single() {
        var stage = Stage(.ai(prompt: "p"))
        stage.become(.init("a"))
        #expect(stage.shown == "a")
        #expect(stage.asks.isEmpty)
    }

    @Test("nothing that describes itself is never ranked: the fallback shows")
    func undescribable() {
        var stage = Stage(.ai(prompt: "p", fallback: .comparator(Self.reverse)))
        stage.become(
            .init("a", priority: 1, description: nil), .init("b", priority: 2, description: nil))
        #expect(stage.shown == "b")
        #expect(stage.asks.isEmpty)
    }

    @Test("an unavailable model: the fallback at once, no placeholder; asked only for its record")
    func unavailable() {
        var stage = Stage(.ai(prompt: "p"))
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
            (Selection.Fallback.priority, "b"), (.comparator(Self.reverse), "a"),
            (.instance("a"), "a"), (.instance("ghost"), "-"),
        ] {
            var stage = Stage(.ai(prompt: "p", fallback: fallback))
            stage.become(.init("a", priority: 2), .init("b", priority: 1))
            stage.noOpinion()
            #expect(stage.shown == expected)
        }
    }

    @Test("removal alone does not ask again; the order shrinks and its next is displayed")
    func removal() {
        var stage = Stage(.ai(prompt: "p"))
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
        var stage = Stage(.ai(prompt: "p"))
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
        var stage = Stage(.ai(prompt: "p"))
        stage.become(.init("a"), .init("b"), .init("c"))
        stage.dismiss("c")
        #expect(stage.shown == "-")
        stage.rank("c", "b", "a")
        #expect((stage.shown, stage.display.order) == ("b", ["b", "a"]))
        #expect((stage.asks.count, stage.cancels) == (1, 0))
    }

    @Test("a set that shrinks below two during a ranking shows the fallback and stops it")
    func shrinks() {
        var stage = Stage(.ai(prompt: "p"))
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
        var stage = Stage(.ai(prompt: "p"))
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
        var stage = Stage(.ai(prompt: "p"))
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
        var stage = Stage(.ai(prompt: "p", allowDisplayInterruptions: true))
        stage.become(.init("a"), .init("b"))
        stage.rank("b", "a")
        stage.become(.init("a"), .init("b"), .init("c"))
        #expect(stage.shown == "b")
        stage.rank("c", "b", "a")
        #expect(stage.shown == "c")
    }

    @Test("without interruptions a failed re-rank leaves the screen and the order behind it")
    func failedAgain() {
        var stage = Stage(.ai(prompt: "p", fallback: .instance("a")))
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
        var stage = Stage(
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
        var stage = Stage(.ai(prompt: "p"))
        stage.become(.init("a"), .init("b"), .init("c"))
        stage.rank("a", "b", "c")
        stage.dismiss("c")
        stage.become(.init("a"), .init("b"), .init("c"))
        #expect(stage.asks.count == 2)
    }

    @Test("another configuration asks again from the placeholder; another fallback does not")
    func configuration() {
        var stage = Stage(.ai(prompt: "p"))
        stage.become(.init("a"), .init("b"))
        stage.rank("b", "a")
        stage.select(.ai(prompt: "p", fallback: .instance("a")))
        #expect((stage.shown, stage.asks.count) == ("b", 1))
        let changed: [Selection] = [
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
        var stage = Stage(
            .ai(prompt: "p", minScoreThreshold: 5, allowDisplayInterruptions: isInterruptible))
        stage.become(.init("good"), .init("bad", priority: 3), .init("worse", priority: 1))
        stage.pending.removeAll { $0.instanceID == "good" }
        stage.end(["good": 9, "bad": 4, "worse": 2])
        #expect(stage.shown == "worse", "the fallback, by priority")

        stage = Stage(.ai(prompt: "p", minScoreThreshold: 5))
        stage.become(.init("good"), .init("bad"), .init("fair"))
        stage.dismiss("good")
        stage.end(["good": 9, "bad": 4, "fair": 5])
        #expect(stage.shown == "fair")
        stage.dismiss("fair")
        #expect(stage.shown == "bad", "what was put into order is displayed in that order")
    }

    @Test("a ranking that went on when the view went off screen is asked anew when it is back")
    func disappeared() {
        var stage = Stage(.ai(prompt: "p"))
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

    @Test("an opinion from before on-device AI was off is none when it is on again")
    func withdrawn() {
        for isRanked in [true, false] {
            var stage = Stage(.ai(prompt: "p"))
            stage.become(.init("a", priority: 2), .init("b", priority: 3), .init("c", priority: 1))
            if isRanked {
                stage.rank("b", "a", "c")
                #expect(stage.shown == "b")
            }
            stage.withdrawConsent()
            if !isRanked { stage.rank("b", "a", "c") }
            #expect(stage.shown == (isRanked ? "b" : "c"), "what is on screen stays")
            stage.dismiss(stage.shown)
            #expect(stage.shown == (isRanked ? "c" : "a"), "the next by priority, not by score")
        }
    }

    @Test("a display made anew asks again")
    func madeAnew() {
        for _ in 1...2 {
            var stage = Stage(.ai(prompt: "p"))
            stage.become(.init("a"), .init("b"))
            #expect(stage.asks.count == 1)
        }
    }

    @Test(
        "whatever happens, the display shows something pending, and no placeholder stays for good",
        arguments: 1...200)
    func neverStuck(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var stage = Stage(
            .ai(prompt: "p", allowDisplayInterruptions: random.next() % 2 == 0))
        var pending: [AirshipEmbeddedInfo] = []
        for number in 0..<40 {
            stage.isModelAvailable = random.next() % 4 != 0
            switch random.next() % 4 {
            case 0 where !pending.isEmpty:
                pending.remove(at: Int(random.next() % UInt64(pending.count)))
            case 1 where !stage.tokens.isEmpty:
                let scores = Dictionary(
                    uniqueKeysWithValues: pending.map {
                        ($0.instanceID, Int(random.next() % 10) + 1)
                    })
                stage.display.ranked(
                    token: stage.tokens[Int(random.next() % UInt64(stage.tokens.count))],
                    scores: random.next() % 3 == 0 ? nil : scores, in: stage.situation)
            default: pending.append(.init("i\(number)", priority: Int(random.next() % 5)))
            }
            stage.pending = pending
            let actions = stage.display.pendingChanged(stage.situation)
            for case .ask(let token, _) in actions { stage.tokens.append(token) }
            if let displayed = stage.display.displayed {
                #expect(pending.contains { $0.instanceID == displayed })
            }
        }
        if let last = stage.tokens.last {
            stage.display.ranked(token: last, scores: nil, in: stage.situation)
        }
        #expect((stage.display.displayed == nil) == pending.isEmpty)
    }
}
