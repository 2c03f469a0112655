// Values compared as what they are: a total that is written 12.50 is 12.5, a due date is a day.

import AirshipCore
import EvalogText

extension FieldType {
    /// Whether a value can be compared as this; null always can.
    func admits(_ value: AirshipJSON) -> Bool {
        if value.isNull { return true }
        return switch self {
        case .json: true
        case .decimal: ExactDecimal(value) != nil
        case .date: Moment(value) != nil
        }
    }

    /// Whether an answer's value is the expected one. An absent field counts as null.
    func matches(_ value: AirshipJSON?, _ expected: AirshipJSON) -> Bool {
        let value = value ?? .null
        if value.isNull || expected.isNull { return value.isNull && expected.isNull }
        switch self {
        case .json: return Self.isSame(value, expected)
        case .decimal:
            guard let found = ExactDecimal(value) else { return false }
            return found == ExactDecimal(expected)
        case .date:
            guard let found = Moment(value), let wanted = Moment(expected) else { return false }
            return found.isSame(as: wanted)
        }
    }

    /// Texts by their bytes, for String's == takes different spellings of a letter for equal.
    private static func isSame(_ left: AirshipJSON, _ right: AirshipJSON) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy(isSame)
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.allSatisfy { name, value in right[name].map { isSame(value, $0) } ?? false }
        default: left == right
        }
    }
}

/// A decimal number of any length, without a double's rounding.
struct ExactDecimal: Equatable {
    private var isNegative = false
    /// Without zeros at either end; empty for 0.
    private var digits: [UInt8] = []
    /// Of ten, behind the last digit.
    private var exponent = 0

    /// Nil for what is no number: neither thousands separators nor currencies are read.
    init?(_ value: AirshipJSON) {
        switch value {
        case .number(let number): self.init(number.description)
        case .string(let text): self.init(text)
        default: return nil
        }
    }

    init?(_ text: String) {
        var rest = text.utf8[...]
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            isNegative = sign == UInt8(ascii: "-")
            rest = rest.dropFirst()
        }
        let mantissa = rest.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
        if mantissa.endIndex != rest.endIndex {
            let digits = rest[mantissa.endIndex...].dropFirst()
            guard let written = Int(String(decoding: digits, as: UTF8.self)),
                (-TestSetLimits.exponentMax...TestSetLimits.exponentMax).contains(written)
            else { return nil }
            exponent = written
        }
        var hasPoint = false
        var digitCount = 0
        for byte in mantissa {
            if byte == UInt8(ascii: "."), !hasPoint, digitCount > 0 {
                hasPoint = true
                continue
            }
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
            digitCount += 1
            digits.append(byte)
            if hasPoint { exponent -= 1 }
        }
        guard digitCount > 0, mantissa.last != UInt8(ascii: ".") else { return nil }
        normalize()
    }

    private mutating func normalize() {
        digits.removeFirst(digits.prefix { $0 == UInt8(ascii: "0") }.count)
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { (isNegative, exponent) = (false, 0) }
    }
}

/// A day, or a moment of one.
struct Moment {
    /// As written, `2026-11-29`.
    private let day: [UInt8]
    /// µs since 1970; nil for a whole day.
    private let time: Int64?

    /// Nil for a text that is neither.
    init?(_ value: AirshipJSON) {
        guard let text = value.string else { return nil }
        let isDay = text.utf8.count == 10
        let bytes = Array((isDay ? text + "T00:00:00Z" : text).utf8)
        guard let microseconds = bytes.withUnsafeBytes(Timestamp.microseconds) else { return nil }
        day = Array(bytes.prefix(10))
        time = isDay ? nil : microseconds
    }

    func isSame(as other: Self) -> Bool {
        if let time, let its = other.time { return time == its }
        return day == other.day
    }
}
