// Randomness that gives the same values on every machine and with every version of the compiler.

import EvalogText

/// Draws of a workload: those of the standard library may change between versions.
typealias Chance = SplitMix64

extension SplitMix64 {
    /// A whole number from 0 to `bound - 1`.
    mutating func below(_ bound: Int64) -> Int64 {
        Int64(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    mutating func below(_ bound: Int) -> Int {
        Int(below(Int64(bound)))
    }

    /// True in `perMille` of 1,000 cases.
    mutating func happens(_ perMille: Int) -> Bool {
        below(1_000) < perMille
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    /// A duration around `median`, close to log-normal: a sum of twelve even draws decides how
    /// often a factor of 1.05 applies. Whole numbers only, as C libraries differ in logarithms.
    mutating func duration(median: Int64) -> Int64 {
        var steps = 0
        for _ in 0..<12 { steps += below(21) }
        let scaled = median * Self.factors[steps] / Self.factors[120]
        return max(1, scaled * (975 + below(Int64(50))) / 1_000)
    }

    /// 1.05 to the power of the index, in units of 1/4096.
    private static let factors: [Int64] = {
        var factors: [Int64] = [4_096]
        while factors.count <= 240 { factors.append((factors[factors.count - 1] * 21 + 10) / 20) }
        return factors
    }()
}
