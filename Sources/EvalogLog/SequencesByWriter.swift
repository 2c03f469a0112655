// Which lines of a stream: a set of sequences for each writer.

package typealias SequencesByWriter = [WriterID: SequenceSet]

extension SequencesByWriter {
    /// How many lines there are.
    package var lineCount: UInt64 { values.reduce(0) { $0 + $1.count } }

    /// Whether another has all of the lines.
    package func isSubset(of other: Self) -> Bool {
        allSatisfy { $1.subtracting(other[$0] ?? SequenceSet()).isEmpty }
    }

    package mutating func insert(_ sequences: SequenceSet, of writer: WriterID) {
        guard !sequences.isEmpty else { return }
        self[writer, default: .init()].formUnion(sequences)
    }

    /// Adds all lines of a block, or of what stands for one.
    mutating func insert(_ header: BlockHeader) {
        self[header.writer, default: .init()].insert(header.sequences)
    }

    mutating func formUnion(_ other: Self) {
        for (writer, sequences) in other { insert(sequences, of: writer) }
    }

    /// The lines of a block that are in the set.
    func lines(of header: BlockHeader) -> SequenceSet {
        guard let sequences = self[header.writer] else { return SequenceSet() }
        return SequenceSet(header.sequences).intersection(sequences)
    }
}
