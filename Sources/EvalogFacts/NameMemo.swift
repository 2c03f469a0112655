// Which names were found in order before: usage, model, OS, device and app hardly ever change.

import EvalogText
import Synchronization

/// A number for the names of an evaluation: usage, model, OS, device and app, all five.
///
/// Lines with equal combinations of one decoder have equal names; the reverse need not hold.
package struct Combination: Equatable, Sendable {
    /// Tells decoders apart; 0 is none.
    package var memo: UInt32
    /// Counts from 0 for each memo; below ``FactLimits/combinationCountMax``.
    package var number: UInt32
}

/// Combinations of names whose shapes have been checked. One thread at a time.
final class NameMemo {
    private struct Entry {
        var hash: UInt64
        var bytes: UnsafeRawPointer
        var usageByteCount: Int32
        var spanByteCount: Int32
    }

    private static let latestNumber = Atomic<UInt32>(0)

    private let number = NameMemo.latestNumber.wrappingAdd(1, ordering: .relaxed).newValue
    @exclusivity(unchecked) private var entries: [Entry] = []
    /// The places of entries plus one, by hash; 0 is free.
    @exclusivity(unchecked) private var slots = [UInt32](repeating: 0, count: 256)

    deinit {
        for entry in entries { entry.bytes.deallocate() }
    }

    /// The number of a line's names; nil where one has not its shape, or when the memo is full.
    ///
    /// - Parameter span: The bytes of the line from the key of the model to the value of the app.
    @inline(__always)
    func combination(_ view: borrowing FactView, _ span: UnsafeRawBufferPointer) -> Combination? {
        let hash = ByteHash.hash(span, seed: ByteHash.hash(view.usage))
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0 {
            let place = Int(slots[slot]) - 1
            if entries[place].hash == hash, isSame(entries[place], view.usage, span) {
                return Combination(memo: number, number: UInt32(place))
            }
            slot = (slot + 1) & mask
        }
        return enter(view, span, hash, at: slot)
    }

    @inline(__always)
    private func isSame(
        _ entry: Entry, _ usage: UnsafeRawBufferPointer, _ span: UnsafeRawBufferPointer
    ) -> Bool {
        entry.usageByteCount == usage.count && entry.spanByteCount == span.count
            && UnsafeRawBufferPointer(start: entry.bytes, count: usage.count)
                .hasSameBytes(as: usage)
            && UnsafeRawBufferPointer(start: entry.bytes + usage.count, count: span.count)
                .hasSameBytes(as: span)
    }

    @inline(never)
    private func enter(
        _ view: borrowing FactView, _ span: UnsafeRawBufferPointer, _ hash: UInt64, at slot: Int
    ) -> Combination? {
        guard entries.count < FactLimits.combinationCountMax, Self.haveShapes(copy view) else {
            return nil
        }
        let copy = UnsafeMutableRawBufferPointer.allocate(
            byteCount: view.usage.count + span.count, alignment: 1)
        copy.copyBytes(from: view.usage)
        UnsafeMutableRawBufferPointer(rebasing: copy[view.usage.count...]).copyMemory(from: span)
        entries.append(
            Entry(
                hash: hash, bytes: UnsafeRawPointer(copy.baseAddress!),
                usageByteCount: Int32(view.usage.count), spanByteCount: Int32(span.count)))
        slots[slot] = UInt32(entries.count)
        if entries.count * 2 > slots.count { grow() }
        return Combination(memo: number, number: UInt32(entries.count - 1))
    }

    private static func haveShapes(_ view: FactView) -> Bool {
        Shape.usage.fits(view.usage) && isAbsent(view.model, or: .model)
            && isAbsent(view.os, or: .os) && isAbsent(view.device, or: .device)
            && isAbsent(view.app, or: .app)
    }

    private static func isAbsent(_ text: FactView.Text, or shape: Shape) -> Bool {
        text.baseAddress == nil || shape.fits(text)
    }

    private func grow() {
        slots = Array(repeating: 0, count: slots.count * 4)
        let mask = slots.count - 1
        for (place, entry) in entries.enumerated() {
            var slot = Int(truncatingIfNeeded: entry.hash) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = UInt32(place + 1)
        }
    }
}
