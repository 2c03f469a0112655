// JSON values to text that is the same in every run: names sorted as bytes, slashes left alone.

/// Appends JSON to a text.
struct JSONWriter {
    private(set) var text = ""

    init() {}

    mutating func write(_ json: AirshipJSON, depth: Int = 1) throws(AirshipCoreError) {
        guard depth <= CoreLimits.jsonDepthMax else { throw .nestedTooDeep }
        switch json {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let value): try write(value)
        case .string(let value): write(value)
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                try write(element, depth: depth + 1)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, name) in members.keys.sortedByBytes().enumerated() {
                member(name, isFirst: index == 0)
                try write(members[name] ?? .null, depth: depth + 1)
            }
            text += "}"
        }
    }

    /// Writes a member's name and colon, after a comma unless it is the first.
    mutating func member(_ name: String, isFirst: Bool) {
        if !isFirst { text += "," }
        write(name)
        text += ":"
    }

    mutating func raw(_ punctuation: String) {
        text += punctuation
    }

    mutating func write(_ value: Double) throws(AirshipCoreError) {
        guard value.isFinite else { throw .nonFiniteNumber }
        // Whole numbers without ".0", as long as a Double holds them exactly.
        if let whole = Int64(exactly: value), whole.magnitude <= 1 << 53 {
            text += String(whole)
        } else {
            text += value.description
        }
    }

    mutating func write(_ value: String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

extension Sequence<String> {
    /// In the order of their UTF-8 bytes: a String's own order depends on Unicode's tables.
    func sortedByBytes() -> [String] {
        sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
