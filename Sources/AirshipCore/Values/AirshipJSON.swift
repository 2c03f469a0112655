// A JSON value of any shape: what models answer and authors attach.

/// Any JSON value. Numbers are doubles, so whole numbers beyond 2^53 lose precision.
public indirect enum AirshipJSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([AirshipJSON])
    case object([String: AirshipJSON])

    /// The text of a string, nil for anything else.
    public var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The value of a number, nil for anything else.
    public var number: Double? {
        guard case .number(let value) = self else { return nil }
        return value
    }

    /// The same as ``number``.
    public var double: Double? { number }

    /// The value of a whole number that fits, nil for anything else.
    public var int: Int? { number.flatMap(Int.init(exactly:)) }

    /// The value of a boolean, nil for anything else; numbers are no booleans.
    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The elements of an array, nil for anything else.
    public var array: [AirshipJSON]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    /// The members of an object, nil for anything else.
    public var object: [String: AirshipJSON]? {
        guard case .object(let value) = self else { return nil }
        return value
    }

    public var isNull: Bool { self == .null }
    public var isString: Bool { string != nil }
    public var isNumber: Bool { number != nil }
    public var isBool: Bool { bool != nil }
    public var isArray: Bool { array != nil }
    public var isObject: Bool { object != nil }

    /// The member of that name; nil when absent, or when this is no object.
    public subscript(name: String) -> AirshipJSON? { object?[name] }

    /// The element there; nil when out of range, or when this is no array.
    public subscript(index: Int) -> AirshipJSON? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }
}

/// Every literal is a value, `nil` too: where an `AirshipJSON?` is expected, the `nil` of
/// `condition ? json : nil` is JSON's null and not the absence of a value.
extension AirshipJSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .number(Double(value)) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: AirshipJSON...) { self = .array(elements) }

    /// Of names written twice the first counts.
    public init(dictionaryLiteral elements: (String, AirshipJSON)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { first, _ in first }))
    }
}
