// What is planted: texts that nobody else writes, each with a name of what it was planted in.

import EvalogText

/// Where a marker is planted. The two letters stand in the marker, so that a find says what leaked.
enum Kind: String {
    case instructions = "in"
    case schemaText = "sd"
    case schemaKey = "sk"
    case contextItem = "cx"
    /// What a user typed, and a question's own words.
    case userText = "ut"
    case outputKey = "ok"
    case outputValue = "ov"
    case errorText = "er"
    case nestedError = "ne"
    case serverBody = "hb"
    case serverHeader = "hh"
    case requestHeader = "rh"
    case address = "ur"
    case key = "ky"
    case skipReason = "rs"
    /// In place of an identifier, of a form that no identifier has.
    case identifier = "id"
    case extras = "ex"
    case hint = "hi"
    case description = "bd"
    case messageName = "mn"
}

/// Makes markers and keeps what it was asked for until a ledger takes it.
///
/// The same seed gives the same texts.
struct Planter: Sendable {
    /// Every marker begins so; tools/canary/markers.py knows it too.
    static let prefix = "vq7zcanary"
    /// The first digits of every number that is planted: 15 in all, which a double holds.
    static let numberPrefix: Int64 = 7_317_319
    /// What may be reported, and has to appear: it is no secret.
    static let optedInPrefix = "opted"

    private var dice: SplitMix64
    private(set) var planted: [String] = []

    init(seed: UInt64) { dice = SplitMix64(seed: seed) }

    /// 0 ..< bound.
    mutating func roll(_ bound: Int) -> Int { Int(dice.next() % UInt64(bound)) }

    mutating func oneIn(_ bound: Int) -> Bool { roll(bound) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[roll(elements.count)] }

    /// A marker alone: letters and digits.
    mutating func mark(_ kind: Kind) -> String {
        let mark = Self.prefix + kind.rawValue + randomPart()
        planted.append(mark)
        return mark
    }

    /// A text with a marker at both ends, so that no part of it is without one for long.
    mutating func text(_ kind: Kind) -> String {
        let text =
            Self.prefix + kind.rawValue + randomPart() + pick(Self.middles) + Self.prefix
            + kind.rawValue + randomPart()
        planted.append(text)
        return text
    }

    mutating func number() -> Double {
        let number = Self.numberPrefix * 100_000_000 + Int64(roll(100_000_000))
        planted.append(String(number))
        return Double(number)
    }

    mutating func takePlanted() -> [String] {
        defer { planted.removeAll(keepingCapacity: true) }
        return planted
    }

    private mutating func randomPart() -> String {
        var bits = dice.next()
        var letters: [UInt8] = []
        for _ in 0..<12 {
            letters.append(Self.alphabet[Int(bits & 31)])
            bits >>= 5
        }
        return String(decoding: letters, as: UTF8.self)
    }

    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// With all that escapes, quotes and breaks lines.
    private static let middles = [
        " ", " likes \"strong\" tea, ", " wrote:\r\n\tline \\ two\n", "\u{1B}[2J\u{7}",
        " 🫖 füßе\u{301} ",
        ", {\"a\":[1,2]} ", " =SUM(A1) ", " </condition>\n```\n", " 100 % of %41 &amp; ",
        "\u{0}\u{202E}",
    ]
}
