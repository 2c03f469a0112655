// The members of one line, found in a single pass and read when it is known which are due.

package import EvalogText

/// Where the known keys of a line have their values; used again and again, line by line.
///
/// Values are asked for by key and type: nil is an absent or null one, and one of another type
/// throws. What is lent is valid until the next line is read.
package struct LineFields<Field: ClosedList> {
    package private(set) var line = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Known keys that the line has, those with the value `null` included.
    package private(set) var present = FieldSet<Field>()
    /// Keys that are not of `Field`.
    package private(set) var unknownKeyCount = 0

    // A static table asks at every use whether it was made already.
    private let names = Field.names
    private let byteCountMax: Int
    private let loneSurrogates: JSONScanner.LoneSurrogates
    private var values = [Value](
        repeating: Value(kind: .null, range: 0..<0, hasEscapes: false),
        count: Field.allCases.count)
    private var scratch = Scratch()

    /// - Parameters:
    ///   - byteCountMax: Longer lines are refused unread.
    ///   - loneSurrogates: What becomes of half a surrogate pair anywhere in the line.
    package init(byteCountMax: Int, loneSurrogates: JSONScanner.LoneSurrogates) {
        self.byteCountMax = byteCountMax
        self.loneSurrogates = loneSurrogates
    }

    private struct Value {
        var kind: JSONScanner.ValueKind
        /// With quotes.
        var range: Range<Int>
        var hasEscapes: Bool
    }

    /// Checks the whole line and finds its members. What was found in the line before is gone.
    package mutating func read(_ line: UnsafeRawBufferPointer) throws(LineError<Field>) {
        guard line.count <= byteCountMax else {
            throw LineError<Field>(.tooLong, at: byteCountMax)
        }
        self.line = line
        present = []
        unknownKeyCount = 0
        // A copy of this reader must not lose what it has lent.
        if isKnownUniquelyReferenced(&scratch) { scratch.clear() } else { scratch = Scratch() }
        let duplicate: LineError<Field>?
        do {
            duplicate = try findMembers()
        } catch {
            throw LineError<Field>(.notJSON(error.kind), at: error.offset)
        }
        if let duplicate { throw duplicate }
    }

    /// - Returns: The first key that stands twice.
    private mutating func findMembers() throws(TextError) -> LineError<Field>? {
        var scanner = JSONScanner(line, loneSurrogates: loneSurrogates)
        guard try scanner.valueKind() == .object else {
            _ = try scanner.skipValue()
            try scanner.end()
            return LineError<Field>(.notAnObject, at: 0)
        }
        var duplicate: LineError<Field>?
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            guard let field = field(named: key, in: scanner) else {
                _ = try scanner.skipValue()
                unknownKeyCount += 1
                continue
            }
            if present.contains(field), duplicate == nil {
                duplicate = LineError<Field>(.duplicateKey(field), at: key.range.lowerBound)
            }
            present.insert(field)
            values[Int(field.rawValue)] = try value(from: &scanner)
        }
        try scanner.end()
        return duplicate
    }

    private func field(named key: JSONString, in scanner: JSONScanner) -> Field? {
        // Nearly no key has escapes, and a closure that is not called costs nothing.
        let place =
            key.hasEscapes
            ? scanner.withValue(of: key) { names.place(of: $0) }
            : names.place(of: scanner.bytes(of: key.range))
        return place.flatMap(Field.init(rawValue:))
    }

    private func value(from scanner: inout JSONScanner) throws(TextError) -> Value {
        let kind = try scanner.valueKind()
        guard case .string = kind else {
            return Value(kind: kind, range: try scanner.skipValue(), hasEscapes: false)
        }
        let string = try scanner.string()
        return Value(
            kind: .string, range: string.range.lowerBound - 1..<string.range.upperBound + 1,
            hasEscapes: string.hasEscapes)
    }

    // MARK: Values

    /// Where the value of a key stands; nil if the key is absent or null.
    package func range(of field: Field) -> Range<Int>? {
        value(of: field)?.range
    }

    /// A string's bytes, in the line or unescaped; valid until the next line is read.
    package func text(_ field: Field) throws(LineError<Field>) -> UnsafeRawBufferPointer? {
        try place(of: field).map { text($0) }
    }

    /// A string as it stands between its quotes, escapes and all.
    package func escapedText(
        _ field: Field
    ) throws(LineError<Field>) -> UnsafeRawBufferPointer? {
        try place(of: field).map { UnsafeRawBufferPointer(rebasing: line[$0.range]) }
    }

    private func place(of field: Field) throws(LineError<Field>) -> JSONString? {
        guard let value = value(of: field) else { return nil }
        guard case .string = value.kind else { throw bad(field) }
        return JSONString(
            range: value.range.lowerBound + 1..<value.range.upperBound - 1,
            hasEscapes: value.hasEscapes)
    }

    /// As ``text(_:)-(Field)``, for a string that stands within a member's value.
    package func text(_ string: JSONString) -> UnsafeRawBufferPointer {
        let bytes = UnsafeRawBufferPointer(rebasing: line[string.range])
        guard string.hasEscapes else { return bytes }
        return scratch.unescape(bytes)
    }

    /// A string's value as a copy.
    package func string(_ field: Field) throws(LineError<Field>) -> String? {
        try place(of: field).map { JSONScanner(line).value(of: $0) }
    }

    /// A whole number; one out of `range` throws.
    package func integer(
        _ field: Field, in range: ClosedRange<Int64>
    ) throws(LineError<Field>) -> Int64? {
        guard let value = value(of: field) else { return nil }
        guard case .number = value.kind,
            let integer = JSONScanner.integer(UnsafeRawBufferPointer(rebasing: line[value.range])),
            range.contains(integer)
        else { throw bad(field) }
        return integer
    }

    /// A flag.
    package func bool(_ field: Field) throws(LineError<Field>) -> Bool? {
        guard let value = value(of: field) else { return nil }
        guard case .bool = value.kind else { throw bad(field) }
        return line[value.range.lowerBound] == UInt8(ascii: "t")
    }

    /// A UUID of either case.
    package func id(_ field: Field) throws(LineError<Field>) -> UniqueID? {
        guard let text = try text(field) else { return nil }
        guard let id = UniqueID(text) else { throw bad(field) }
        return id
    }

    /// An RFC 3339 time in microseconds since 1970.
    package func time(_ field: Field) throws(LineError<Field>) -> Int64? {
        guard let text = try text(field) else { return nil }
        guard let time = Timestamp.microseconds(text) else { throw bad(field) }
        return time
    }

    /// A name of a closed list; an unknown one is the list's fallback, and throws if it has none.
    package func name<List: ClosedList>(
        _ field: Field, of list: List.Type
    ) throws(LineError<Field>) -> List? {
        guard let text = try text(field) else { return nil }
        guard let name = List(name: text) else { throw bad(field) }
        return name
    }

    /// Any value as it stands, null included.
    package func value(_ field: Field) -> UnsafeRawBufferPointer? {
        guard present.contains(field) else { return nil }
        return UnsafeRawBufferPointer(rebasing: line[values[Int(field.rawValue)].range])
    }

    /// As ``value(_:)``, as a copy without white space between its tokens.
    package func json(_ field: Field) throws(LineError<Field>) -> RawJSON? {
        guard let value = value(field) else { return nil }
        do {
            return try RawJSON(value)
        } catch {
            throw bad(field)
        }
    }

    /// A scanner at the start of an object or array; nil if the key is absent or null.
    package func container(
        _ field: Field, _ kind: JSONScanner.ValueKind
    ) throws(LineError<Field>) -> JSONScanner? {
        guard let value = value(of: field) else { return nil }
        guard value.kind == kind else { throw bad(field) }
        return JSONScanner(line, at: value.range.lowerBound, loneSurrogates: loneSurrogates)
    }

    /// The error of a value that its reader cannot take.
    package func bad(_ field: Field) -> LineError<Field> {
        LineError<Field>(.badValue(field), at: values[Int(field.rawValue)].range.lowerBound)
    }

    private func value(of field: Field) -> Value? {
        guard present.contains(field) else { return nil }
        let value = values[Int(field.rawValue)]
        if case .null = value.kind { return nil }
        return value
    }
}

