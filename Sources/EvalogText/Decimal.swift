// Decimal fractions as whole numbers: exact to read, exact to write, no binary rounding between.

/// Durations and rates between their decimal text and whole microseconds or millionths.
package enum Decimal {
    /// The longest valid duration, 24 hours, in microseconds.
    package static let durationMax = Timestamp.microsecondsPerDay

    /// Reads seconds written as a JSON number, exactly, as whole microseconds.
    ///
    /// Half a microsecond rounds up. Nil for what is no number, below 0 or above 24 hours; both
    /// bounds are checked before rounding. `-0` is 0.
    package static func microseconds(secondsText text: UnsafeRawBufferPointer) -> Int64? {
        var scanner = JSONScanner(text)
        guard let range = try? scanner.number(), range == 0..<text.count else { return nil }
        let mantissaEnd = text.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? text.count
        let mantissa = text[..<mantissaEnd]
        let wholeDigitCount = mantissa.prefix { $0 != UInt8(ascii: ".") }.count { isDigit($0) }
        // The power of ten, in microseconds, that the digit at hand stands for.
        var place = wholeDigitCount - 1 + 6 + exponent(text[mantissaEnd...])
        var whole: Int64 = 0
        var roundsUp = false
        var hasRest = false
        for byte in mantissa where isDigit(byte) {
            let digit = Int64(byte - UInt8(ascii: "0"))
            if digit > 0 {
                guard place < powersOfTen.count else { return nil }
                if place >= 0 { whole += digit * powersOfTen[place] }
                if place == -1 { roundsUp = digit >= 5 }
                hasRest = hasRest || place < 0
            }
            place -= 1
        }
        let isZero = whole == 0 && !hasRest
        guard isZero || text[0] != UInt8(ascii: "-"),
            whole < durationMax || (whole == durationMax && !hasRest)
        else { return nil }
        return whole + (roundsUp ? 1 : 0)
    }

    /// Whole microseconds of a measured duration, by way of the shortest decimal text that means
    /// it: 1.005 is 1,005,000. Nil for NaN, below 0 and above 24 hours.
    package static func microseconds(seconds: Double) -> Int64? {
        var text = seconds.description
        return text.withUTF8 { microseconds(secondsText: UnsafeRawBufferPointer($0)) }
    }

    /// Appends microseconds as milliseconds: 182345 is `182.345`.
    package static func appendMilliseconds(microseconds: Int64, to buffer: inout [UInt8]) {
        append(microseconds, fractionDigitCount: 3, to: &buffer)
    }

    /// Appends millionths as a fraction: 12345 is `0.012345`.
    package static func appendFraction(millionths: Int64, to buffer: inout [UInt8]) {
        append(millionths, fractionDigitCount: 6, to: &buffer)
    }

    /// Appends hundredths with two decimals: 12345 is `123.45`.
    package static func append(hundredths: Int64, to buffer: inout [UInt8]) {
        append(hundredths, fractionDigitCount: 2, to: &buffer)
    }

    /// Appends a whole number without separators.
    package static func append(_ value: Int64, to buffer: inout [UInt8]) {
        append(value, fractionDigitCount: 0, to: &buffer)
    }

    private static let powersOfTen: [Int64] = [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
        10_000_000_000,
    ]

    private static func append(
        _ value: Int64, fractionDigitCount: Int, to buffer: inout [UInt8]
    ) {
        if value < 0 { buffer.append(UInt8(ascii: "-")) }
        let start = buffer.count
        var rest = value.magnitude
        var digitCount = 0
        repeat {
            if digitCount == fractionDigitCount, digitCount > 0 {
                buffer.append(UInt8(ascii: "."))
            }
            buffer.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
            digitCount += 1
        } while rest > 0 || digitCount <= fractionDigitCount
        buffer[start...].reverse()
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }

    /// The value of `e-12`, 0 for nothing; beyond what any text could balance it stops growing.
    private static func exponent(_ text: Slice<UnsafeRawBufferPointer>) -> Int {
        var value = 0
        for byte in text where isDigit(byte) {
            value = min(value * 10 + Int(byte - UInt8(ascii: "0")), 1_000_000_000_000)
        }
        return text.contains(UInt8(ascii: "-")) ? -value : value
    }
}
