// The shape that an answer must have: the subset of JSON Schema that layouts and features author.

/// A node of a schema. A property is optional unless `required` names it; any node may be the root.
public struct AirshipJSONSchema: Hashable, Sendable {
    /// What values the node accepts.
    public indirect enum Kind: Hashable, Sendable {
        /// Any string, or exactly one of the choices; no choices at all accept nothing.
        case string(choices: [String]?)
        case boolean
        /// A number without a fraction; 42.0 is one.
        case integer
        case number
        /// Nil properties accept any object; `required` counts also for names without a property.
        case object(properties: Properties?, required: [String]?)
        case array(items: AirshipJSONSchema)
    }

    public var kind: Kind

    /// Tells the model what to put here; never affects validation.
    public var description: String?

    /// Vendor keys, all beginning with `x-`, none null; they never affect validation.
    public let extensions: [String: AirshipJSON]

    /// Keeps of the extensions those whose name begins with `x-` and whose value is not null.
    public init(
        _ kind: Kind, description: String? = nil, extensions: [String: AirshipJSON] = [:]
    ) {
        self.kind = kind
        self.description = description
        self.extensions = extensions.filter { $0.key.hasPrefix("x-") && $0.value != .null }
    }
}

extension AirshipJSONSchema {
    public static func string(
        description: String? = nil, choices: [String]? = nil,
        extensions: [String: AirshipJSON] = [:]
    ) -> Self {
        Self(.string(choices: choices), description: description, extensions: extensions)
    }

    public static func boolean(
        description: String? = nil, extensions: [String: AirshipJSON] = [:]
    ) -> Self {
        Self(.boolean, description: description, extensions: extensions)
    }

    public static func integer(
        description: String? = nil, extensions: [String: AirshipJSON] = [:]
    ) -> Self {
        Self(.integer, description: description, extensions: extensions)
    }

    public static func number(
        description: String? = nil, extensions: [String: AirshipJSON] = [:]
    ) -> Self {
        Self(.number, description: description, extensions: extensions)
    }

    public static func object(
        description: String? = nil, properties: Properties? = nil, required: [String]? = nil,
        extensions: [String: AirshipJSON] = [:]
    ) -> Self {
        Self(
            .object(properties: properties, required: required), description: description,
            extensions: extensions)
    }

    public static func array(
        description: String? = nil, items: AirshipJSONSchema,
        extensions: [String: AirshipJSON] = [:]
    ) -> Self {
        Self(.array(items: items), description: description, extensions: extensions)
    }
}

extension AirshipJSONSchema {
    /// An object's properties in authored order, which is the order in which models write them.
    ///
    /// Equality ignores the order: it directs a model, it does not change what is valid.
    public struct Properties: Hashable, Sendable, ExpressibleByDictionaryLiteral {
        /// The names, in authored order.
        public private(set) var names: [String] = []
        private var schemas: [String: AirshipJSONSchema] = [:]

        /// Of a name that occurs twice the first counts.
        public init(_ properties: some Sequence<(String, AirshipJSONSchema)>) {
            for (name, schema) in properties where schemas[name] == nil {
                names.append(name)
                schemas[name] = schema
            }
        }

        public init(dictionaryLiteral elements: (String, AirshipJSONSchema)...) {
            self.init(elements)
        }

        public subscript(name: String) -> AirshipJSONSchema? { schemas[name] }

        public static func == (left: Self, right: Self) -> Bool { left.schemas == right.schemas }

        public func hash(into hasher: inout Hasher) { hasher.combine(schemas) }
    }
}
