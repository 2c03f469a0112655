// Names of reported properties in facts: schemas are written in the style of apps, facts are not.

import EvalogFacts

/// The name that a property has in facts.
package enum FactName {
    /// Lower case words with `_` between them: `topic.needsReply` is `topic_needs_reply`. Nil for
    /// what is not one word, as subjects are: a sentence would get into facts as a name.
    ///
    /// Every run of other characters is one `_`, and what begins with no letter gets `x_` before
    /// it. Two paths can have one name, and a long one is no name of a fact.
    package static func of(path: String) -> String? {
        guard Shape.subject.fits(path) else { return nil }
        let bytes = Array(path.utf8)
        var name: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            guard byte.isLower || byte.isUpper || byte.isDigit else {
                if name.last != underscore { name.append(underscore) }
                continue
            }
            if byte.isUpper, index > 0 {
                let before = bytes[index - 1]
                let endsCapitals =
                    before.isUpper && index + 1 < bytes.count && bytes[index + 1].isLower
                if before.isLower || before.isDigit || endsCapitals { name.append(underscore) }
            }
            name.append(byte.isUpper ? byte | 0x20 : byte)
        }
        if name.first?.isLower != true { name.insert(contentsOf: Array("x_".utf8), at: 0) }
        return String(decoding: name, as: UTF8.self)
    }

    private static let underscore = UInt8(ascii: "_")
}

extension UInt8 {
    fileprivate var isLower: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
    fileprivate var isUpper: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
