// What a person has looked at and lets leave: messages, form fields, and values of these.

import EvalogFacts
package import EvalogText

/// A list of what may leave. It only takes away: what the log's own rules withhold, it does not give.
package struct ReviewedCatalog: Sendable {
    private var messages: Set<Identifier> = []
    private var fields: [FormField: Set<ListedValue>] = [:]

    package init() {}

    /// Whether suppressions of this message may leave.
    package func allows(_ message: Identifier) -> Bool { messages.contains(message) }

    /// Whether inferences of this field may leave.
    package func allows(_ field: FormField) -> Bool { fields[field] != nil }

    /// Whether inferences of this field may report this value.
    package func allows(_ value: ListedValue, of field: FormField) -> Bool {
        fields[field]?.contains(value) ?? false
    }

    mutating func add(_ message: Identifier) { messages.insert(message) }

    mutating func add(_ field: FormField, _ values: Set<ListedValue>) {
        fields[field, default: []].formUnion(values)
    }
}

// MARK: The file

extension ReviewedCatalog {
    /// The file, for a person to review: indented JSON, sorted.
    package var bytes: [UInt8] {
        var compact: [UInt8] = []
        JSONWriter.append(to: &compact) { json in
            json.beginObject()
            json.key("v")
            json.integer(1)
            writeMessages(to: &json)
            writeFields(to: &json)
            json.endObject()
        }
        return IndentedJSON.bytes(compact)
    }

    /// Writes a member `messages`.
    func writeMessages(to json: inout JSONWriter) {
        json.key("messages")
        json.beginArray()
        for message in messages.sorted() { json.identifier(message) }
        json.endArray()
    }

    /// Writes a member `fields`.
    func writeFields(to json: inout JSONWriter) {
        json.key("fields")
        json.beginObject()
        for (field, values) in fields.sorted(by: { $0.key < $1.key }) {
            json.key(field.text)
            write(values, &json)
        }
        json.endObject()
    }

    private func write(_ values: Set<ListedValue>, _ json: inout JSONWriter) {
        json.beginObject()
        let byProperty = Dictionary(grouping: values, by: \.property)
        for (property, values) in byProperty.sorted(by: { $0.key < $1.key }) {
            json.key(property)
            json.beginArray()
            for value in values.sorted(by: ListedValue.precedes) { json.member(value) }
            json.endArray()
        }
        json.endObject()
    }

    /// Reads such a file.
    ///
    /// - Throws: ``ReviewedCatalogError`` for the first thing that cannot stand there. A slip must
    ///   not let anything leave, so nothing is passed over.
    package init(_ file: [UInt8]) throws(ReviewedCatalogError) {
        let result = file.withUnsafeBytes { bytes in
            Result { () throws(ReviewedCatalogError) in
                var reader = CatalogReader(bytes)
                return try reader.read()
            }
        }
        self = try result.get()
    }
}

/// Why a file is no reviewed catalog, and where.
package struct ReviewedCatalogError: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case notJSON(TextError.Kind)
        case unknownKey, repeatedKey, missingVersion, unsupportedVersion
        /// A value of another type than its place asks for.
        case wrongType
        case badMessage, badField, badProperty, badValue
    }

    package var kind: Kind
    /// Bytes before the fault.
    package var offset: Int
}

extension FormField {
    fileprivate var text: String {
        var bytes: [UInt8] = []
        form.withText { bytes += $0 }
        bytes.append(UInt8(ascii: "/"))
        field.withText { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }
}
