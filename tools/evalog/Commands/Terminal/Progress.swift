// How far long work has come, on a terminal only.

import AirshipCore

/// A line on stderr that is rewritten at most ten times a second.
final class Progress: Sendable {
    private let console: Console
    private let verb: String
    private let isShown: Bool
    private let lastShown = Locked<Int64>(0)

    init(_ verb: String, console: Console) {
        self.console = console
        self.verb = verb
        isShown = console.errors.isTerminal && !console.isQuiet
    }

    /// `done` of `total` bytes; a total of 0 is one that is not known.
    func update(done: Int64, total: Int64, lines: Int64) {
        let share = total > 0 ? " \(min(100, done * 100 / total)) %" : ""
        update("\(verb)\(share)  \(Figures.count(lines)) lines  \(Figures.bytes(done))")
    }

    /// `done` of `total` steps.
    func update(done: Int, total: Int) { update("\(verb)  \(done) of \(total)") }

    private func update(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        let now = console.now()
        let isDue = lastShown.withLock { last in
            guard now - last >= 100_000 else { return false }
            last = now
            return true
        }
        if isDue { show(text()) }
    }

    /// Takes the line away again.
    func end() {
        guard isShown, lastShown.withLock({ $0 }) != 0 else { return }
        show("")
    }

    private func show(_ text: String) {
        try? console.errors.write("\r\u{1B}[K\(Printable.text(text))")
        try? console.errors.flush()
    }
}
