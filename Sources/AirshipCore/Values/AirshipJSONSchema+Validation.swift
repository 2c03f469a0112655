// Whether a value conforms. Deterministic: `required` in its order, then properties by name.

extension AirshipJSONSchema {
    /// Checks a value against this schema and stops at the first violation.
    ///
    /// Members without a property are ignored. An optional property may be absent or null: models
    /// whose strict mode knows no optional properties answer null instead.
    ///
    /// - Throws: `AirshipCoreError.offSchema` with the path and the rule, without the value;
    ///   `nestedTooDeep` where the schema is.
    public func validate(_ value: AirshipJSON) throws(AirshipCoreError) {
        try checkDepth()
        try validate(value, at: "$")
    }

    private func validate(_ value: AirshipJSON, at path: String) throws(AirshipCoreError) {
        switch kind {
        case .string(let choices):
            guard let text = value.string else { throw .offSchema(path: path, rule: .string) }
            // By bytes: String's == would let another spelling of a choice through.
            guard choices?.contains(where: { $0.utf8.elementsEqual(text.utf8) }) ?? true else {
                throw .offSchema(path: path, rule: .choice)
            }
        case .boolean:
            guard value.isBool else { throw .offSchema(path: path, rule: .boolean) }
        case .integer:
            guard let number = value.number, number.isFinite, number.rounded() == number else {
                throw .offSchema(path: path, rule: .integer)
            }
        case .number:
            guard let number = value.number, number.isFinite else {
                throw .offSchema(path: path, rule: .number)
            }
        case .object(let properties, let required):
            guard let members = value.object else { throw .offSchema(path: path, rule: .object) }
            for name in required ?? [] where members[name] ?? .null == .null {
                throw .offSchema(path: path + "." + name, rule: .required)
            }
            for name in properties?.names.sortedByBytes() ?? [] {
                guard let member = members[name], member != .null else { continue }
                try properties?[name]?.validate(member, at: path + "." + name)
            }
        case .array(let items):
            guard let elements = value.array else { throw .offSchema(path: path, rule: .array) }
            for (index, element) in elements.enumerated() {
                try items.validate(element, at: path + "[\(index)]")
            }
        }
    }
}
