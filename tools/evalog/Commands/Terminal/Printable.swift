// Nothing that stands in a log may steer the terminal of the person who reads it.

import EvalogText

enum Printable {
    /// `text` with control characters, and others that are not seen, written as `\u{…}`.
    static func text(_ text: String) -> String {
        escaped(text, but: nil) { "\\u{\(String($0.value, radix: 16))}" }
    }

    /// JSON with the same characters, but line feeds, written as `\u0000`: the same value still.
    static func json(_ text: String) -> String {
        escaped(text, but: "\n") { scalar in
            String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            }.joined()
        }
    }

    private static func escaped(
        _ text: String, but exception: Unicode.Scalar?, by form: (Unicode.Scalar) -> String
    ) -> String {
        func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
            scalar.isControl && scalar != exception
        }
        guard text.unicodeScalars.contains(where: isEscaped) else { return text }
        var safe = ""
        for scalar in text.unicodeScalars {
            if isEscaped(scalar) {
                safe += form(scalar)
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }
}
