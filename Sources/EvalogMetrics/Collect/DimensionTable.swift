// The combinations of usage, model, OS, device and app that occur: one number in a row for all
// five.

import DeviceTiers
import EvalogFacts
import EvalogText

/// The name numbers of one combination.
struct DimensionNames: BitwiseCopyable, Equatable {
    var usage: UInt32 = 0
    var model: UInt32 = 0
    var os: UInt32 = 0
    var device: UInt32 = 0
    var app: UInt32 = 0
}

/// The same combination as bytes.
struct DimensionText {
    var usage: UnsafeRawBufferPointer
    var model: UnsafeRawBufferPointer
    var os: UnsafeRawBufferPointer
    var device: UnsafeRawBufferPointer
    var app: UnsafeRawBufferPointer

    var hash: UInt64 {
        var state = ByteHash.hash(usage)
        state = ByteHash.hash(model, seed: state)
        state = ByteHash.hash(os, seed: state)
        state = ByteHash.hash(device, seed: state)
        return ByteHash.hash(app, seed: state)
    }

    func hasSameBytes(as other: Self) -> Bool {
        usage.hasSameBytes(as: other.usage) && model.hasSameBytes(as: other.model)
            && os.hasSameBytes(as: other.os) && device.hasSameBytes(as: other.device)
            && app.hasSameBytes(as: other.app)
    }
}

/// Interned combinations, numbered from 0. One costs 20 bytes and 5 to 10 in the index.
final class DimensionTable {
    private let names: NamePool
    @exclusivity(unchecked) private var combinations = Column<DimensionNames>()
    @exclusivity(unchecked) private var index = IndexTable()
    @exclusivity(unchecked) private(set) var count = 0
    /// The numbers of the combinations of one decoder's memo, plus one; 0 where it is not known.
    @exclusivity(unchecked) private var known: [UInt32] = []
    @exclusivity(unchecked) private var knownMemo: UInt32 = 0

    init(names: NamePool) {
        self.names = names
    }

    deinit { combinations.release() }

    var byteCount: Int { count * MemoryLayout<DimensionNames>.stride + index.byteCount }

    subscript(number: Int) -> DimensionNames { combinations[number] }

    /// The name that a combination has in a column.
    func name(_ dimension: Dimension, of number: Int) -> Name {
        let found = combinations[number]
        let column =
            switch dimension {
            case .usage: found.usage
            case .model: found.model
            case .os: found.os
            case .device: found.device
            case .app: found.app
            case .tier: nil as UInt32?
            }
        guard let column else { return Name(tier(number).rawValue) }
        return Name(names.bytes(column))
    }

    /// What device and OS of a combination come to.
    func tier(_ number: Int) -> DeviceTier {
        let found = combinations[number]
        return DeviceTier(
            device: Name(names.bytes(found.device)).text, os: Name(names.bytes(found.os)).text)
    }

    func text(_ number: Int) -> DimensionText {
        let found = combinations[number]
        return DimensionText(
            usage: names.bytes(found.usage), model: names.bytes(found.model),
            os: names.bytes(found.os), device: names.bytes(found.device),
            app: names.bytes(found.app))
    }

    /// The number of a fact's names.
    @inline(__always)
    func number(of view: borrowing FactView) -> UInt32 {
        if let combination = view.combination, combination.memo == knownMemo,
            combination.number < known.count
        {
            let number = known[Int(combination.number)]
            if number != 0 { return number - 1 }
        }
        return learn(view)
    }

    private func learn(_ view: borrowing FactView) -> UInt32 {
        let number = number(
            of: DimensionText(
                usage: view.usage, model: view.model, os: view.os, device: view.device,
                app: view.app))
        guard let combination = view.combination else { return number }
        if combination.memo != knownMemo {
            known.removeAll(keepingCapacity: true)
            knownMemo = combination.memo
        }
        while known.count <= combination.number { known.append(0) }
        known[Int(combination.number)] = number + 1
        return number
    }

    func number(of text: DimensionText) -> UInt32 {
        let hash = text.hash
        if let row = index.row(hash: hash, where: { self.text($0).hasSameBytes(as: text) }) {
            return UInt32(row)
        }
        if count == combinations.capacity { combinations.grow() }
        combinations[count] = DimensionNames(
            usage: names.number(of: text.usage), model: names.number(of: text.model),
            os: names.number(of: text.os), device: names.number(of: text.device),
            app: names.number(of: text.app))
        index.insert(count, hash: hash) { self.text($0).hash }
        count += 1
        return UInt32(count - 1)
    }
}
