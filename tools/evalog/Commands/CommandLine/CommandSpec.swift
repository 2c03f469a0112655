// A command as a value: what the help says of it, what the parser accepts for it, what runs it.

/// How a run ends.
package enum ExitStatus: Int32, Sendable {
    /// Done.
    case done = 0
    /// Done, and the answer is no: damage found, lines refused, a threshold broken.
    case no = 1
    /// Could not do it.
    case failed = 2

    /// What each says, in words.
    static let meanings: [(status: String, words: String)] = [
        ("0", "Done, and the output is whole."),
        ("1", "Done, and the answer is no: damage, a broken threshold, refused lines."),
        ("2", "Could not do it; standard error says why, and what to try."),
        (
            "128+N",
            "As a shell shows it: ended by signal N, 130 by Ctrl-C, 141 where the reader of the output"
                + " wanted no more of it, as head does. Files are as they were, or whole."
        ),
    ]
}

/// One command of `evalog`.
struct CommandSpec: Sendable {
    let name: String
    /// One line for the list of commands.
    let summary: String
    /// The operands as the usage line shows them.
    var operands = ""
    var operandCount: ClosedRange<Int> = 0...0
    /// All that an operand can be, where that is a short list.
    var operandChoices: [String] = []
    /// A paragraph for the help.
    let about: String
    let flags: [Flag]
    /// Command lines with what they do; at least one.
    let examples: [(line: String, does: String)]
    /// Checks the arguments, touching no file, and returns the work.
    let prepare: @Sendable (Arguments, Console) throws -> Work

    typealias Work = () throws -> ExitStatus

    var allFlags: [Flag] { flags + Flag.common }
}

extension CommandSpec {
    /// Every command, in the order in which a newcomer meets them.
    static let all: [CommandSpec] = [
        .demo, .import, .tail, .top, .replay, .export, .report, .check, .drift, .coverage, .testSet,
        .explain,
        .verify, .maintain, .erase, .status, .completions, .manual,
    ]
}
