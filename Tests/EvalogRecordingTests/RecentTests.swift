// A memory of fixed size against the obvious one.

import TestSupport
import Testing

@testable import EvalogRecording

@Suite("Recent") struct RecentTests {
    @Test("the last so many different keys are there with their last values, older ones are not")
    func forgets() {
        var recent = Recent<Int, Int>(countMax: 16)
        var keys: [Int] = []
        var values: [Int: Int] = [:]
        var random = SeededGenerator(seed: 5)
        for step in 0..<2_000 {
            let key = Int.random(in: 0..<40, using: &random)
            recent.remember(key, step)
            if values.updateValue(step, forKey: key) == nil { keys.append(key) }
            if keys.count > 16 { values[keys.removeFirst()] = nil }
            for known in 0..<40 { #expect(recent[known] == values[known]) }
        }
    }
}
