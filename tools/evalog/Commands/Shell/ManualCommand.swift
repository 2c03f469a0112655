// evalog manual: the page for man, from the table of commands and flags.

extension CommandSpec {
    static let manual = CommandSpec(
        name: "manual", summary: "this manual, as a page for man",
        about: """
            Prints the manual page evalog(1), with every command and flag, in the language of man. make
            install puts it where man looks.
            """,
        flags: [],
        examples: [
            ("evalog manual | man -l -", "reads it"),
            ("evalog manual > ~/.local/share/man/man1/evalog.1", "puts it where man looks"),
        ],
        prepare: { _, console in
            {
                try console.output.write(ManualPage.text())
                return .done
            }
        })
}

/// The page evalog(1), in the macros of man(7).
enum ManualPage {
    static func text(_ commands: [CommandSpec] = CommandSpec.all) -> String {
        var page = Roff()
        page.macro(".TH EVALOG 1 \"\" \"evalog \(CommandLineTool.version)\"")
        page.section("NAME")
        page.text(
            "evalog - observes on-device AI: an append-only log in, numbers for dashboards out")
        page.section("SYNOPSIS")
        page.macro(".B evalog")
        page.text("COMMAND [flags]")
        page.section("DESCRIPTION")
        page.text(
            "evalog keeps the evaluations of on-device models in an append-only, compressed log and"
                + " computes everything else from it. Results go to standard output, everything else"
                + " to standard error.")
        page.section("FLAGS OF EVERY COMMAND")
        for flag in Flag.common { page.add(flag) }
        page.section("COMMANDS")
        for command in commands { page.add(command) }
        page.section("EXIT STATUS")
        for (status, meaning) in ExitStatus.meanings {
            page.item(status, meaning)
        }
        page.section("ENVIRONMENT")
        for (name, meaning) in CommandLineTool.variables { page.item(name, meaning) }
        page.section("FILES")
        page.item("LOG/facts/*.facts.ndjson.gz", "What may be known, one JSON object a line.")
        page.item(
            "LOG/content/*.content.ndjson.gz",
            "The confidential half: instructions, context, answers.")
        page.item("LOG/reveals.ndjson", "Who opened confidential content, and when.")
        page.section("SEE ALSO")
        page.text("zcat(1), jq(1), cron(8)")
        return page.source
    }
}

/// Text in the language of man.
private struct Roff {
    private(set) var source = ""

    mutating func macro(_ line: String) { source += line + "\n" }

    mutating func section(_ name: String) { macro(".SH \(name)") }

    /// A paragraph's text, in which nothing is taken for a macro or an escape. Sentences begin lines.
    mutating func text(_ text: String) {
        let sentences = text.replacing("\n", with: " ").replacing(". ", with: ".\n")
        for sentence in sentences.split(separator: "\n") {
            for line in HelpText.wrapped(String(sentence), to: 70) { macro(Self.escaped(line)) }
        }
    }

    /// Lines that stay as they are.
    mutating func example(_ line: String) {
        macro(".PP\n.RS 4\n.EX")
        macro(Self.escaped(line))
        macro(".EE\n.RE")
    }

    /// What a name means.
    mutating func item(_ name: String, _ meaning: String) {
        macro(".TP")
        macro(".B \(Self.escaped(name))")
        text(meaning)
    }

    mutating func add(_ flag: Flag) {
        let value = flag.value.map { " \\fI\(Self.escaped($0))\\fR" } ?? ""
        let names = flag.spellings.reversed().map { "\\fB\(Self.escaped($0))\\fR" }
        macro(".TP")
        macro(names.joined(separator: ", ") + value)
        text(([flag.summary] + HelpText.details(flag)).joined(separator: " "))
    }

    mutating func add(_ command: CommandSpec) {
        let operands = command.operands.isEmpty ? "" : " \\fI\(Self.escaped(command.operands))\\fR"
        macro(".SS \(command.name)")
        macro("\\fBevalog \(command.name)\\fR\(operands) [flags]")
        macro(".PP")
        text(command.about)
        for flag in command.flags { add(flag) }
        for example in command.examples {
            macro(".PP")
            text(example.does.prefix(1).uppercased() + example.does.dropFirst() + ":")
            self.example(example.line)
        }
    }

    private static func escaped(_ text: some StringProtocol) -> String {
        var line = ""
        for character in text {
            switch character {
            case "\\": line += "\\e"
            case "-": line += "\\-"
            case "'": line += "\\(aq"
            case "`": line += "\\(ga"
            case "^": line += "\\(ha"
            case "~": line += "\\(ti"
            case "…": line += "..."
            default: line.append(character)
            }
        }
        return line.hasPrefix(".") ? "\\&" + line : line
    }
}