/// Memory for unescaped strings, which stay where they are until all are cleared.
private final class Scratch {
    /// Only the last, which is the largest, has room.
    private var chunks: [UnsafeMutableRawBufferPointer] = []
    private var usedByteCount = 0

    deinit {
        for chunk in chunks { chunk.deallocate() }
    }

    /// A larger chunk is not kept: what needs one is no line like the others.
    private static let keptByteCountMax = 64 << 10

    /// Takes back everything that was lent; the largest chunk stays for what comes.
    func clear() {
        while chunks.count > 1 { chunks.removeFirst().deallocate() }
        if let last = chunks.last, last.count > Self.keptByteCountMax {
            chunks.removeLast().deallocate()
        }
        usedByteCount = 0
    }

    func unescape(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let room = (chunks.last?.count ?? 0) - usedByteCount
        if room < text.count {
            let doubled = min(2 * (chunks.last?.count ?? 0), Self.keptByteCountMax)
            let byteCount = max(256, text.count, doubled)
            chunks.append(.allocate(byteCount: byteCount, alignment: 1))
            usedByteCount = 0
        }
        let free = UnsafeMutableRawBufferPointer(
            rebasing: chunks[chunks.count - 1][usedByteCount...])
        let count = JSONString.unescape(text, into: free)
        usedByteCount += count
        return UnsafeRawBufferPointer(rebasing: free[..<count])
    }
}
