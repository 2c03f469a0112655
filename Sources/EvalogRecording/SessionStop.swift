// That on-device AI was off for one session, whichever fact tells of it.

package import EvalogFacts
import EvalogText

/// A session, and when the gate stopped an evaluation of it.
package struct SessionStop: Hashable, Comparable, Sendable {
    package let session: SessionID
    /// µs since 1970.
    package let time: Int64

    package init(session: SessionID, time: Int64) {
        self.session = session
        self.time = time
    }

    /// Nil for a fact that tells of none: neither an evaluation that was skipped because on-device AI was
    /// off, nor what stands in for one.
    package init?(_ view: borrowing FactView) {
        let isStop =
            switch view.kind {
            case .evaluation: view.reason == .aiDisabled
            case .gate: !view.isOnDeviceAIEnabled
            default: false
            }
        guard isStop, let session = view.session, session.isOne else { return nil }
        self.session = session
        time = view.time
    }

    /// What stands in for it where its own fact goes.
    package func fact(using random: inout some RandomNumberGenerator) -> GateFact {
        var fact = GateFact(
            id: .random(using: &random), time: time, isOnDeviceAIEnabled: false)
        fact.session = session
        return fact
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.time, left.session.text) < (right.time, right.session.text)
    }
}
