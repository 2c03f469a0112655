// Reads the file of a reviewed catalog, strictly.

import EvalogFacts
import EvalogText

struct CatalogReader {
    private var scanner: JSONScanner
    private var catalog = ReviewedCatalog()

    init(_ text: UnsafeRawBufferPointer) {
        scanner = JSONScanner(text, loneSurrogates: .refused)
    }

    private typealias Failure = ReviewedCatalogError

    mutating func read() throws(ReviewedCatalogError) -> ReviewedCatalog {
        var seen: Set<String> = []
        try object { reader, key, offset throws(Failure) in
            guard seen.insert(key).inserted else {
                throw Failure(kind: .repeatedKey, offset: offset)
            }
            switch key {
            case "v": try reader.version()
            case "messages": try reader.messages()
            case "fields": try reader.fields()
            default: throw Failure(kind: .unknownKey, offset: offset)
            }
        }
        try scan { scanner throws(TextError) in try scanner.end() }
        guard seen.contains("v") else { throw Failure(kind: .missingVersion, offset: 0) }
        return catalog
    }

    private mutating func version() throws(ReviewedCatalogError) {
        try demand(.number)
        let offset = scanner.offset
        guard try scan({ scanner throws(TextError) in try scanner.integer() }) == 1 else {
            throw Failure(kind: .unsupportedVersion, offset: offset)
        }
    }

    private mutating func messages() throws(ReviewedCatalogError) {
        try array { reader throws(Failure) in
            try reader.demand(.string)
            let offset = reader.scanner.offset
            let string = try reader.string()
            guard let message = reader.scanner.withValue(of: string, Identifier.init) else {
                throw Failure(kind: .badMessage, offset: offset)
            }
            reader.catalog.add(message)
        }
    }

    private mutating func fields() throws(ReviewedCatalogError) {
        try object { reader, key, offset throws(Failure) in
            var key = key
            let field = key.withUTF8 { FormField(UnsafeRawBufferPointer($0)) }
            guard let field else { throw Failure(kind: .badField, offset: offset) }
            guard !reader.catalog.allows(field) else {
                throw Failure(kind: .repeatedKey, offset: offset)
            }
            let start = reader.scanner
            try reader.properties()
            let range = start.offset..<reader.scanner.offset
            let values = start.bytes(of: range)
            reader.catalog.add(field, ListedValue.all(in: values))
        }
    }

    /// Checks the object of a field, of which nothing else may be left out later.
    private mutating func properties() throws(ReviewedCatalogError) {
        var seen: Set<String> = []
        try object { reader, property, offset throws(Failure) in
            guard Shape.usage.fits(property) else {
                throw Failure(kind: .badProperty, offset: offset)
            }
            guard seen.insert(property).inserted else {
                throw Failure(kind: .repeatedKey, offset: offset)
            }
            try reader.array { reader throws(Failure) in try reader.value() }
        }
    }

    private mutating func value() throws(ReviewedCatalogError) {
        let isFlag = try kindOfNext() == .bool
        let offset = scanner.offset
        if isFlag {
            _ = try scan { scanner throws(TextError) in try scanner.bool() }
            return
        }
        let string = try string()
        guard scanner.withValue(of: string, { Shape.reportValue.fits($0) }) else {
            throw Failure(kind: .badValue, offset: offset)
        }
    }

    // MARK: JSON

    private mutating func object(
        _ member: (inout Self, _ key: String, _ offset: Int) throws(ReviewedCatalogError) -> Void
    ) throws(ReviewedCatalogError) {
        try demand(.object)
        try scan { scanner throws(TextError) in try scanner.beginObject() }
        while let key = try scan({ scanner throws(TextError) in try scanner.nextKey() }) {
            try member(&self, scanner.value(of: key), key.range.lowerBound)
        }
    }

    private mutating func array(
        _ element: (inout Self) throws(ReviewedCatalogError) -> Void
    ) throws(ReviewedCatalogError) {
        try demand(.array)
        try scan { scanner throws(TextError) in try scanner.beginArray() }
        while try scan({ scanner throws(TextError) in try scanner.nextElement() }) {
            try element(&self)
        }
    }

    private mutating func string() throws(ReviewedCatalogError) -> JSONString {
        try demand(.string)
        return try scan { scanner throws(TextError) in try scanner.string() }
    }

    /// Steps to the next value.
    private mutating func kindOfNext() throws(ReviewedCatalogError) -> JSONScanner.ValueKind {
        try scan { scanner throws(TextError) in try scanner.valueKind() }
    }

    private mutating func demand(
        _ kind: JSONScanner.ValueKind
    ) throws(ReviewedCatalogError) {
        guard try kindOfNext() == kind else {
            throw Failure(kind: .wrongType, offset: scanner.offset)
        }
    }

    private mutating func scan<Value>(
        _ step: (inout JSONScanner) throws(TextError) -> Value
    ) throws(ReviewedCatalogError) -> Value {
        do throws(TextError) {
            return try step(&scanner)
        } catch {
            throw Failure(kind: .notJSON(error.kind), offset: error.offset)
        }
    }
}
