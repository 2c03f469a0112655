// Names of tags that are drawn anew for every question, so that no text can close them. Where
// instructions stand for what was asked about, these must not tell two questions apart.

enum FenceNames {
    /// Bytes of a name; no tag of somebody's own is as long.
    private static let nameMax = 64
    /// Hexadecimal digits of the part that is drawn: fewer may be anybody's.
    private static let digitMin = 6

    /// The text without what was drawn in the names of its tags: `<input_3fa94c01>` is `<input_>`.
    static func removed(from text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "<")) else { return text }
        var kept: [UInt8] = []
        kept.reserveCapacity(text.utf8.count)
        var rest = Array(text.utf8)[...]
        while let tag = rest.firstIndex(of: UInt8(ascii: "<")) {
            kept += rest[...tag]
            rest = rest[(tag + 1)...]
            if rest.first == UInt8(ascii: "/") { kept.append(rest.removeFirst()) }
            let name = rest.prefix(nameMax).prefix(while: isOfName)
            guard rest.dropFirst(name.count).first == UInt8(ascii: ">") else { continue }
            kept += name.dropLast(drawnCount(of: name))
            rest = rest.dropFirst(name.count)
        }
        return String(decoding: kept + rest, as: UTF8.self)
    }

    /// The bytes at the end that are digits and hyphens after the first separator before them.
    private static func drawnCount(of name: ArraySlice<UInt8>) -> Int {
        let tail = name.reversed().prefix { isDigit($0) || isSeparator($0) }
        // From a separator on: the digits of `<face>` are its name.
        let drawn = tail.reversed().drop { !isSeparator($0) }.drop(while: isSeparator)
        return drawn.count(where: isDigit) < digitMin ? 0 : drawn.count
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        isSeparator(byte) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte | 0x20
    }
}
