// Deflate (RFC 1951) the straight way: a whole stream in memory that gives a text of known length.
//
// It is about half as fast again as zlib on our text, which is mostly long copies. It trusts nothing,
// and whatever it does not take zlib decides about.

/// Inflates streams, one after the other. Not for use by two threads at once.
final class StraightInflater {
    /// Blocks that a stream may have, and bytes for each further one.
    private static let blockCountMin = 16
    private static let byteCountPerBlock = 256

    private let literals = CodeTable(bitCount: 11, meanings: Meanings.literals)
    private let distances = CodeTable(bitCount: 9, meanings: Meanings.distances)
    private let lengthCodes = CodeTable(bitCount: 7, meanings: Meanings.lengthCodes)
    private let lengths = UnsafeMutableBufferPointer<UInt8>.allocate(
        capacity: Meanings.literals.count + Meanings.distances.count)

    deinit { lengths.deallocate() }

    /// Inflates all of the bytes; false where they are not one whole stream that gives exactly as
    /// much text as the target holds, or one that only zlib reads: with stored blocks, or codes
    /// that leave sequences of bits without a meaning.
    ///
    /// - Parameters:
    ///   - bytes: With `LogLimits.slackByteCount` readable bytes behind them.
    ///   - target: With as many writable bytes behind it.
    func inflate(
        _ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let source = bytes.baseAddress, let start = target.baseAddress else { return false }
        var bits = BitSource(source, end: source + bytes.count)
        var text = TextTarget(start, end: start + target.count)
        // Codes are made anew for each block: of very short ones zlib takes more, and sooner.
        for _ in 0..<(Self.blockCountMin + bytes.count / Self.byteCountPerBlock)
        where bits.isWithinSlack {
            bits.refill()
            let isLast = bits.take(1) == 1
            switch bits.take(2) {
            case 1: fillFixedCodes()
            case 2: if !readCodes(&bits) { return false }
            default: return false
            }
            guard decode(&bits, &text) else { return false }
            if isLast { return text.isFull && bits.isAtEnd }
        }
        return false
    }

    // MARK: Codes

    /// RFC 1951, 3.2.6.
    private func fillFixedCodes() {
        let runs: [(end: Int, length: UInt8)] = [(144, 8), (256, 9), (280, 7), (288, 8), (320, 5)]
        var start = 0
        for run in runs {
            for symbol in start..<run.end { lengths[symbol] = run.length }
            start = run.end
        }
        _ = fillTables(literalCount: 288, distanceCount: 32)
    }

    private func fillTables(literalCount: Int, distanceCount: Int) -> Bool {
        literals.fill(part(0, literalCount)) && distances.fill(part(literalCount, distanceCount))
    }

