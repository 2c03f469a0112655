// AirshipJSON from and to text, bytes, Codable values and what JSONSerialization makes.

public import Foundation

extension AirshipJSON: Codable {
    /// - Throws: `AirshipCoreError.nestedTooDeep` below ``CoreLimits/jsonDepthMax`` levels: this
    ///   recurses, and the stacks of a task are small.
    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count < CoreLimits.jsonDepthMax else {
            throw AirshipCoreError.nestedTooDeep
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if var elements = try? decoder.unkeyedContainer() {
            var array: [AirshipJSON] = []
            while !elements.isAtEnd { array.append(try elements.decode(AirshipJSON.self)) }
            self = .array(array)
        } else {
            self = .object(try container.decode([String: AirshipJSON].self))
        }
    }

    /// - Throws: `EncodingError` for a number that is not finite, and
    ///   `AirshipCoreError.nestedTooDeep`, as for reading.
    public func encode(to encoder: any Encoder) throws {
        guard encoder.codingPath.count < CoreLimits.jsonDepthMax else {
            throw AirshipCoreError.nestedTooDeep
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value):
            // As an integer where it is one, so that 3 does not come out as 3.0.
            if let whole = Int64(exactly: value), whole.magnitude <= 1 << 53 {
                try container.encode(whole)
            } else {
                try container.encode(value)
            }
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension AirshipJSON {
    /// Reads a JSON text; nil gives null.
    ///
    /// - Throws: ``AirshipCoreError``, which names a byte offset and holds none of the text.
    public static func from(json: String?) throws(AirshipCoreError) -> AirshipJSON {
        guard let json else { return .null }
        return AirshipJSON(try JSONNode(utf8: Array(json.utf8)))
    }

    /// Reads JSON bytes in UTF-8; nil gives null.
    ///
    /// - Throws: ``AirshipCoreError``, which names a byte offset and holds none of the bytes.
    public static func from(data: Data?) throws(AirshipCoreError) -> AirshipJSON {
        guard let data else { return .null }
        return AirshipJSON(try JSONNode(utf8: Array(data)))
    }

    /// The value as JSON text: names sorted as bytes, slashes not escaped, no spaces.
    ///
    /// - Throws: ``AirshipCoreError``: `nonFiniteNumber` or `nestedTooDeep`.
    public func toString() throws(AirshipCoreError) -> String {
        var writer = JSONWriter()
        try writer.write(self)
        return writer.text
    }

    /// The bytes of ``toString()``.
    public func toData() throws(AirshipCoreError) -> Data {
        Data(try toString().utf8)
    }

    /// Decodes a value of another type from this one; dates are read as ISO 8601 by default.
    ///
    /// - Throws: ``AirshipCoreError``, or what the type's decoding throws, which can hold text.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder? = nil
    ) throws -> Value {
        try (decoder ?? .iso8601).decode(type, from: toData())
    }
}

extension AirshipJSON {
    /// Converts a Foundation or `Encodable` value; nil gives null, dates become ISO 8601 text.
    ///
    /// - Throws: ``AirshipCoreError``: `notRepresentable`, `nonFiniteNumber` or `nestedTooDeep`.
    public static func wrap(_ value: Any?) throws(AirshipCoreError) -> AirshipJSON {
        try wrap(value, depth: 1)
    }

    private static func wrap(_ value: Any?, depth: Int) throws(AirshipCoreError) -> AirshipJSON {
        guard depth <= CoreLimits.jsonDepthMax else { throw .nestedTooDeep }
        switch value {
        case nil, is NSNull: return .null
        case let value as AirshipJSON: return value
        case let value as NSNumber where value.isBoolean: return .bool(value.boolValue)
        case let value as NSNumber: return try finite(value.doubleValue)
        case let value as String: return .string(value)
        case let value as [Any?]:
            var array: [AirshipJSON] = []
            for element in value { array.append(try wrap(element, depth: depth + 1)) }
            return .array(array)
        case let value as [String: Any?]:
            var object: [String: AirshipJSON] = [:]
            for (name, member) in value { object[name] = try wrap(member, depth: depth + 1) }
            return .object(object)
        case let value as any Encodable:
            guard let data = try? JSONEncoder.iso8601.encode(value) else { throw .notRepresentable }
            return try from(data: data)
        default: throw .notRepresentable
        }
    }

    private static func finite(_ value: Double) throws(AirshipCoreError) -> AirshipJSON {
        guard value.isFinite else { throw .nonFiniteNumber }
        return .number(value)
    }
}

extension NSNumber {
    // A cast to Bool succeeds for every 0 and 1; the stored type tells them from true and false.
    fileprivate var isBoolean: Bool {
        let type = objCType.pointee
        let isByte = type == CChar(UInt8(ascii: "c")) || type == CChar(UInt8(ascii: "B"))
        return isByte && (doubleValue == 0 || doubleValue == 1)
    }
}

extension JSONDecoder {
    fileprivate static var iso8601: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}

extension JSONEncoder {
    fileprivate static var iso8601: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }
}
