// Help, rendered from the tables of commands and flags, so that it cannot disagree with the parser.

enum HelpText {
    /// What `evalog` alone, `evalog -h` and `evalog --help` say.
    static func overview() -> String {
        let width = CommandSpec.all.map(\.name.count).max() ?? 0
        let commands = CommandSpec.all.map { "  \(padded($0.name, to: width))  \($0.summary)" }
        return """
            evalog observes on-device AI evaluations: an append-only log in, numbers for dashboards out.

            usage: evalog COMMAND [flags]

            \(commands.joined(separator: "\n"))

            Start with: evalog demo
            Every command takes --log DIR (default $EVALOG_LOG, else ./evalog-log), --quiet, --color.
            Status: 0 done, 1 the answer is no, 2 could not do it.
            More: evalog COMMAND -h (one screen), evalog COMMAND --help (everything)

            """
    }

    private static let aboutWidth = 96

    /// Help on one command; `isFull` adds the details of every flag.
    static func of(_ spec: CommandSpec, isFull: Bool) -> String {
        var lines =
            [
                "usage: evalog \(spec.name)\(spec.operands.isEmpty ? "" : " \(spec.operands)") [flags]",
                "",
            ] + wrapped(spec.about, to: aboutWidth) + [""]
        let flags = spec.allFlags.filter { isFull || !$0.isMinor }
        let heads = flags.map(head)
        let width = heads.map(\.count).max() ?? 0
        for (flag, head) in zip(flags, heads) {
            lines.append("  \(padded(head, to: width))  \(flag.summary)")
            if isFull {
                lines += details(flag).flatMap { wrapped($0, to: 76 - width) }
                    .map { spaces(width + 4) + $0 }
            }
        }
        let unexplained = spec.allFlags.filter { !isFull && $0.isMinor }.map { "--\($0.name)" }
        if !unexplained.isEmpty {
            let others = wrapped(
                "and, in --help, \(unexplained.joined(separator: " "))", to: aboutWidth)
            lines += others.map { spaces(6) + $0 }
        }
        lines += ["", spec.examples.count == 1 ? "example:" : "examples:"]
        for example in spec.examples {
            lines.append("  \(example.line)")
            lines.append("      \(example.does)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What `--help` says of a flag besides its summary.
    static func details(_ flag: Flag) -> [String] {
        let isListed = flag.choices.allSatisfy { (flag.summary + (flag.value ?? "")).contains($0) }
        let list = isListed ? [] : ["One of \(flag.choices.joined(separator: ", "))."]
        return [flag.detail].compactMap(\.self) + list
    }

    private static func head(_ flag: Flag) -> String {
        let letter = flag.letter.map { "-\($0), " } ?? "    "
        return "\(letter)--\(flag.name)\(flag.value.map { " \($0)" } ?? "")"
    }

    /// Lines of so many characters at most, unless a word is longer.
    static func wrapped(_ text: String, to width: Int) -> [String] {
        var lines = [""]
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            if lines[lines.count - 1].count + word.count + 1 > max(width, 30) { lines.append("") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
        }
        return lines
    }
}

func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

/// `text` filled with spaces on the right.
func padded(_ text: String, to width: Int) -> String { text + spaces(width - text.count) }

/// `text` filled with spaces on the left.
func aligned(_ text: String, to width: Int) -> String { spaces(width - text.count) + text }
