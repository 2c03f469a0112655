// What a person is told when something could not be done.

/// What happened and where, and what to try. Never holds content of the log.
package struct CommandFailure: Error, Equatable {
    package let what: String
    package let hint: String?

    package init(_ what: String, hint: String? = nil) {
        self.what = what
        self.hint = hint
    }

    /// The same failure, and what it has led to.
    func adding(_ consequence: String) -> Self { Self("\(what); \(consequence)", hint: hint) }
}

/// The reader of our output went away: the run ends as that of any filter, by SIGPIPE.
struct ClosedPipe: Error {}
