// A terminal that is drawn on in place, and left as it was found.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The alternate screen of the terminal on standard output, with single keys from standard input.
///
/// Keys are read only where standard input is a terminal as well. One thread at a time.
final class TerminalScreen: @unchecked Sendable {
    private let output: Output
    /// Whether keys can be read.
    let hasKeys: Bool
    private var saved: termios?
    private var isEntered = false
    private var ending: Interrupts.Ending?

    init(_ output: Output) {
        self.output = output
        hasKeys = isatty(STDIN_FILENO) == 1
    }

    deinit { leave() }

    /// Columns and rows; 80 by 24 where the terminal does not tell.
    var size: TopScreen.Size {
        var size = winsize()
        guard ioctl(output.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0,
            size.ws_row > 0
        else { return TopScreen.Size(width: 80, height: 24) }
        return TopScreen.Size(width: Int(size.ws_col), height: Int(size.ws_row))
    }

    /// Switches to the alternate screen, hides the cursor, and has keys come one by one.
    func enter() throws {
        guard !isEntered else { return }
        isEntered = true
        ending = Interrupts.atEnd { [weak self] in self?.leave() }
        var settings = termios()
        if hasKeys, tcgetattr(STDIN_FILENO, &settings) == 0 {
            saved = settings
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
        }
        try output.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
        try output.flush()
    }

    /// Puts everything back; of no effect the second time. Works on a terminal that is gone.
    func leave() {
        guard isEntered else { return }
        isEntered = false
        ending?.cancel()
        try? output.write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        try? output.flush()
        if var settings = saved { tcsetattr(STDIN_FILENO, TCSADRAIN, &settings) }
        saved = nil
    }

    /// Replaces what is shown. `lines` hold no control characters and fit the terminal.
    func draw(_ lines: [String], isFirstBold: Bool) throws {
        var text = "\u{1B}[H"
        for (number, line) in lines.enumerated() {
            if number > 0 { text += "\r\n" }
            text += number == 0 && isFirstBold ? "\u{1B}[1m\(line)\u{1B}[0m" : line
            text += "\u{1B}[K"
        }
        try output.write(text + "\u{1B}[J")
        try output.flush()
    }
}