    private func part(_ start: Int, _ count: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: lengths[start..<(start + count)])
    }

    /// RFC 1951, 3.2.7.
    private func readCodes(_ bits: inout BitSource) -> Bool {
        let literalCount = Int(bits.take(5)) + 257
        let distanceCount = Int(bits.take(5)) + 1
        let codeCount = Int(bits.take(4)) + 4
        guard literalCount <= 286, distanceCount <= 30 else { return false }
        for symbol in 0..<Meanings.lengthCodes.count { lengths[symbol] = 0 }
        for place in 0..<codeCount {
            if place % 16 == 0 { bits.refill() }
            lengths[Meanings.lengthCodeOrder[place]] = UInt8(bits.take(3))
        }
        return lengthCodes.fill(part(0, Meanings.lengthCodes.count))
            && readLengths(&bits, count: literalCount + distanceCount)
            && fillTables(literalCount: literalCount, distanceCount: distanceCount)
    }

    private func readLengths(_ bits: inout BitSource, count: Int) -> Bool {
        var place = 0
        while place < count {
            guard bits.isWithinSlack else { return false }
            bits.refill()
            let entry = lengthCodes.entries[Int(bits.word & lengthCodes.mask)]
            bits.drop(entry)
            var length = UInt8(truncatingIfNeeded: entry.base)
            var times = 1
            switch length {
            case 16:
                guard place > 0 else { return false }
                length = lengths[place - 1]
                times = 3 + Int(bits.take(2))
            case 17: (length, times) = (0, 3 + Int(bits.take(3)))
            case 18: (length, times) = (0, 11 + Int(bits.take(7)))
            default: break
            }
            guard times <= count - place else { return false }
            for _ in 0..<times {
                lengths[place] = length
                place += 1
            }
        }
        return true
    }

    // MARK: Symbols

    /// Decodes to the end of a block; false where something is wrong with it.
    private func decode(_ source: inout BitSource, _ target: inout TextTarget) -> Bool {
        // What is local stays in registers.
        var (bits, text) = (source, target)
        defer { (source, target) = (bits, text) }
        let literals = (entries: UnsafePointer(literals.entries), mask: literals.mask)
        let distances = (entries: UnsafePointer(distances.entries), mask: distances.mask)
        bits.refill()
        var entry = bits.look(literals)
        while bits.isWithinSlack && text.isWithinSlack {
            // Two literals at most between refills, of 11 bits each; a longer one comes alone.
            if entry.isLiteral {
                for _ in 0..<2 where entry.isLiteral {
                    bits.drop(entry)
                    text.append(entry.literal)
                    entry = bits.look(literals)
                }
                bits.refill()
                if entry.isLiteral { continue }
            }
            if entry.isLink {
                bits.drop(entry)
                entry = bits.follow(entry, literals)
                if entry.isLiteral {
                    bits.drop(entry)
                    text.append(entry.literal)
                    bits.refill()
                    entry = bits.look(literals)
                    continue
                }
            }
            if entry.isEnd {
                bits.drop(entry)
                return entry.isValidEnd
            }
            // At most 15 + 5 and 15 + 13 bits.
            let length = bits.value(entry)
            bits.drop(entry)
            var distanceEntry = bits.look(distances)
            if distanceEntry.isLink {
                bits.drop(distanceEntry)
                distanceEntry = bits.follow(distanceEntry, distances)
            }
            if distanceEntry.isEnd { return false }
            let distance = bits.value(distanceEntry)
            bits.drop(distanceEntry)
            guard distance <= text.count, length <= text.room else { return false }
            // The next entry is on its way while the copy is made.
            bits.refill()
            entry = bits.look(literals)
            text.repeatBytes(length, from: distance)
        }
        return false
    }
}

/// What the symbols of deflate mean (RFC 1951, 3.2.5).
private enum Meanings {
    static let lengthCodes = (0..<19).map { CodeEntry(base: $0, extraBitCount: 0) }
    static let lengthCodeOrder = [
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
    ]

    static let literals: [CodeEntry] =
        (0...255).map { CodeEntry(literal: $0) } + [CodeEntry(endIsValid: true)] + lengths
        + Array(repeating: CodeEntry(endIsValid: false), count: 2)

    /// From 3 on: eight lengths without extra bits, then four of each number of them; 258 is the
    /// last and has a symbol of its own.
    private static let lengths: [CodeEntry] = {
        var entries: [CodeEntry] = []
        var base: UInt16 = 3
        for place in 0..<28 {
            let extra = UInt8(max(0, place / 4 - 1))
            entries.append(CodeEntry(base: base, extraBitCount: extra))
            base += 1 << UInt16(extra)
        }
        return entries + [CodeEntry(base: 258, extraBitCount: 0)]
    }()

    /// From 1 on: four distances without extra bits, then two of each number of them.
    static let distances: [CodeEntry] = {
        var entries: [CodeEntry] = []
        var base: UInt16 = 1
        for place in 0..<30 {
            let extra = UInt8(max(0, place / 2 - 1))
            entries.append(CodeEntry(base: base, extraBitCount: extra))
            base &+= 1 << UInt16(extra)
        }
        return entries + Array(repeating: CodeEntry(endIsValid: false), count: 2)
    }()
}

