// What a consumer has read: an interval set for each stream and writer, and its text form.
//
//     evalog-position 1
//     facts 6f1c2a7e9b3d4c550a1b2c3d4e5f6071 1-250,300-310
//     end 5d41402a
//
// The last line holds the CRC-32 of everything before it, so that a cut or edited file is noticed.

/// The lines that a consumer has seen. Comparing positions compares these, never times.
package struct Position: Hashable, Sendable {
    private var streams: [StreamKind: SequencesByWriter] = [:]

    package init() {}

    /// The sequences of every writer in a stream.
    package subscript(kind: StreamKind) -> SequencesByWriter {
        get { streams[kind] ?? [:] }
        set { streams[kind] = newValue.isEmpty ? nil : newValue }
    }

    package func contains(_ sequence: UInt64, of writer: WriterID, in kind: StreamKind) -> Bool {
        streams[kind]?[writer]?.contains(sequence) ?? false
    }

    package mutating func insert(_ sequences: SequenceSet, of writer: WriterID, in kind: StreamKind)
    {
        guard !sequences.isEmpty else { return }
        streams[kind, default: [:]].insert(sequences, of: writer)
    }

    // MARK: Text

    private static let heading = "evalog-position 1"

    /// UTF-8 text that `init(text:)` reads back exactly; the same position gives the same text.
    package var text: String {
        var text = Self.heading + "\n"
        for kind in streams.keys.sorted() {
            let writers = streams[kind] ?? [:]
            for writer in writers.keys.sorted() {
                let set = writers[writer] ?? SequenceSet()
                guard !set.isEmpty else { continue }
                text += "\(kind.name) \(writer) \(set.text)\n"
            }
        }
        return text + "end \(Self.sum(of: text))\n"
    }

    /// Reads a position's text.
    ///
    /// - Throws: `LogError.position` with the first line that cannot be right. A position is not
    ///   guessed: reading from a wrong one would repeat or leave out lines unseen.
    package init(text: String) throws(LogError) {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard lines.first == Self.heading else { throw .position(line: 1) }
        guard lines.count >= 3, lines.last == "" else { throw .position(line: lines.count) }
        let body = lines.dropLast(2).map { $0 + "\n" }.joined()
        guard lines[lines.count - 2] == "end \(Self.sum(of: body))" else {
            throw .position(line: lines.count - 1)
        }
        for (index, line) in lines.dropLast(2).enumerated().dropFirst() {
            guard let (kind, writer, set) = Self.parse(line), self[kind][writer] == nil else {
                throw .position(line: index + 1)
            }
            self[kind][writer] = set
        }
    }

    private static func parse(_ line: String) -> (StreamKind, WriterID, SequenceSet)? {
        let parts = line.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3,
            let kind = StreamKind.allCases.first(where: { parts[0].elementsEqual($0.name.utf8) }),
            let writer = WriterID(hexadecimal: parts[1]), let set = SequenceSet(text: parts[2])
        else { return nil }
        return (kind, writer, set)
    }

    private static func sum(of text: String) -> String {
        let value = Array(text.utf8).withUnsafeBytes { checksum($0) }
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }
}
