// Numbers and times for people, and from people. Machine output has its own forms, in the sinks.

import EvalogText

enum Figures {
    /// `1,234,567`
    static func count(_ value: some BinaryInteger) -> String {
        let digits = Array(String(value.magnitude))
        var text = value < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }

    /// `1 line`, `2 lines`.
    static func counted(_ value: some BinaryInteger, _ noun: String) -> String {
        "\(count(value)) \(noun)\(value == 1 ? "" : "s")"
    }

    /// `1.4 MB`, in powers of 1,000.
    static func bytes(_ value: some BinaryInteger) -> String {
        var amount = Double(value)
        for unit in ["B", "kB", "MB", "GB"] {
            if amount < 1000 { return unit == "B" ? "\(value) B" : "\(oneDecimal(amount)) \(unit)" }
            amount /= 1000
        }
        return "\(oneDecimal(amount)) TB"
    }

    /// A duration in µs as `12 ms` or `1.50 s`.
    static func duration(_ microseconds: Int64) -> String {
        if microseconds < 1_000 { return "\(microseconds) µs" }
        if microseconds < 1_000_000 { return "\(microseconds / 1_000) ms" }
        let hundredths = microseconds / 10_000
        return "\(hundredths / 100).\(twoDigits(hundredths % 100)) s"
    }

    /// A length in µs to its last digit: `1 h 30 min 0.000001 s`, `80.5 s` as `1 min 20.5 s`.
    static func exactly(_ microseconds: Int64) -> String {
        var parts: [String] = []
        var rest = microseconds
        for (unit, size) in [("d", 86_400_000_000), ("h", 3_600_000_000), ("min", 60_000_000)]
            as [(String, Int64)]
        {
            if rest / size > 0 { parts.append("\(rest / size) \(unit)") }
            rest %= size
        }
        if rest > 0 || parts.isEmpty {
            var digits = Array(String(1_000_000 + rest % 1_000_000).dropFirst())
            while digits.last == "0" { digits.removeLast() }
            parts.append("\(rest / 1_000_000)\(digits.isEmpty ? "" : "." + String(digits)) s")
        }
        return parts.joined(separator: " ")
    }

    /// `12 s`, `5 min`, `3 h`, `2 d`: the largest unit that fits.
    static func age(_ microseconds: Int64) -> String {
        let seconds = microseconds / 1_000_000
        switch seconds {
        case ..<120: return "\(seconds) s"
        case ..<7_200: return "\(seconds / 60) min"
        case ..<172_800: return "\(seconds / 3_600) h"
        default: return "\(seconds / 86_400) d"
        }
    }

    /// How often something happens: `<0.001`, `0.002`, `0.50`, `3.14`, `12.3`, `1,234`.
    static func rate(_ value: Double) -> String {
        guard value.isFinite, value >= 0, value < 1e15 else { return "-" }
        if value >= 99.95 { return count(Int64(value.rounded())) }
        if value >= 9.995 { return oneDecimal(value) }
        if value == 0 { return "0" }
        if value < 0.000_5 { return "<0.001" }
        if value < 0.099_5 {
            let thousandths = Int64((value * 1_000).rounded())
            return "0.0" + twoDigits(thousandths)
        }
        let hundredths = Int64((value * 100).rounded())
        return "\(hundredths / 100).\(twoDigits(hundredths % 100))"
    }

    /// Millionths as `3.14 %`.
    static func percent(_ millionths: Int64) -> String {
        let hundredths = (millionths + 50) / 100
        return "\(hundredths / 100).\(twoDigits(hundredths % 100)) %"
    }

    /// `2026-11-29 10:15:30`, UTC.
    static func time(_ microseconds: Int64) -> String {
        var bytes: [UInt8] = []
        Timestamp.appendSeconds(microseconds, to: &bytes)
        return String(decoding: bytes.dropLast(), as: UTF8.self).replacing("T", with: " ")
    }

    private static func twoDigits(_ value: Int64) -> String {
        value < 10 ? "0\(value)" : "\(value)"
    }

    private static func oneDecimal(_ value: Double) -> String {
        let tenths = Int64((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// `30m`, `2s`, `500ms`, `1h`, `7d` → µs; nil if it is none of these or above 400 years.
    static func parseDuration(_ text: String) -> Int64? {
        if text == "0" { return 0 }
        let units: [(String, Int64)] = [
            ("ms", 1_000), ("us", 1), ("s", 1_000_000), ("m", 60_000_000), ("h", 3_600_000_000),
            ("d", 86_400_000_000), ("w", 604_800_000_000),
        ]
        guard let (suffix, factor) = units.first(where: { text.hasSuffix($0.0) }),
            let amount = digits(text.dropLast(suffix.count))
        else { return nil }
        let (product, overflow) = amount.multipliedReportingOverflow(by: factor)
        return overflow || product > 12_622_780_800_000_000 ? nil : product
    }

    /// `0.05`, `5%`, `1` → millionths; nil if it is no share from 0 to 1 of at most six decimals.
    static func parseShare(_ text: String) -> Int64? {
        let isPercent = text.hasSuffix("%")
        let parts = text.dropLast(isPercent ? 1 : 0)
            .split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = isPercent ? 4 : 6
        guard let whole = digits(parts[0]), whole <= 100 else { return nil }
        var millionths = whole * (isPercent ? 10_000 : 1_000_000)
        if parts.count == 2 {
            let zeros = String(repeating: "0", count: max(0, decimals - parts[1].count))
            guard parts[1].count <= decimals, digits(parts[1]) != nil,
                let fraction = digits(parts[1] + zeros)
            else { return nil }
            millionths += fraction
        }
        return millionths <= 1_000_000 ? millionths : nil
    }

    /// `512MB`, `1GiB`, `4096` → bytes.
    static func parseBytes(_ text: String) -> Int64? {
        let units: [(String, Int64)] = [
            ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("kB", 1_000), ("KB", 1_000),
            ("MB", 1_000_000), ("GB", 1_000_000_000), ("B", 1), ("", 1),
        ]
        guard let (suffix, factor) = units.first(where: { text.hasSuffix($0.0) }),
            let amount = digits(text.dropLast(suffix.count))
        else { return nil }
        let (product, overflow) = amount.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }

    /// A time as people give it: a length ago, a date, or RFC 3339. nil if it is none of these.
    static func parseTime(_ text: String, now: Int64) -> Int64? {
        if let ago = parseDuration(text) { return now - ago }
        return instant(text) ?? instant(text + "T00:00:00Z")
    }

    private static func instant(_ text: String) -> Int64? {
        var copy = text
        return copy.withUTF8 { Timestamp.microseconds(UnsafeRawBufferPointer($0)) }
    }

    private static func digits(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }
}
