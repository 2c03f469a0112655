// Bytes to JSONNode, strictly by RFC 8259. Ours because Foundation loses the order of members.

extension JSONNode {
    /// Reads one JSON document.
    ///
    /// - Throws: ``AirshipCoreError``: `malformedJSON`, `nestedTooDeep` or `nonFiniteNumber`.
    /// - Complexity: O(bytes); recursion is bounded by ``CoreLimits/jsonDepthMax``.
    package init(utf8 bytes: [UInt8]) throws(AirshipCoreError) {
        var reader = JSONReader(bytes: bytes)
        self = try reader.document()
    }
}

private struct JSONReader {
    let bytes: [UInt8]
    var offset = 0

    var malformed: AirshipCoreError { .malformedJSON(byteOffset: offset) }
    var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func document() throws(AirshipCoreError) -> JSONNode {
        let node = try value(depth: 1)
        skipSpace()
        guard offset == bytes.count else { throw malformed }
        return node
    }

    mutating func value(depth: Int) throws(AirshipCoreError) -> JSONNode {
        guard depth <= CoreLimits.jsonDepthMax else { throw .nestedTooDeep }
        skipSpace()
        switch byte {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    mutating func object(depth: Int) throws(AirshipCoreError) -> JSONNode {
        var members: [JSONNode.Member] = []
        offset += 1
        skipSpace()
        if take("}") { return .object([]) }
        while true {
            skipSpace()
            guard byte == UInt8(ascii: "\"") else { throw malformed }
            let name = try string()
            skipSpace()
            guard take(":") else { throw malformed }
            members.append(.init(name: name, value: try value(depth: depth + 1)))
            skipSpace()
            if take("}") { return .object(members) }
            guard take(",") else { throw malformed }
        }
    }

    mutating func array(depth: Int) throws(AirshipCoreError) -> JSONNode {
        var elements: [JSONNode] = []
        offset += 1
        skipSpace()
        if take("]") { return .array([]) }
        while true {
            elements.append(try value(depth: depth + 1))
            skipSpace()
            if take("]") { return .array(elements) }
            guard take(",") else { throw malformed }
        }
    }

    mutating func word(
        _ text: StaticString, _ node: JSONNode
    ) throws(AirshipCoreError) -> JSONNode {
        let length = text.utf8CodeUnitCount
        let matches = text.withUTF8Buffer { bytes[offset...].prefix(length).elementsEqual($0) }
        guard matches else { throw malformed }
        offset += length
        return node
    }

    mutating func number() throws(AirshipCoreError) -> Double {
        let start = offset
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        guard let value = Double(String(decoding: bytes[start..<offset], as: UTF8.self)) else {
            throw malformed
        }
        guard value.isFinite else { throw .nonFiniteNumber }
        return value
    }

    mutating func digits() throws(AirshipCoreError) {
        let start = offset
        while let byte, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { offset += 1 }
        guard offset > start else { throw malformed }
    }

    mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }
}

extension JSONReader {
    mutating func string() throws(AirshipCoreError) -> String {
        offset += 1
        let start = offset
        var text: [UInt8] = []
        while let byte {
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw .malformedJSON(byteOffset: start)
                }
                offset += 1
                return string
            case UInt8(ascii: "\\"):
                offset += 1
                try escape(into: &text)
            case 0..<0x20:
                throw malformed
            default:
                text.append(byte)
                offset += 1
            }
        }
        throw malformed
    }

    private mutating func escape(into text: inout [UInt8]) throws(AirshipCoreError) {
        guard let byte else { throw malformed }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try scalar()).utf8)
        default: throw malformed
        }
    }

    /// The scalar of a `\u` escape or of a surrogate pair; half a pair is malformed.
    private mutating func scalar() throws(AirshipCoreError) -> Unicode.Scalar {
        let high = try hexadecimal()
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard high < 0xDC00, take("\\"), take("u") else { throw malformed }
        let low = try hexadecimal()
        guard (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        else { throw malformed }
        return scalar
    }

    private mutating func hexadecimal() throws(AirshipCoreError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw malformed
            }
            value = value << 4 + UInt32(digit)
            offset += 1
        }
        return value
    }
}
