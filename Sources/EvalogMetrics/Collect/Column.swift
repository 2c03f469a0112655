// Values in chunks of equal size: growing copies nothing, and two columns join by joining chunks.

/// A column of plain values, addressed by row.
///
/// It does not own its memory in the sense of Swift: whoever holds it calls ``release()``.
struct Column<Element: BitwiseCopyable> {
    private var chunks: [UnsafeMutablePointer<Element>] = []

    var isReleased: Bool { chunks.isEmpty }
    /// Rows that fit without another chunk.
    var capacity: Int { chunks.count << ColumnShape.shift }

    @inline(__always)
    subscript(row: Int) -> Element {
        get { chunks[row >> ColumnShape.shift][row & ColumnShape.mask] }
        nonmutating set { chunks[row >> ColumnShape.shift][row & ColumnShape.mask] = newValue }
    }

    /// Makes room for the next ``ColumnShape/chunkRowCount`` rows; their values are undefined.
    mutating func grow() {
        chunks.append(.allocate(capacity: ColumnShape.chunkRowCount))
    }

    /// Takes over the other column's chunks: its row r becomes row `capacity + r`. O(chunks).
    mutating func take(_ other: inout Self) {
        chunks += other.chunks
        other.chunks = []
    }

    mutating func release() {
        for chunk in chunks { chunk.deallocate() }
        chunks = []
    }
}

enum ColumnShape {
    static let shift = 14
    static let chunkRowCount = 1 << shift
    static let mask = chunkRowCount - 1

    /// The first row of the chunk after the one that holds row `count - 1`.
    static func roundedUp(_ count: Int) -> Int { (count + mask) & ~mask }
}
