// A JSON text as a value: traces nest what is of interest too deep for reading it in passing.

import EvalogText

/// A JSON value; numbers stay text, objects keep their order and repeated keys.
enum JSONTree {
    struct Member {
        let key: String
        let value: JSONTree
    }

    case object([Member])
    case array([JSONTree])
    case string(String)
    case number(String)
    case bool(Bool)
    case null

    init(_ text: UnsafeRawBufferPointer) throws(TextError) {
        var scanner = JSONScanner(text, loneSurrogates: .replaced)
        self = try Self.read(&scanner)
        try scanner.end()
    }

    /// Recurses no deeper than the scanner allows.
    private static func read(_ scanner: inout JSONScanner) throws(TextError) -> JSONTree {
        switch try scanner.valueKind() {
        case .object:
            var members: [Member] = []
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                let name = text(of: key, scanner)
                members.append(Member(key: name, value: try read(&scanner)))
            }
            return .object(members)
        case .array:
            var elements: [JSONTree] = []
            try scanner.beginArray()
            while try scanner.nextElement() { elements.append(try read(&scanner)) }
            return .array(elements)
        case .string: return .string(text(of: try scanner.string(), scanner))
        case .number:
            let range = try scanner.number()
            return .number(String(decoding: scanner.text[range], as: UTF8.self))
        case .bool: return .bool(try scanner.bool())
        case .null:
            try scanner.null()
            return .null
        }
    }

    private static func text(of string: JSONString, _ scanner: JSONScanner) -> String {
        let piece = UnsafeRawBufferPointer(rebasing: scanner.text[string.range])
        guard string.hasEscapes else { return String(decoding: piece, as: UTF8.self) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(piece.count)
        JSONString.forEachPiece(of: piece) { bytes.append(contentsOf: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Reading

    /// The first member of that name; nil for null, and for what is no object.
    subscript(key: String) -> JSONTree? {
        guard case .object(let members) = self,
            let value = members.first(where: { $0.key == key })?.value
        else { return nil }
        if case .null = value { return nil }
        return value
    }

    var elements: [JSONTree] { if case .array(let elements) = self { elements } else { [] } }
    var text: String? { if case .string(let text) = self, !text.isEmpty { text } else { nil } }

    /// A whole number, also one that stands in a string, as protobuf's JSON has those of 64 bits.
    var integer: Int64? {
        switch self {
        case .number(let text), .string(let text): Int64(text)
        default: nil
        }
    }

    /// What a string means where it is JSON itself, as tracers like to write nested values.
    var unwrapped: JSONTree {
        guard case .string(var text) = self, let first = text.utf8.first,
            first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "\"")
        else { return self }
        let inner = text.withUTF8 { try? JSONTree(UnsafeRawBufferPointer($0)) }
        return inner ?? self
    }

    func write(to json: inout JSONWriter) {
        switch self {
        case .object(let members):
            json.beginObject()
            for member in members {
                json.key(member.key)
                member.value.write(to: &json)
            }
            json.endObject()
        case .array(let elements):
            json.beginArray()
            for element in elements { element.write(to: &json) }
            json.endArray()
        case .string(let text): json.string(text)
        case .number(let text):
            var text = text
            text.withUTF8 { json.raw(compacting: UnsafeRawBufferPointer($0)) }
        case .bool(let value): json.bool(value)
        case .null: json.raw(.null)
        }
    }
}

extension RawJSON {
    fileprivate static let null = (try? RawJSON(Array("null".utf8))) ?? RawJSON(string: "")
}
