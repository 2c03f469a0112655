// Where a text may be cut: after a paragraph if there is one, else a line, a sentence, a word, and
// never within what a reader takes for one character.

/// Cuts a text into pieces that together are the text.
struct TextSplitter {
    /// What the length of a piece is counted in.
    enum Unit {
        case bytes
        case scalars
    }

    /// What ends before a place, the weakest first.
    private enum Boundary: Int, Comparable {
        case word, sentence, line, paragraph

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    private let text: String
    private let bytes: [UInt8]
    private let capacity: Int
    private let unit: Unit

    /// - Parameter capacity: The length of a piece at most; only a character that is longer by itself
    ///   is a longer piece.
    init(_ text: String, capacity: Int, unit: Unit) {
        self.text = text
        self.capacity = max(capacity, 1)
        self.unit = unit
        bytes = Array(text.utf8)
    }

    /// Each is cut at the strongest boundary of its second half, and the last of those, so that it is
    /// not much shorter than it may be.
    ///
    /// - Complexity: O(length of the text).
    func pieces() -> [String] {
        var pieces: [String] = []
        var start = 0
        while start < bytes.count {
            let end = end(from: start)
            pieces.append(String(decoding: bytes[start..<end], as: UTF8.self))
            start = end
        }
        return pieces
    }

    private func end(from start: Int) -> Int {
        let reach = reach(from: start)
        if reach == bytes.count { return reach }
        let middle = start + (reach - start) / 2
        var best: (boundary: Boundary, end: Int)?
        var scan = BoundaryScan()
        var index = start
        while index < reach {
            let (scalar, length) = scalar(at: index)
            index += length
            guard index <= reach, let boundary = scan.boundary(after: scalar), index > middle,
                boundary >= best?.boundary ?? .word, isBetweenCharacters(index)
            else { continue }
            best = (boundary, index)
        }
        return best?.end ?? endOfCharacters(from: start, upTo: reach)
    }

    /// The farthest place that the capacity allows, between two scalars.
    private func reach(from start: Int) -> Int {
        switch unit {
        case .bytes:
            guard bytes.count - start > capacity else { return bytes.count }
            var end = start + capacity
            while end > start, isContinuation(bytes[end]) { end -= 1 }
            return end
        case .scalars:
            var (end, count) = (start, 0)
            while end < bytes.count {
                if !isContinuation(bytes[end]) {
                    if count == capacity { break }
                    count += 1
                }
                end += 1
            }
            return end
        }
    }

    /// As many whole characters as there are up to there; one where not even that fits.
    private func endOfCharacters(from start: Int, upTo reach: Int) -> Int {
        var end = start
        for character in text[text.utf8.index(text.startIndex, offsetBy: start)...] {
            let next = end + character.utf8.count
            if next > reach { return end > start ? end : next }
            end = next
        }
        return end
    }

    /// A mark, or the line feed of a pair, belongs to what is before it.
    private func isBetweenCharacters(_ index: Int) -> Bool {
        if bytes[index] < 0x80, bytes[index] != UInt8(ascii: "\n") { return true }
        let index = text.utf8.index(text.startIndex, offsetBy: index)
        return String.Index(index, within: text) != nil
    }

    private func isContinuation(_ byte: UInt8) -> Bool { byte & 0b1100_0000 == 0b1000_0000 }

    /// A string's bytes are valid, so the first says how many there are.
    private func scalar(at index: Int) -> (value: UInt32, length: Int) {
        let first = UInt32(bytes[index])
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        var value = length == 1 ? first : first & (0x7F >> UInt32(length))
        for byte in bytes[(index + 1)..<(index + length)] {
            value = value << 6 | UInt32(byte & 0x3F)
        }
        return (value, length)
    }

    /// What was read since the last word.
    private struct BoundaryScan {
        private var isAfterSentence = false
        private var isAfterReturn = false
        private var lineCount = 0

        /// What ends with that scalar, if anything.
        mutating func boundary(after scalar: UInt32) -> Boundary? {
            let wasAfterReturn = isAfterReturn
            isAfterReturn = scalar == 0x0D
            switch scalar {
            // A line feed after a return is the same line's.
            case 0x0A where wasAfterReturn: break
            case 0x0A...0x0D, 0x85, 0x2028: lineCount += 1
            case 0x2029: lineCount += 2
            // Not the spaces that forbid a break: U+00A0, U+2007, U+202F.
            case 0x09, 0x20, 0x1680, 0x2000...0x2006, 0x2008...0x200A, 0x205F, 0x3000: break
            // 。！？ need no space behind them.
            case 0x3002, 0xFF01, 0xFF1F:
                (isAfterSentence, lineCount) = (true, 0)
                return .sentence
            case 0x21, 0x2E, 0x3F, 0x2026:
                (isAfterSentence, lineCount) = (true, 0)
                return nil
            // Closing quotes and brackets.
            case 0x22, 0x27, 0x29, 0x5D, 0xBB, 0x2019, 0x201D:
                lineCount = 0
                return nil
            default:
                (isAfterSentence, lineCount) = (false, 0)
                return nil
            }
            if lineCount > 0 { return lineCount > 1 ? .paragraph : .line }
            return isAfterSentence ? .sentence : .word
        }
    }
}
