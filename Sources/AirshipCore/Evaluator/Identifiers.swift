// Ids of evaluations and events, from randomness that a test or a demo can seed.

package import Foundation

/// Makes the two kinds of UUID that observations carry.
package struct Identifiers: Sendable {
    private let random: @Sendable () -> UInt64

    /// - Parameter random: 64 random bits a call; called from any thread.
    package init(random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) }) {
        self.random = random
    }

    /// A version 7 UUID: sorts by its time, in milliseconds; random within one.
    package func timeOrdered(at date: Date) -> UUID {
        let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded(.down)
        let time = UInt64(exactly: min(max(milliseconds, 0), 0xFFFF_FFFF_FFFF)) ?? 0
        return UUID(high: time << 16 | random() >> 48, low: random(), version: 7)
    }

    /// A version 4 UUID: random throughout.
    package func random4() -> UUID {
        UUID(high: random(), low: random(), version: 4)
    }
}

extension UUID {
    fileprivate init(high: UInt64, low: UInt64, version: UInt64) {
        let high = high & ~0xF000 | version << 12
        let low = low & (.max >> 2) | 1 << 63
        var bytes = (high.bigEndian, low.bigEndian)
        self = withUnsafeBytes(of: &bytes) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
