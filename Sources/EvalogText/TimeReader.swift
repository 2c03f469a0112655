// Times that are written as Timestamp writes them, read by position: the hot path of a replay.

/// Reads times one after the other, and remembers the latest date.
package struct TimeReader {
    /// The bytes of `YYYY-MM-` and of `DD`, and the microsecond at which that day begins.
    private var yearAndMonth: UInt64 = 0
    private var day: UInt16 = 0
    private var dayStart: Int64 = 0

    /// A reader that has seen no date yet.
    package init() {}

    /// The bytes of a time in the form of ``Timestamp/append(_:to:)``: `2026-11-29T10:15:30.123456Z`.
    package static let byteCount = 27

    /// The microseconds since 1970 of a time in that form; nil for every other form, the second 60
    /// included.
    ///
    /// - Parameter text: Where ``byteCount`` bytes can be read.
    package mutating func microseconds(_ text: UnsafeRawPointer) -> Int64? {
        // `00:00:00` and `.000000Z`, the first character in the lowest byte.
        guard text.load(fromByteOffset: 10, as: UInt8.self) == UInt8(ascii: "T"),
            let clock = Self.digits(
                text, 11, form: 0x3030_3A30_303A_3030, fixed: 0x0000_FF00_00FF_0000),
            let fraction = Self.digits(
                text, 19, form: 0x5A30_3030_3030_302E, fixed: 0xFF00_0000_0000_00FF)
        else { return nil }
        let hour = Self.pair(clock, 0)
        let minute = Self.pair(clock, 3)
        let second = Self.pair(clock, 6)
        guard hour < 24, minute < 60, second < 60 else { return nil }
        guard let dayStart = dayStart(text) else { return nil }
        return dayStart + ((hour * 60 + minute) * 60 + second) * Timestamp.microsecondsPerSecond
            + Self.pair(fraction, 1) * 10_000 + Self.pair(fraction, 3) * 100
            + Self.pair(fraction, 5)
    }

    /// The first microsecond of the date that a time begins with.
    @inline(__always)
    private mutating func dayStart(_ text: UnsafeRawPointer) -> Int64? {
        let yearAndMonth = text.loadUnaligned(as: UInt64.self)
        let day = text.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
        if yearAndMonth == self.yearAndMonth, day == self.day { return dayStart }
        let whole = UnsafeRawBufferPointer(start: text, count: Self.byteCount)
        guard let time = Timestamp.microseconds(whole) else { return nil }
        self.yearAndMonth = yearAndMonth
        self.day = day
        dayStart =
            Timestamp.floorDivide(time, Timestamp.microsecondsPerDay)
            * Timestamp.microsecondsPerDay
        return dayStart
    }

    /// Eight bytes as the values of digits; nil where a byte of `fixed` is not that of `form`, or
    /// another one is no digit.
    @inline(__always)
    private static func digits(
        _ text: UnsafeRawPointer, _ offset: Int, form: UInt64, fixed: UInt64
    ) -> UInt64? {
        let lanes: UInt64 = 0x0101_0101_0101_0101
        let word = text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        let values = UInt64(littleEndian: word) ^ form
        // The top bit of a lane: it is no ASCII character, or ten or more.
        let isNone = (values | (values &+ lanes * (0x80 - 10))) & (lanes << 7)
        return values & fixed == 0 && isNone == 0 ? values : nil
    }

    @inline(__always)
    private static func pair(_ digits: UInt64, _ place: UInt64) -> Int64 {
        Int64(digits >> (place * 8) & 0xF) * 10 + Int64(digits >> (place * 8 + 8) & 0xF)
    }
}
