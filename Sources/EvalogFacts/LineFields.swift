// The members of one line, found in a single pass and read when it is known which are due.

import EvalogText

/// Where the known keys of a line have their values; used again and again, line by line.
struct LineFields {
    private(set) var line = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Known keys that the line has, those with the value `null` included.
    private(set) var present = FactFieldSet()
    /// Keys that no kind of line has.
    private(set) var unknownKeyCount = 0
    private var values = [Value](
        repeating: Value(kind: .null, range: 0..<0, hasEscapes: false),
        count: FactField.allCases.count)
    private var scratch = Scratch(byteCount: 0)

    private struct Value {
        var kind: JSONScanner.ValueKind
        /// With quotes.
        var range: Range<Int>
        var hasEscapes: Bool
    }

    /// Checks the whole line and finds its members. What was found in the line before is gone.
    mutating func read(_ line: UnsafeRawBufferPointer) throws(FactError) {
        guard line.count <= FactLimits.lineByteCountMax else {
            throw FactError(.tooLong, at: FactLimits.lineByteCountMax)
        }
        self.line = line
        present = []
        unknownKeyCount = 0
        scratch.usedByteCount = 0
        let duplicate: FactError?
        do {
            duplicate = try findMembers()
        } catch {
            throw FactError(.notJSON(error.kind), at: error.offset)
        }
        if let duplicate { throw duplicate }
    }

    /// - Returns: The first key that stands twice.
    private mutating func findMembers() throws(TextError) -> FactError? {
        var scanner = JSONScanner(line)
        guard try scanner.valueKind() == .object else {
            _ = try scanner.skipValue()
            try scanner.end()
            return FactError(.notAnObject, at: 0)
        }
        var duplicate: FactError?
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            guard let field = scanner.withValue(of: key, { FactField(name: $0) }) else {
                _ = try scanner.skipValue()
                unknownKeyCount += 1
                continue
            }
            if present.contains(field), duplicate == nil {
                duplicate = FactError(.duplicateKey(field), at: key.range.lowerBound)
            }
            present.insert(field)
            values[Int(field.rawValue)] = try value(from: &scanner)
        }
        try scanner.end()
        return duplicate
    }

    private func value(from scanner: inout JSONScanner) throws(TextError) -> Value {
        let kind = try scanner.valueKind()
        guard kind == .string else {
            return Value(kind: kind, range: try scanner.skipValue(), hasEscapes: false)
        }
        let string = try scanner.string()
        return Value(
            kind: .string, range: string.range.lowerBound - 1..<string.range.upperBound + 1,
            hasEscapes: string.hasEscapes)
    }

    // MARK: Values

    /// Where the value of a key stands; nil if the key is absent or null.
    func range(of field: FactField) -> Range<Int>? {
        value(of: field)?.range
    }

    /// A string's bytes, in the line or unescaped; valid until the next line is read.
    mutating func text(_ field: FactField) throws(FactError) -> UnsafeRawBufferPointer? {
        guard let value = value(of: field) else { return nil }
        guard value.kind == .string else { throw bad(field) }
        return text(
            JSONString(
                range: value.range.lowerBound + 1..<value.range.upperBound - 1,
                hasEscapes: value.hasEscapes))
    }

    /// As ``text(_:)-(FactField)``, for a string that stands within a member's value.
    mutating func text(_ string: JSONString) -> UnsafeRawBufferPointer {
        let bytes = UnsafeRawBufferPointer(rebasing: line[string.range])
        guard string.hasEscapes else { return bytes }
        // All strings of a line together never need more than the line has: this happens at most
        // at a line's first. A copy of the decoder must not write over what this one has lent.
        if scratch.bytes.count < line.count || !isKnownUniquelyReferenced(&scratch) {
            scratch = Scratch(byteCount: line.count)
        }
        return scratch.unescape(bytes)
    }

    func integer(
        _ field: FactField, in range: ClosedRange<Int64>
    ) throws(FactError) -> Int64? {
        guard let value = value(of: field) else { return nil }
        guard value.kind == .number,
            let integer = JSONScanner.integer(UnsafeRawBufferPointer(rebasing: line[value.range])),
            range.contains(integer)
        else { throw bad(field) }
        return integer
    }

    func bool(_ field: FactField) throws(FactError) -> Bool? {
        guard let value = value(of: field) else { return nil }
        guard value.kind == .bool else { throw bad(field) }
        return line[value.range.lowerBound] == UInt8(ascii: "t")
    }

    mutating func id(_ field: FactField) throws(FactError) -> UniqueID? {
        guard let text = try text(field) else { return nil }
        guard let id = UniqueID(text) else { throw bad(field) }
        return id
    }

    mutating func time(_ field: FactField) throws(FactError) -> Int64? {
        guard let text = try text(field) else { return nil }
        guard let time = Timestamp.microseconds(text) else { throw bad(field) }
        return time
    }

    mutating func name<List: ClosedList>(
        _ field: FactField, of list: List.Type
    ) throws(FactError) -> List? {
        guard let text = try text(field) else { return nil }
        guard let name = List(name: text) else { throw bad(field) }
        return name
    }

    /// A scanner at the start of an object or array; nil if the key is absent or null.
    func container(
        _ field: FactField, _ kind: JSONScanner.ValueKind
    ) throws(FactError) -> JSONScanner? {
        guard let value = value(of: field) else { return nil }
        guard value.kind == kind else { throw bad(field) }
        return JSONScanner(line, at: value.range.lowerBound)
    }

    func bad(_ field: FactField) -> FactError {
        FactError(.badValue(field), at: values[Int(field.rawValue)].range.lowerBound)
    }

    func missing(_ field: FactField) -> FactError {
        FactError(.missing(field), at: line.count)
    }

    private func value(of field: FactField) -> Value? {
        guard present.contains(field) else { return nil }
        let value = values[Int(field.rawValue)]
        return value.kind == .null ? nil : value
    }
}

/// Memory for unescaped strings, which stays where it is while strings are lent from it.
private final class Scratch {
    let bytes: UnsafeMutableRawBufferPointer
    var usedByteCount = 0

    init(byteCount: Int) {
        bytes = .allocate(byteCount: byteCount, alignment: 1)
    }

    deinit {
        bytes.deallocate()
    }

    func unescape(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let free = UnsafeMutableRawBufferPointer(rebasing: bytes[usedByteCount...])
        let count = JSONString.unescape(text, into: free)
        usedByteCount += count
        return UnsafeRawBufferPointer(rebasing: free[..<count])
    }
}
