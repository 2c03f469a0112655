// Nothing that stands in a log may steer the terminal of the person who reads it.

import EvalogText

enum Printable {
    /// `text` with control characters, and others that are not seen, written as `\u{…}`.
    static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: \.isControl) else { return text }
        var safe = ""
        for scalar in text.unicodeScalars {
            if scalar.isControl {
                safe += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }
}
