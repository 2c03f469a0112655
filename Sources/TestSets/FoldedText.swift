// Facts in texts: whether a summary says what it must, in whatever case, spacing and spelling of letters.

import Foundation

/// A text in which facts are looked for: in any case, whatever white space is between words, and with
/// letters composed or not (NFC).
struct FoldedText {
    private let scalars: [Unicode.Scalar]

    init(_ text: String) {
        var folded: [Unicode.Scalar] = []
        // Lower case can take letters apart again.
        for scalar in text.lowercased().precomposedStringWithCanonicalMapping.unicodeScalars {
            if !scalar.properties.isWhitespace {
                folded.append(scalar)
            } else if let last = folded.last, last != " " {
                folded.append(" ")
            }
        }
        if folded.last == " " { folded.removeLast() }
        scalars = folded
    }

    /// Whether nothing is left to look for.
    var isEmpty: Bool { scalars.isEmpty }

    /// Whether it has the fact in words and numbers of its own: "12" is neither in "2012" nor in "1,200",
    /// "12.5" or "0.12".
    func says(_ fact: String) -> Bool {
        let wanted = Self(fact).scalars
        guard let first = wanted.first, wanted.count <= scalars.count else { return false }
        return (0...(scalars.count - wanted.count)).contains { start in
            let end = start + wanted.count
            return scalars[start] == first && scalars[start..<end].elementsEqual(wanted)
                && isBoundary(start) && isBoundary(end)
        }
    }

    /// Whether no word and no number goes on across that place.
    private func isBoundary(_ place: Int) -> Bool {
        guard place > 0, place < scalars.count else { return true }
        let (before, after) = (scalars[place - 1], scalars[place])
        if before.isOfWord, after.isOfWord { return false }
        // Digits, a separator, digits are one number; the place is on either side of the separator.
        if before.isDigit, after.isSeparator {
            return place + 1 == scalars.count || !scalars[place + 1].isDigit
        }
        if before.isSeparator, after.isDigit { return place < 2 || !scalars[place - 2].isDigit }
        return true
    }
}

extension Unicode.Scalar {
    fileprivate var isOfWord: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: properties.isAlphabetic || properties.numericType != nil
        }
    }

    fileprivate var isDigit: Bool { properties.numericType == .decimal }

    /// Of decimals and thousands.
    fileprivate var isSeparator: Bool {
        [".", ",", "'", "\u{2019}", "\u{66B}", "\u{66C}"].contains(self)
    }
}
