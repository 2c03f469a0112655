// The grammar of segment names. Names order segments and tell merged files apart; what a file
// holds is decided by its headers alone.

/// A segment's file name: `20261129T101530Z-<32 hex>-0001.facts.ndjson.gz`.
package struct SegmentName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// `YYYYMMDDTHHMMSSZ`, the wall clock when the segment was made.
    package let time: String
    /// The writer, or a random id for a merged file.
    package let writer: WriterID
    /// 1 for a writer's first segment of the stream; 0 for a merged file; from
    /// `LogLimits.copyNumberMin` on for a copy whose name was taken.
    package var number: Int
    package let kind: StreamKind

    /// Names a new segment.
    ///
    /// - Parameters:
    ///   - wallTime: Microseconds since 1970; the years 0 to 9999 are told apart.
    ///   - number: Not negative; written with at least four digits.
    package init(wallTime: Int64, writer: WriterID, number: Int, kind: StreamKind) {
        self.init(time: Self.time(of: wallTime), writer: writer, number: number, kind: kind)
    }

    /// Names a merged file after the oldest segment in it.
    init(merged id: WriterID, after first: Self) {
        self.init(time: first.time, writer: id, number: 0, kind: first.kind)
    }

    /// Names a segment after another one's time.
    init(time: String, writer: WriterID, number: Int, kind: StreamKind) {
        self.time = time
        self.writer = writer
        self.number = number
        self.kind = kind
    }

    /// Reads a name; nil where it is not one of ours.
    package init?(_ name: String) {
        let bytes = Array(name.utf8)
        guard bytes.count >= 54 + 5 else { return nil }
        let digit = UInt8(ascii: "0")...UInt8(ascii: "9")
        for (index, byte) in bytes[..<16].enumerated() {
            switch index {
            case 8: guard byte == UInt8(ascii: "T") else { return nil }
            case 15: guard byte == UInt8(ascii: "Z") else { return nil }
            default: guard digit ~= byte else { return nil }
            }
        }
        guard bytes[16] == UInt8(ascii: "-"), bytes[49] == UInt8(ascii: "-"),
            let writer = WriterID(hexadecimal: bytes[17..<49]),
            let dot = bytes[50...].firstIndex(of: UInt8(ascii: ".")), 54...60 ~= dot,
            bytes[50..<dot].allSatisfy({ digit ~= $0 }),
            let number = Int(String(decoding: bytes[50..<dot], as: UTF8.self)),
            dot == 54 || bytes[50] != UInt8(ascii: "0")
        else { return nil }
        let suffix = String(decoding: bytes[dot...], as: UTF8.self)
        guard let kind = StreamKind.allCases.first(where: { suffix == Self.suffix(of: $0) })
        else { return nil }
        self.time = String(decoding: bytes[..<16], as: UTF8.self)
        self.writer = writer
        self.number = number
        self.kind = kind
    }

    /// Whether the file holds runs of several segments and so must end with a seal of flag 8.
    package var isMerged: Bool { number == 0 }
    /// Whether the number says which of its writer's segments came before it.
    var isInOrder: Bool { 1..<LogLimits.copyNumberMin ~= number }

    package var description: String {
        let digits = String(number)
        let zeros = String(repeating: "0", count: max(0, 4 - digits.utf8.count))
        return "\(time)-\(writer)-\(zeros)\(digits)\(Self.suffix(of: kind))"
    }

    /// By time, then writer, then number: a writer's segments come in the order of writing
    /// wherever the clock ran forwards.
    package static func < (left: Self, right: Self) -> Bool {
        if left.time != right.time {
            return left.time.utf8.lexicographicallyPrecedes(right.time.utf8)
        }
        if left.writer != right.writer { return left.writer < right.writer }
        return left.number < right.number
    }

    private static func suffix(of kind: StreamKind) -> String { ".\(kind.name).ndjson.gz" }

    /// How names begin that are given at a wall clock's time; they sort as times do.
    static func time(of wallTime: Int64) -> String {
        // Civil date from a day count, after Howard Hinnant: years begin in March, so that the leap
        // day is the last of its year.
        let range: ClosedRange<Int64> = -62_167_219_200...253_402_300_799
        let floored = wallTime / 1_000_000 - (wallTime % 1_000_000 < 0 ? 1 : 0)
        let seconds = min(max(floored, range.lowerBound), range.upperBound)
        let shifted = seconds + 719_468 * 86_400  // from 0000-03-01
        let era = (shifted >= 0 ? shifted : shifted - 146_097 * 86_400 + 1) / (146_097 * 86_400)
        let inEra = shifted - era * 146_097 * 86_400
        let dayOfEra = inEra / 86_400
        let second = inEra % 86_400
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func padded(_ value: Int64, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        return padded(year, 4) + padded(month, 2) + padded(day, 2) + "T"
            + padded(second / 3_600, 2) + padded(second / 60 % 60, 2) + padded(second % 60, 2) + "Z"
    }
}
