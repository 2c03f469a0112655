// How deep a schema may be nested: one rule for whatever takes one apart by recursion, be it to write
// it, to validate by it, or to make a model's own form of it.

extension AirshipJSONSchema {
    /// Levels of text from a schema to that of a property: `properties` is an object too.
    static let propertyDepth = 2

    /// Checks that its text has at most ``CoreLimits/jsonDepthMax`` levels, so that it can be read
    /// again. Extensions do not count: nothing but the writing of them looks into them.
    ///
    /// - Throws: `AirshipCoreError.nestedTooDeep`.
    package func checkDepth() throws(AirshipCoreError) {
        try checkDepth(at: 1)
    }

    private func checkDepth(at level: Int) throws(AirshipCoreError) {
        // Its words are one further in, and what is in their lists two.
        guard level + (kind.hasList ? 2 : 1) <= CoreLimits.jsonDepthMax else {
            throw .nestedTooDeep
        }
        switch kind {
        case .object(let properties?, _):
            for name in properties.names {
                try properties[name]?.checkDepth(at: level + Self.propertyDepth)
            }
        case .array(let items): try items.checkDepth(at: level + 1)
        case .object, .string, .boolean, .integer, .number: break
        }
    }
}

extension AirshipJSONSchema.Kind {
    fileprivate var hasList: Bool {
        switch self {
        case .string(let list?), .object(_, let list?): !list.isEmpty
        case .string, .boolean, .integer, .number, .object, .array: false
        }
    }
}
