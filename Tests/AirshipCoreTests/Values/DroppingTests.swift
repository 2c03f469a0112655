import AirshipCore
import TestSupport
import Testing

@Suite("dropping context until a request fits") struct DroppingTests {
    typealias Item = AirshipAI.Context.Item

    private static func items(_ count: Int, seed: UInt64) -> [Item] {
        var generator = SeededGenerator(seed: seed)
        let priorities: [Double] = [0, 0, 1, -1, 2.5, .nan, .infinity, -.infinity]
        return (0..<count).map { number in
            let words = String(repeating: "w", count: .random(in: 0...9, using: &generator))
            return Item(
                content: words.isEmpty ? "" : "\(number) \(words)",
                priority: priorities.randomElement(using: &generator) ?? 0)
        }
    }

    @Test(
        "what is left, and whether it fits, is what dropping one item after the other gives",
        arguments: FuzzSeeds.first(40))
    func same(seed: UInt64) async {
        var generator = SeededGenerator(seed: seed)
        let whole = ContextTests.request(
            Self.items(.random(in: 0...30, using: &generator), seed: seed))
        for limit in [0, whole.prompt().count]
            + (0..<10).map({ _ in Int.random(in: 0...400, using: &generator) })
        {
            var expected = whole
            var fits = true
            while fits, expected.prompt().count > limit {
                fits = expected.dropLowestPriorityContextItem() != nil
            }
            var request = whole
            let didFit = await request.dropContext { $0.prompt().count <= limit }
            #expect(didFit == fits)
            #expect(request.prompt() == expected.prompt())
            #expect(request.context.items.map(\.content) == expected.context.items.map(\.content))
        }
    }

    @Test("the prompt of a hundred thousand items is rendered a few times only")
    func fewRenderings() async {
        let count = Shared(0)
        let request = AirshipAI.Request(
            instructions: "i", schema: .string(),
            context: AirshipAI.Context(items: Self.items(100_000, seed: 7)),
            render: { context in
                count.change { $0 += 1 }
                return context.renderBullets() ?? ""
            })
        for limit in [0, 1_000, 500_000] {
            var trimmed = request
            _ = await trimmed.dropContext { $0.prompt().utf8.count <= limit }
            #expect(trimmed.prompt().utf8.count <= limit)
        }
        // Two for none and all, and one for each halving of a hundred thousand.
        #expect(count.value <= 3 * (2 + 17 + 1))
    }

    @Test("a measure that throws leaves the request as it was", arguments: 1...4)
    func throwing(call: Int) async {
        var request = ContextTests.request(Self.items(9, seed: 1))
        let calls = Shared(0)
        await #expect(throws: ModelFailure.self) {
            try await request.dropContext { trial in
                calls.change { $0 += 1 }
                if calls.value == call { throw ModelFailure() }
                return trial.context.items.isEmpty
            }
        }
        #expect(request.context.items.count == 9)
    }
}
