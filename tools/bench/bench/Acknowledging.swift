// A writer that says what it has confirmed, for tests that kill it.

import EvalogFacts
import EvalogLog
import Workload

/// Lines between two confirmations.
private let linesPerConfirmation = 10

/// Appends the lines to a log, and after each flush prints how many lines were confirmed so far.
///
/// Nothing is buffered between the flush and the print: what a killed run has printed is in the log.
func acknowledge(_ arguments: BenchArguments, to path: String) throws {
    let writer = try LogWriter(LogDirectory(path: path))
    var count = 0
    try workload(arguments).forEachLine { line in
        let outcome = writer.append(line.bytes, to: .facts, eventTime: line.fact?.time ?? 0)
        guard case .accepted = outcome else { throw BenchFailure(what: "the log refused a line") }
        count += 1
        guard count % linesPerConfirmation == 0 else { return }
        try writer.flush()
        var text = Array("\(count)\n".utf8)
        try writeOut(&text)
    }
    try writer.close()
    var text = Array("\(count)\n".utf8)
    try writeOut(&text)
}