/// The bits of a stream, the first ones lowest in a word.
private struct BitSource {
    private(set) var word: UInt64 = 0
    /// Bits of the word that are in use.
    private var count: UInt64 = 0
    private var next: UnsafeRawPointer
    private let end: UnsafeRawPointer

    init(_ start: UnsafeRawPointer, end: UnsafeRawPointer) {
        next = start
        self.end = end
    }

    /// Whether three times eight bytes more may be read: they end within the slack.
    @inline(__always) var isWithinSlack: Bool { next <= end + 16 }

    /// Whether the stream's last byte is the last one of which a bit was taken.
    var isAtEnd: Bool { next - Int(count >> 3) == end }

    /// Makes sure of 56 bits.
    @inline(__always)
    mutating func refill() {
        word |= UInt64(littleEndian: next.loadUnaligned(as: UInt64.self)) &<< count
        next += Int(truncatingIfNeeded: (63 &- count) &>> 3)
        count |= 56
    }

    @inline(__always)
    mutating func drop(_ entry: CodeEntry) {
        word &>>= entry.bitCount
        count &-= entry.bitCount
    }

    @inline(__always)
    mutating func take(_ bitCount: UInt64) -> UInt64 {
        let value = word & (1 &<< bitCount &- 1)
        word &>>= bitCount
        count &-= bitCount
        return value
    }

    /// What the next bits mean.
    @inline(__always)
    func look(_ table: (entries: UnsafePointer<CodeEntry>, mask: UInt64)) -> CodeEntry {
        table.entries[Int(truncatingIfNeeded: word & table.mask)]
    }

    /// What the next bits mean behind a link that was dropped.
    @inline(__always)
    func follow(
        _ link: CodeEntry, _ table: (entries: UnsafePointer<CodeEntry>, mask: UInt64)
    ) -> CodeEntry {
        let place = word & (1 &<< link.codeLength &- 1)
        return table.entries[link.base &+ Int(truncatingIfNeeded: place)]
    }

    /// A length or distance: the entry's base and the bits behind its code, not dropped yet.
    @inline(__always)
    func value(_ entry: CodeEntry) -> Int {
        let bits = word & (1 &<< entry.bitCount &- 1)
        return entry.base &+ Int(truncatingIfNeeded: bits &>> entry.codeLength)
    }
}

/// Where the text goes.
private struct TextTarget {
    private let start: UnsafeMutableRawPointer
    private let end: UnsafeMutableRawPointer
    private var next: UnsafeMutableRawPointer

    init(_ start: UnsafeMutableRawPointer, end: UnsafeMutableRawPointer) {
        self.start = start
        self.end = end
        next = start
    }

    var isFull: Bool { next == end }
    /// Whether a few literals may be appended, within the slack at worst.
    @inline(__always) var isWithinSlack: Bool { next <= end }
    @inline(__always) var count: Int { next - start }
    /// Negative behind the end.
    @inline(__always) var room: Int { end - next }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        next.storeBytes(of: byte, as: UInt8.self)
        next += 1
    }

    /// Appends what stands `distance` before, which may overlap with what is appended. Up to 63
    /// bytes more are written behind it, which the slack holds.
    @inline(__always)
    mutating func repeatBytes(_ byteCount: Int, from distance: Int) {
        let end = next + byteCount
        if distance >= 64 {
            copy(SIMD64<UInt8>.self, to: end, distance)
        } else if distance >= 16 {
            copy(SIMD16<UInt8>.self, to: end, distance)
        } else if distance >= 8 {
            copy(UInt64.self, to: end, distance)
        } else {
            copy(UInt8.self, to: end, distance)
        }
        next = end
    }

    @inline(__always)
    private func copy<Word: BitwiseCopyable>(
        _: Word.Type, to end: UnsafeMutableRawPointer, _ distance: Int
    ) {
        var target = next
        repeat {
            target.storeBytes(of: (target - distance).loadUnaligned(as: Word.self), as: Word.self)
            target += MemoryLayout<Word>.size
        } while target < end
    }
}
