// The small values of a row packed into 64 bits: this is what keeps a row at 52 bytes.

import EvalogFacts
import EvalogText

/// Duration (37 bits) · code (6) · undecoded · assumed · spare · attempts (10) · copies (8).
struct RecordBits: BitwiseCopyable, Equatable {
    private(set) var rawValue: UInt64

    private static let durationMask: UInt64 = 1 << 37 - 1
    private static let absentDuration = durationMask
    private static let invalidDuration = durationMask - 1
    private static let codeShift: UInt64 = 37
    private static let undecodedBit: UInt64 = 1 << 43
    private static let assumedBit: UInt64 = 1 << 44
    private static let attemptsShift: UInt64 = 46
    private static let copiesShift: UInt64 = 56

    /// Attempts from here on are kept beside the rows.
    static let attemptsMax = 1_023
    /// Copies from here on, and those of a row with a conflict, are kept as claims.
    static let copiesMax = 255

    static let hole = Self(code: .hole)

    private init(code: RecordCode) {
        rawValue = UInt64(code.rawValue) << Self.codeShift | Self.absentDuration
    }

    /// The bits of a fact met once.
    init(_ view: borrowing FactView) {
        self.init(code: RecordCode(view))
        if view.isTimeAssumed { rawValue |= Self.assumedBit }
        copies = 1
        guard view.kind == .evaluation else { return }
        rawValue &= ~Self.durationMask
        rawValue |= Self.durationBits(view.duration, isInvalid: view.isDurationInvalid)
        if !view.isDecoded { rawValue |= Self.undecodedBit }
        rawValue |= UInt64(min(max(0, Int(view.attempts)), Self.attemptsMax)) << Self.attemptsShift
    }

    private static func durationBits(_ duration: Int64?, isInvalid: Bool) -> UInt64 {
        guard !isInvalid else { return invalidDuration }
        guard let duration else { return absentDuration }
        guard 0...Decimal.durationMax ~= duration else { return invalidDuration }
        return UInt64(duration)
    }

    @inline(__always)
    var code: RecordCode {
        RecordCode(rawValue: UInt8(truncatingIfNeeded: rawValue >> Self.codeShift) & 63)
    }

    /// Microseconds; nil when absent or invalid.
    @inline(__always)
    var duration: UInt64? {
        let bits = rawValue & Self.durationMask
        return bits >= Self.invalidDuration ? nil : bits
    }

    var isDurationInvalid: Bool { rawValue & Self.durationMask == Self.invalidDuration }
    var isUndecoded: Bool { rawValue & Self.undecodedBit != 0 }
    var isTimeAssumed: Bool { rawValue & Self.assumedBit != 0 }

    @inline(__always)
    var attempts: Int { Int(rawValue >> Self.attemptsShift) & Self.attemptsMax }

    /// Lines with the digest of this row; ``copiesMax`` when they are counted as claims.
    var copies: Int {
        get { Int(rawValue >> Self.copiesShift) }
        set {
            rawValue &= 1 << Self.copiesShift - 1
            rawValue |= UInt64(newValue) << Self.copiesShift
        }
    }
}
