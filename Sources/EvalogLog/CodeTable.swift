// Prefix codes of deflate as tables: the next bits of a stream give the symbol at once.

/// One entry: what a code means, and how many bits it and the extra bits behind it take.
struct CodeEntry: BitwiseCopyable {
    /// Bits to drop (8) · code length (5) · spare · end · link · base or literal (15) · literal.
    private(set) var rawValue: UInt32

    private static let endBit: UInt32 = 1 << 14
    private static let linkBit: UInt32 = 1 << 15
    private static let literalBit: UInt32 = 1 << 31

    /// A literal byte of the text.
    init(literal: UInt8) { rawValue = Self.literalBit | UInt32(literal) << 16 }

    /// The least of the lengths or distances that so many extra bits choose among.
    init(base: UInt16, extraBitCount: UInt8) {
        rawValue = UInt32(base) << 16 | UInt32(extraBitCount)
    }

    /// The end of a block; of a symbol that must not occur as well, which is then no valid end.
    init(endIsValid: Bool) { rawValue = Self.endBit | (endIsValid ? 1 << 16 : 0) }

    /// A table of longer codes, found by so many further bits.
    fileprivate init(linkTo place: Int, bitCount: Int, behind rootBitCount: Int) {
        rawValue =
            Self.linkBit | UInt32(place) << 16 | UInt32(bitCount) << 8 | UInt32(rootBitCount)
    }

    /// The same for a code of this length.
    fileprivate func behindCode(ofLength length: Int) -> Self {
        var entry = self
        entry.rawValue += UInt32(length) | UInt32(length) << 8
        return entry
    }

    @inline(__always) var bitCount: UInt64 { UInt64(rawValue & 0xff) }
    @inline(__always) var codeLength: UInt64 { UInt64(rawValue >> 8 & 0x1f) }
    @inline(__always) var isLiteral: Bool { rawValue & Self.literalBit != 0 }
    @inline(__always) var isLink: Bool { rawValue & Self.linkBit != 0 }
    @inline(__always) var isEnd: Bool { rawValue & Self.endBit != 0 }
    @inline(__always) var isValidEnd: Bool { rawValue >> 16 & 1 == 1 }
    @inline(__always) var literal: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 16) }
    @inline(__always) var base: Int { Int(truncatingIfNeeded: rawValue >> 16 & 0x7fff) }
}

/// A prefix code of at most fifteen bits, for lookups by its first bits.
final class CodeTable {
    /// A code's greatest length in deflate.
    private static let lengthMax = 15

    let entries: UnsafeMutablePointer<CodeEntry>
    /// Bits by which the first lookup goes.
    private let bitCount: Int
    /// What each symbol means.
    private let meanings: [CodeEntry]
    private let sorted: UnsafeMutablePointer<Int>

    /// - Parameters:
    ///   - bitCount: Longer codes take a second lookup.
    ///   - meanings: The entry of each symbol.
    init(bitCount: Int, meanings: [CodeEntry]) {
        self.bitCount = bitCount
        self.meanings = meanings
        sorted = .allocate(capacity: meanings.count)
        // No code takes more places than there are values of the bits behind the first lookup's.
        entries = .allocate(
            capacity: 1 << bitCount + meanings.count << (Self.lengthMax - bitCount))
    }

    deinit {
        entries.deallocate()
        sorted.deallocate()
    }

    var mask: UInt64 { 1 << UInt64(bitCount) - 1 }

    /// Makes the canonical code of these lengths, one for each symbol, 0 where it does not occur
    /// (RFC 1951, 3.2.2). False, and no table, unless every sequence of bits begins with a code.
    func fill(_ lengths: UnsafeBufferPointer<UInt8>) -> Bool {
        precondition(lengths.count <= meanings.count, "a symbol without a meaning")
        return withUnsafeTemporaryAllocation(of: Int.self, capacity: Self.lengthMax + 1) { counts in
            counts.initialize(repeating: 0)
            for length in lengths { counts[Int(length)] += 1 }
            counts[0] = 0
            guard Self.isComplete(counts) else { return false }
            sort(lengths, counts)
            place(counts)
            return true
        }
    }

    private static func isComplete(_ counts: UnsafeMutableBufferPointer<Int>) -> Bool {
        var free = 1
        for length in 1...lengthMax {
            free = free * 2 - counts[length]
            if free < 0 { return false }
        }
        return free == 0
    }

    /// Sorts the symbols that occur by length.
    private func sort(
        _ lengths: UnsafeBufferPointer<UInt8>, _ counts: UnsafeMutableBufferPointer<Int>
    ) {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: Self.lengthMax + 2) { starts in
            starts.initialize(repeating: 0)
            for length in 1...Self.lengthMax {
                starts[length + 1] = starts[length] + counts[length]
            }
            for symbol in 0..<lengths.count where lengths[symbol] != 0 {
                let length = Int(lengths[symbol])
                sorted[starts[length]] = symbol
                starts[length] += 1
            }
        }
    }

    /// Enters all codes, the shortest first. Streams have the first bit of a code lowest, so codes
    /// are counted up from the other end.
    private func place(_ counts: UnsafeMutableBufferPointer<Int>) {
        let rootCount = 1 << bitCount
        var (code, next, end) = (0, 0, rootCount)
        var link = (root: -1, start: 0, bitCount: 0)
        for length in 1...Self.lengthMax {
            for number in 0..<counts[length] {
                let meaning = meanings[sorted[next]]
                if length <= bitCount {
                    fill(
                        meaning.behindCode(ofLength: length), from: code, below: rootCount,
                        step: 1 << length)
                } else {
                    let root = code & (rootCount - 1)
                    let rest = length - bitCount
                    if root != link.root {
                        let bits = linkBitCount(counts, length, counts[length] - number)
                        link = (root, end, bits)
                        end += 1 << bits
                        entries[root] = CodeEntry(
                            linkTo: link.start, bitCount: bits, behind: bitCount)
                    }
                    fill(
                        meaning.behindCode(ofLength: rest), from: link.start + code >> bitCount,
                        below: link.start + 1 << link.bitCount, step: 1 << rest)
                }
                next += 1
                var bit = 1 << (length - 1)
                while code & bit != 0 {
                    code ^= bit
                    bit >>= 1
                }
                code |= bit
            }
        }
    }

    @inline(__always)
    private func fill(_ entry: CodeEntry, from start: Int, below end: Int, step: Int) {
        var place = start
        while place < end {
            entries[place] = entry
            place += step
        }
    }

    /// Bits by which the codes are told apart that begin like the next one, of `left` that long.
    private func linkBitCount(
        _ counts: UnsafeMutableBufferPointer<Int>, _ length: Int, _ left: Int
    ) -> Int {
        var bits = length - bitCount
        var taken = left
        while taken < 1 << bits {
            bits += 1
            taken = taken * 2 + counts[bitCount + bits]
        }
        return bits
    }
}
