// Lines of other tools' traces → evaluation records, as an app would hand them over. What is kept of a
// record, and where, is then the same for all of them.

package import EvalogText

/// Whose lines are read.
package enum TraceFormat: String, CaseIterable, Sendable {
    /// OTLP/JSON, one `ExportTraceServiceRequest` a line, with spans of the conventions for generative
    /// AI: what the OpenTelemetry Collector's file exporter writes.
    case otlp
    /// Langfuse's traces with their observations, one a line.
    case langfuse
}

/// What became of the parts of traces that are no evaluation.
///
/// Names come from fixed lists, never from a trace: they are shown to people.
package struct Unmapped: Hashable, Sendable {
    /// Spans and observations by why no evaluation was made of them.
    package private(set) var parts: [String: Int] = [:]
    /// Attributes of evaluations that have no place in a record.
    package private(set) var attributes: [String: Int] = [:]

    package init() {}

    /// Whether everything was mapped.
    package var isEmpty: Bool { parts.isEmpty && attributes.isEmpty }

    mutating func part(_ why: String) { parts[why, default: 0] += 1 }

    mutating func attribute(_ name: StaticString) { attributes["\(name)", default: 0] += 1 }
}

/// Reads lines of one format.
package struct TraceImporter {
    private let format: TraceFormat
    package private(set) var unmapped = Unmapped()

    package init(_ format: TraceFormat) {
        self.format = format
    }

    /// The evaluations of a line as lines of evaluation records (schemas/evaluation-record-v1), in the
    /// order in which they stand there; none where the line has none.
    ///
    /// Each has an id from the trace's own ids, so that importing again adds nothing.
    /// - Throws: ``TextError`` for a line that is no JSON; `.unexpectedByte` at 0 where it is no trace
    ///   of the format.
    /// - Complexity: Several times the memory of the line.
    package mutating func records(
        of line: UnsafeRawBufferPointer
    ) throws(TextError) -> [[UInt8]] {
        let tree = try JSONTree(line)
        let drafts: [RecordDraft]?
        switch format {
        case .otlp: drafts = OTLPTraces.evaluations(in: tree, &unmapped)
        case .langfuse: drafts = LangfuseTraces.evaluations(in: tree, &unmapped)
        }
        guard let drafts else { throw TextError(.unexpectedByte, at: 0) }
        return drafts.map(\.bytes)
    }
}
