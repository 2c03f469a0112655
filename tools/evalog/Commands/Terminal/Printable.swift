// Nothing that stands in a log may steer the terminal of the person who reads it.

enum Printable {
    /// `text` with control characters (C0, DEL, C1, line and bidirectional marks) written as `\u{…}`.
    static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: steers) else { return text }
        var safe = ""
        for scalar in text.unicodeScalars {
            if steers(scalar) {
                safe += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
