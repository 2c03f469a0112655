// evalog completions: what a shell needs to complete command lines, from the table of flags.

/// A shell that completes command lines.
enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    /// The script that completes the command lines of evalog.
    func script(_ commands: [CommandSpec] = CommandSpec.all) -> String {
        switch self {
        case .bash: BashCompletions.script(commands)
        case .zsh: ZshCompletions.script(commands)
        case .fish: FishCompletions.script(commands)
        }
    }
}

/// What a shell can offer where a value or an operand is due.
enum Completion: Equatable, Sendable {
    case words([String])
    case files, folders
    /// Only the person knows.
    case nothing
}

extension Flag {
    /// What can stand in the place of its value; nil if it takes none.
    var completion: Completion? {
        guard let value else { return nil }
        if !choices.isEmpty { return .words(choices) }
        switch value {
        case "DIR": return .folders
        case "FILE": return .files
        default: return .nothing
        }
    }

    /// How it is written, the long form first.
    var spellings: [String] { ["--\(name)"] + (letter.map { ["-\($0)"] } ?? []) }
}

extension CommandSpec {
    /// What can stand in the place of an operand.
    var operandCompletion: Completion {
        if !operandChoices.isEmpty { return .words(operandChoices) }
        return operands.contains("FILE") ? .files : .nothing
    }
}

extension CommandSpec {
    static let completions = CommandSpec(
        name: "completions", summary: "what bash, zsh or fish needs to complete command lines",
        operands: "SHELL", operandCount: 1...1, operandChoices: Shell.allCases.map(\.rawValue),
        about: """
            Prints a script that completes commands, flags and their values. make install puts it where
            the shells look; without that, load it where your shell starts.
            """,
        flags: [],
        examples: [
            ("evalog completions bash > ~/.local/share/bash-completion/completions/evalog", "bash"),
            ("evalog completions zsh > ~/.zfunc/_evalog", "zsh, with ~/.zfunc in fpath"),
            ("evalog completions fish > ~/.config/fish/completions/evalog.fish", "fish"),
        ],
        prepare: { arguments, console in
            let name = arguments.operands[0]
            guard let shell = Shell(rawValue: name) else {
                let names = Shell.allCases.map(\.rawValue)
                throw CommandFailure(
                    "there are no completions for \"\(name)\"",
                    hint: Nearest.name(to: name, among: names).map { "did you mean \($0)?" }
                        ?? "there are some for \(names.joined(separator: ", "))")
            }
            return {
                try console.output.write(shell.script())
                return .done
            }
        })
}
