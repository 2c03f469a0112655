// Durations: exact where they can be, invalid where they must be.

import EvalogText
import TestSupport
import Testing

@Suite("Decimal") struct DecimalTests {
    private func microseconds(_ text: String) -> Int64? {
        Array(text.utf8).withUnsafeBytes { Decimal.microseconds(secondsText: $0) }
    }

    @Test(
        "seconds become whole microseconds without binary rounding",
        arguments: [
            ("1.005", 1_005_000), ("0", 0), ("-0.0", 0), ("-0", 0), ("0e400", 0), ("1", 1_000_000),
            ("0.0000005", 1), ("0.00000049999999999999999999", 0), ("0.0000004", 0),
            ("1.0000015", 1_000_002), ("1.0000025", 1_000_003), ("1e-6", 1), ("5e-7", 1),
            ("5E-8", 0), ("1e-400", 0), ("864e2", 86_400_000_000), ("86400", 86_400_000_000),
            ("86400.000000", 86_400_000_000), ("86399.9999999", 86_400_000_000),
            ("0.00864e7", 86_400_000_000), ("30.000112", 30_000_112), ("12.5e+1", 125_000_000),
            ("10e-1", 1_000_000), ("0.000001e6", 1_000_000),
        ])
    func exact(text: String, expected: Int64) {
        #expect(microseconds(text) == expected)
    }

    @Test(
        "below zero, above 24 hours and what is no number is invalid",
        arguments: [
            "-0.25", "-1e-400", "-0.0000001", "86400.0000001", "86400.00000000000000000001",
            "86401", "1e5", "1e308", "1e400", "1e99999999999999999999", "9223372036854775808",
            "NaN", "nan", "inf", "-inf", "Infinity", "", "1.", ".5", "1 ", "1s", "0x10",
        ])
    func invalid(text: String) {
        #expect(microseconds(text) == nil)
    }

    @Test(
        "a measured duration is read by its shortest text",
        arguments: [
            (1.005, 1_005_000), (0.1 + 0.2, 300_000), (-0.0, 0), (.leastNonzeroMagnitude, 0),
            (86_400, 86_400_000_000), (86_400.00000000001, nil), (0.182345, 182_345),
            (86_400.0000001, nil),
            (-0.000001, nil), (.nan, nil), (.infinity, nil), (-.infinity, nil),
            (.greatestFiniteMagnitude, nil), (1e30, nil),
        ] as [(Double, Int64?)])
    func measured(seconds: Double, expected: Int64?) {
        #expect(Decimal.microseconds(seconds: seconds) == expected)
    }

    @Test("every whole microsecond comes back from its text", arguments: 0..<10 as Range<UInt64>)
    func roundTrip(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let value = Int64.random(in: 0...Decimal.durationMax, using: &random)
            var text: [UInt8] = []
            Decimal.appendFraction(millionths: value, to: &text)
            #expect(text.withUnsafeBytes { Decimal.microseconds(secondsText: $0) } == value)
            #expect(Decimal.microseconds(seconds: Double(value) / 1e6) == value)
        }
    }

    @Test(
        "milliseconds have three decimals and rates six",
        arguments: [
            (0, "0.000", "0.000000"), (5, "0.005", "0.000005"), (182_345, "182.345", "0.182345"),
            (1_000_000, "1000.000", "1.000000"), (-5, "-0.005", "-0.000005"),
            (-182_345, "-182.345", "-0.182345"),
            (.max, "9223372036854775.807", "9223372036854.775807"),
            (.min, "-9223372036854775.808", "-9223372036854.775808"),
        ] as [(Int64, String, String)])
    func formats(value: Int64, milliseconds: String, fraction: String) {
        var buffer: [UInt8] = []
        Decimal.appendMilliseconds(microseconds: value, to: &buffer)
        buffer.append(UInt8(ascii: " "))
        Decimal.appendFraction(millionths: value, to: &buffer)
        buffer.append(UInt8(ascii: " "))
        Decimal.append(value, to: &buffer)
        #expect(String(decoding: buffer, as: UTF8.self) == "\(milliseconds) \(fraction) \(value)")
    }
}
