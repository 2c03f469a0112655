// Values in chunks of equal size: growing copies nothing, and two columns join by joining chunks.

/// A column of plain values, addressed by row.
///
/// It is a pointer without an owner, so that reading a value counts no references: whoever holds
/// the column calls ``release()`` once, and copies of it are for reading only.
struct Column<Element: BitwiseCopyable>: BitwiseCopyable {
    private typealias Chunk = UnsafeMutablePointer<Element>

    private static var chunkByteCount: Int {
        ColumnShape.chunkRowCount * MemoryLayout<Element>.stride
    }

    private var chunks: UnsafeMutablePointer<Chunk>?
    private var chunkCount = 0
    private var chunkCapacity = 0

    /// Rows that fit without another chunk.
    var capacity: Int { chunkCount << ColumnShape.shift }

    @inline(__always)
    subscript(row: Int) -> Element {
        get { chunks.unsafelyUnwrapped[row >> ColumnShape.shift][row & ColumnShape.mask] }
        nonmutating set {
            chunks.unsafelyUnwrapped[row >> ColumnShape.shift][row & ColumnShape.mask] = newValue
        }
    }

    /// Makes room for the next ``ColumnShape/chunkRowCount`` rows; their values are undefined.
    mutating func grow() {
        // The first rows are few in most logs.
        let start = PageMemory.allocate(
            byteCount: Self.chunkByteCount, isLarge: chunkCount > 0)
        append(start.bindMemory(to: Element.self, capacity: ColumnShape.chunkRowCount))
    }

    /// Takes over the other column's chunks: its row r becomes row `capacity + r`. O(chunks).
    mutating func take(_ other: inout Self) {
        for number in 0..<other.chunkCount { append(other.chunks.unsafelyUnwrapped[number]) }
        other.chunks?.deallocate()
        other = Self()
    }

    mutating func release() {
        for number in 0..<chunkCount {
            PageMemory.release(
                chunks.unsafelyUnwrapped[number], byteCount: Self.chunkByteCount)
        }
        chunks?.deallocate()
        self = Self()
    }

    private mutating func append(_ chunk: Chunk) {
        if chunkCount == chunkCapacity {
            let roomier = UnsafeMutablePointer<Chunk>.allocate(capacity: chunkCapacity * 2 + 8)
            if let chunks {
                roomier.update(from: chunks, count: chunkCount)
                chunks.deallocate()
            }
            chunks = roomier
            chunkCapacity = chunkCapacity * 2 + 8
        }
        chunks.unsafelyUnwrapped[chunkCount] = chunk
        chunkCount += 1
    }
}

enum ColumnShape {
    static let shift = 18
    static let chunkRowCount = 1 << shift
    static let mask = chunkRowCount - 1
}
