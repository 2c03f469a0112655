// A folder twice, as a file is: names reach the disk apart from what they lead to.

import TestSupport

/// A folder of names.
final class FolderNode: Node {
    /// A change of the names that the disk does not have yet.
    private enum Change {
        case set(String, Node)
        case remove(String)
        case move(String, to: String, Node)
    }

    /// nil for the uppermost one.
    weak var parent: FolderNode?
    /// What programs see.
    private(set) var entries: [String: Node] = [:]
    private var durable: [String: Node] = [:]
    private var pending: [Change] = []

    subscript(name: String) -> Node? { entries[name] }

    func add(_ name: String, _ node: Node) {
        entries[name] = node
        node.linkCount += 1
        pending.append(.set(name, node))
    }

    func remove(_ name: String) -> Node? {
        guard let node = entries.removeValue(forKey: name) else { return nil }
        node.linkCount -= 1
        pending.append(.remove(name))
        return node
    }

    /// Gives a file another name, and returns the file that had it.
    func move(_ name: String, to newName: String) -> Node? {
        guard let node = entries[name] else { return nil }
        if entries[newName] === node { return nil }
        entries[name] = nil
        let replaced = entries.updateValue(node, forKey: newName)
        replaced?.linkCount -= 1
        pending.append(.move(name, to: newName, node))
        return replaced
    }

    // MARK: On their way to the disk

    func sync() { pending = settle { _ in true } }

    /// Some changes are on the disk, the others wait for the next sync: file systems that lose changes
    /// of names for good stop altogether.
    func failSync(_ random: inout SeededGenerator) {
        let count = Int.random(in: 0...pending.count, using: &random)
        pending = settle { $0 < count }
    }

    /// The power goes out: of what was not synced some happened, or the beginning of it.
    ///
    /// - Parameter isOrdered: Whether the file system keeps the order of changes, as journals do.
    /// - Returns: How many changes are lost.
    func losePower(_ random: inout SeededGenerator, isOrdered: Bool) -> Int {
        let count = pending.count
        let kept = Int.random(in: 0...count, using: &random)
        var lossCount = 0
        pending = settle { index in
            let isKept = isOrdered ? index < kept : Bool.random(using: &random)
            lossCount += isKept ? 0 : 1
            return isKept
        }
        pending = []
        entries = durable
        return lossCount
    }

    /// Carries out chosen changes on the disk, and returns the others.
    private func settle(_ isChosen: (Int) -> Bool) -> [Change] {
        var rest: [Change] = []
        for (index, change) in pending.enumerated() {
            guard isChosen(index) else {
                rest.append(change)
                continue
            }
            switch change {
            case .set(let name, let node): durable[name] = node
            case .remove(let name): durable[name] = nil
            case .move(let name, let newName, let node):
                durable[name] = nil
                durable[newName] = node
            }
        }
        return rest
    }
}
