// When on-device AI was off, as far as the log tells.

import EvalogFacts

/// The switches of the gate in the order of their times.
///
/// A fact tells of a switch, so before the first one the gate stood the other way. Where two of one
/// time disagree, it is taken as off. No fact names a device: in a log of several, one that is switched off
/// stands for all.
struct GateHistory {
    private var switches: [(time: Int64, isOn: Bool)] = []

    mutating func add(_ view: borrowing FactView) {
        switches.append((view.time, view.isOnDeviceAIEnabled))
    }

    /// Call it after the last ``add(_:)``.
    mutating func sort() {
        switches.sort { left, right in
            left.time != right.time ? left.time < right.time : left.isOn && !right.isOn
        }
    }

    func isOn(at time: Int64) -> Bool {
        var low = 0
        var high = switches.count
        while low < high {
            let middle = (low + high) / 2
            if switches[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        if low > 0 { return switches[low - 1].isOn }
        guard let first = switches.first else { return true }
        return switches.allSatisfy { $0.time > first.time || !$0.isOn }
    }
}
