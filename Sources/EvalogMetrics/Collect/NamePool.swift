// Names met in facts, each kept once as bytes and known by a small number from then on.

import EvalogText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Interned byte strings. Number 0 is the empty one: absent.
///
/// A name costs its bytes, 16 more for its place, and 5 to 10 in the index.
final class NamePool {
    private struct Place: BitwiseCopyable {
        var start: UnsafeRawPointer
        var byteCount: Int
    }

    private static let pageByteCountMin = 64 << 10

    @exclusivity(unchecked) private var places = Column<Place>()
    @exclusivity(unchecked) private var index = IndexTable()
    private var pages: [UnsafeMutableRawPointer] = []
    /// The free part of the newest page.
    private var room = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var pageByteCount = 0
    @exclusivity(unchecked) private(set) var count = 0

    init() {
        _ = number(of: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    deinit {
        places.release()
        for page in pages { page.deallocate() }
    }

    var byteCount: Int { pageByteCount + count * MemoryLayout<Place>.stride + index.byteCount }

    /// The bytes of a name, valid as long as the table lives.
    @inline(__always)
    func bytes(_ number: UInt32) -> UnsafeRawBufferPointer {
        let place = places[Int(number)]
        return UnsafeRawBufferPointer(start: place.start, count: place.byteCount)
    }

    /// The number of a name, which is copied when it is new. O(bytes).
    func number(of name: UnsafeRawBufferPointer) -> UInt32 {
        if name.isEmpty && count > 0 { return 0 }
        let hash = ByteHash.hash(name)
        if let known = index.row(hash: hash, where: { bytes(UInt32($0)).hasSameBytes(as: name) }) {
            return UInt32(known)
        }
        let place = Place(start: copy(name), byteCount: name.count)
        if count == places.capacity { places.grow() }
        places[count] = place
        index.insert(count, hash: hash) { ByteHash.hash(bytes(UInt32($0))) }
        count += 1
        return UInt32(count - 1)
    }

    private func copy(_ name: UnsafeRawBufferPointer) -> UnsafeRawPointer {
        if room.count < name.count {
            let byteCount = max(Self.pageByteCountMin, name.count)
            let page = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 1)
            pages.append(page)
            pageByteCount += byteCount
            room = UnsafeMutableRawBufferPointer(start: page, count: byteCount)
        }
        guard let start = room.baseAddress else { return UnsafeRawPointer(bitPattern: 1)! }
        UnsafeMutableRawBufferPointer(start: start, count: name.count).copyMemory(from: name)
        room = UnsafeMutableRawBufferPointer(rebasing: room[name.count...])
        return UnsafeRawPointer(start)
    }
}
