// RFC 3339 times to and from microseconds since 1970, by arithmetic: no calendar, no locale.

/// Times of the years 0000 to 9999 as microseconds since 1970-01-01T00:00:00Z.
package enum Timestamp {
    /// The first and the last microsecond that have a text.
    package static let range: ClosedRange<Int64> =
        -62_167_219_200_000_000...253_402_300_799_999_999

    package static let microsecondsPerSecond: Int64 = 1_000_000
    package static let microsecondsPerDay: Int64 = 86_400_000_000

    /// Reads a time with its offset; nil if it is not one or leaves ``range``.
    ///
    /// `T` and `Z` may be small. Digits after the sixth of a fraction are cut off. Second 60 is
    /// read as the second after it.
    package static func microseconds(_ text: UnsafeRawBufferPointer) -> Int64? {
        guard text.count >= 20,
            text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] | 0x20 == UInt8(ascii: "t"),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            let century = pair(text, 0), let yearOfCentury = pair(text, 2),
            let month = pair(text, 5), let day = pair(text, 8),
            let hour = pair(text, 11), let minute = pair(text, 14), let second = pair(text, 17)
        else { return nil }
        let year = century * 100 + yearOfCentury
        guard (1...12).contains(month), day >= 1, day <= dayCount(year: year, month: month),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var offset = 19
        guard let fraction = fraction(text, &offset), let zone = zone(text, offset) else {
            return nil
        }
        let seconds =
            daysSince1970(year: year, month: month, day: day) * 86_400
            + hour * 3_600 + minute * 60 + second - zone
        let result = seconds * microsecondsPerSecond + fraction
        return range.contains(result) ? result : nil
    }

    /// Appends `2026-11-29T10:15:30.123456Z`; a value outside ``range`` is moved to its nearer end.
    package static func append(_ microseconds: Int64, to buffer: inout [UInt8]) {
        let fraction = appendDateAndTime(microseconds, to: &buffer)
        buffer.append(UInt8(ascii: "."))
        appendDigits(fraction, count: 6, to: &buffer)
        buffer.append(UInt8(ascii: "Z"))
    }

    /// Appends `2026-11-29T10:15:30Z`, the second that the value lies in.
    package static func appendSeconds(_ microseconds: Int64, to buffer: inout [UInt8]) {
        _ = appendDateAndTime(microseconds, to: &buffer)
        buffer.append(UInt8(ascii: "Z"))
    }

    /// Days from 1970-01-01 to a date of the proleptic Gregorian calendar.
    package static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        // Years begin in March, so that the leap day is the last: 400 of them have 146,097 days.
        let shifted = month > 2 ? year : year - 1
        let era = floorDivide(shifted, 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The date that lies `days` after 1970-01-01.
    package static func date(
        daysSince1970 days: Int64
    ) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// The quotient rounded toward −∞; the divisor is positive.
    package static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }

    // MARK: Parts

    private static func pair(_ text: UnsafeRawBufferPointer, _ offset: Int) -> Int64? {
        let tens = text[offset] &- UInt8(ascii: "0")
        let ones = text[offset + 1] &- UInt8(ascii: "0")
        return tens < 10 && ones < 10 ? Int64(tens * 10 + ones) : nil
    }

    /// The microseconds of `.digits` at `offset`, which moves behind them; 0 without a point.
    private static func fraction(
        _ text: UnsafeRawBufferPointer, _ offset: inout Int
    ) -> Int64? {
        guard text[offset] == UInt8(ascii: ".") else { return 0 }
        offset += 1
        let start = offset
        var value: Int64 = 0
        while offset < text.count, text[offset] &- UInt8(ascii: "0") < 10 {
            if offset - start < 6 { value = value * 10 + Int64(text[offset] - UInt8(ascii: "0")) }
            offset += 1
        }
        guard offset > start else { return nil }
        for _ in 0..<max(0, 6 - (offset - start)) { value *= 10 }
        return value
    }

    /// The seconds of `Z` or `±HH:MM`, which must be the rest of the text.
    private static func zone(_ text: UnsafeRawBufferPointer, _ offset: Int) -> Int64? {
        guard offset < text.count else { return nil }
        if text[offset] | 0x20 == UInt8(ascii: "z") { return text.count == offset + 1 ? 0 : nil }
        let sign = text[offset]
        guard text.count == offset + 6, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            text[offset + 3] == UInt8(ascii: ":"),
            let hours = pair(text, offset + 1), let minutes = pair(text, offset + 4),
            hours < 24, minutes < 60
        else { return nil }
        let seconds = hours * 3_600 + minutes * 60
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }

    private static func dayCount(year: Int64, month: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// Appends everything up to the second and returns the microseconds within it.
    private static func appendDateAndTime(
        _ microseconds: Int64, to buffer: inout [UInt8]
    ) -> Int64 {
        let clamped = min(max(microseconds, range.lowerBound), range.upperBound)
        let days = floorDivide(clamped, microsecondsPerDay)
        let timeOfDay = clamped - days * microsecondsPerDay
        let second = timeOfDay / microsecondsPerSecond
        let (year, month, day) = date(daysSince1970: days)
        appendDigits(year, count: 4, to: &buffer)
        buffer.append(UInt8(ascii: "-"))
        appendDigits(month, count: 2, to: &buffer)
        buffer.append(UInt8(ascii: "-"))
        appendDigits(day, count: 2, to: &buffer)
        buffer.append(UInt8(ascii: "T"))
        appendDigits(second / 3_600, count: 2, to: &buffer)
        buffer.append(UInt8(ascii: ":"))
        appendDigits(second / 60 % 60, count: 2, to: &buffer)
        buffer.append(UInt8(ascii: ":"))
        appendDigits(second % 60, count: 2, to: &buffer)
        return timeOfDay % microsecondsPerSecond
    }

    private static func appendDigits(_ value: Int64, count: Int, to buffer: inout [UInt8]) {
        var divisor: Int64 = 1
        for _ in 1..<count { divisor *= 10 }
        while divisor > 0 {
            buffer.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }
}
