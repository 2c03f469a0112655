// A file twice: as programs see it, and as it would be found after the power went out.

import TestSupport

/// Something that a name can lead to.
class Node {
    /// Given to another file once this one is gone.
    var inode: UInt64
    /// Nanoseconds since 1970, as coarse as the clock that file systems use.
    var modified: Int64 = 0
    /// How many names lead to it, and how many handles.
    var linkCount = 0
    var openCount = 0

    init(inode: UInt64) { self.inode = inode }
}

/// A file of bytes, which reach the disk sector by sector, in any order, when it is synced or the
/// system happens to write them back.
final class FileNode: Node {
    /// What programs read.
    private(set) var cache: [UInt8] = []
    /// What is on the disk.
    private(set) var durable: [UInt8] = []
    /// Who holds it locked.
    var exclusiveHolder: Int32?
    var sharedHolders: [Int32] = []

    private let sectorByteCount: Int
    /// Sectors that differ from the disk's and will be written back.
    private var dirty: [Bool] = []
    private var isSizeDirty = false

    init(inode: UInt64, sectorByteCount: Int) {
        self.sectorByteCount = sectorByteCount
        super.init(inode: inode)
    }

    private func sector(_ index: Int) -> Range<Int> {
        index * sectorByteCount..<(index + 1) * sectorByteCount
    }

    private func mark(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        let last = (range.upperBound - 1) / sectorByteCount
        if dirty.count <= last { dirty += repeatElement(false, count: last + 1 - dirty.count) }
        for index in range.lowerBound / sectorByteCount...last { dirty[index] = true }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        let end = offset + bytes.count
        if end > cache.count {
            isSizeDirty = true
            cache += repeatElement(0, count: end - cache.count)
        }
        cache.withUnsafeMutableBytes { $0[offset..<end].copyBytes(from: bytes) }
        mark(offset..<end)
    }

    func truncate(to byteCount: Int) {
        if byteCount == cache.count { return }
        isSizeDirty = true
        if byteCount < cache.count {
            cache.removeLast(cache.count - byteCount)
        } else {
            cache += repeatElement(0, count: byteCount - cache.count)
        }
    }

    // MARK: On their way to the disk

    /// Everything is on the disk.
    func sync() { writeBack { _ in true } }

    /// Some of it is, and nobody will write the rest: whoever wrote it has to write it again.
    func failSync(_ random: inout SeededGenerator) {
        let forgotten = dirty.indices.filter { dirty[$0] }
        writeBack { _ in Bool.random(using: &random) }
        guard Bool.random(using: &random) else { return }
        // The pages are dropped from memory as well: readers see what the disk has.
        for index in forgotten {
            for offset in sector(index) where offset < cache.count {
                cache[offset] = offset < durable.count ? durable[offset] : 0
            }
        }
    }

    /// Writes chosen sectors back, and takes none for changed any more. The size has the index -1.
    private func writeBack(_ isChosen: (Int) -> Bool) {
        if isSizeDirty, isChosen(-1) { resizeDurable(cache.count) }
        for index in dirty.indices where dirty[index] && isChosen(index) {
            copy(sector(index))
        }
        dirty = []
        isSizeDirty = false
    }

    private func resizeDurable(_ byteCount: Int) {
        if byteCount < durable.count {
            durable.removeLast(durable.count - byteCount)
        } else {
            durable += repeatElement(0, count: byteCount - durable.count)
        }
    }

    private func copy(_ range: Range<Int>) {
        let range = range.clamped(to: 0..<min(durable.count, cache.count))
        if !range.isEmpty { durable[range] = cache[range] }
    }

    /// The power goes out: what was not synced is there, or not, or in part.
    ///
    /// - Parameter garbage: Old bytes of another file, which may stand where the size grew and the data
    ///   was not written.
    /// - Returns: How many sectors were torn or lost.
    func losePower(_ random: inout SeededGenerator, garbage: [UInt8]) -> Int {
        var lossCount = 0
        let before = durable.count
        if isSizeDirty {
            let (least, most) = (min(before, cache.count), max(before, cache.count))
            let sizes = [least, most, .random(in: least...most, using: &random)]
            resizeDurable(sizes.randomElement(using: &random) ?? before)
            if before < durable.count, Int.random(in: 0..<8, using: &random) == 0 {
                for offset in before..<durable.count where offset < garbage.count {
                    durable[offset] = garbage[offset]
                }
            }
        }
        let share = Int.random(in: 0...10, using: &random)
        for index in dirty.indices where dirty[index] {
            if Int.random(in: 0..<10, using: &random) < share {
                copy(sector(index))
                continue
            }
            lossCount += 1
            guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
            let whole = sector(index)
            copy(whole.prefix(Int.random(in: 0...sectorByteCount, using: &random)))
        }
        cache = durable
        dirty = []
        isSizeDirty = false
        exclusiveHolder = nil
        sharedHolders = []
        return lossCount
    }
}
