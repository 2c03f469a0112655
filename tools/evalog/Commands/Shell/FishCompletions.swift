// Completions for fish.

enum FishCompletions {
    static func script(_ commands: [CommandSpec]) -> String {
        let names = commands.map(\.name).joined(separator: " ")
        var lines = [
            "# fish completions for evalog, made by: evalog completions fish",
            "complete -c evalog -f",
            "complete -c evalog -n __fish_use_subcommand -l help -d 'Show the commands.'",
            "complete -c evalog -n __fish_use_subcommand -l version -d 'Show the version.'",
            "complete -c evalog -n __fish_use_subcommand -a help -d 'everything about a command'",
            "complete -c evalog -n '__fish_seen_subcommand_from help' -a '\(names)'",
        ]
        for command in commands {
            lines.append(
                "complete -c evalog -n __fish_use_subcommand -a \(command.name)"
                    + " -d \(quoted(command.summary))")
            let isCommand = "complete -c evalog -n '__fish_seen_subcommand_from \(command.name)'"
            for flag in command.allFlags {
                let letter = flag.letter.map { " -s \($0)" } ?? ""
                let value = flag.completion.map { " -x\(arguments($0))" } ?? ""
                lines.append(
                    "\(isCommand) -l \(flag.name)\(letter)\(value) -d \(quoted(flag.summary))")
            }
            switch command.operandCompletion {
            case .nothing: break
            case .files: lines.append("\(isCommand) -F")
            case let words: lines.append("\(isCommand)\(arguments(words))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func arguments(_ completion: Completion) -> String {
        switch completion {
        case .words(let words): " -a '\(words.joined(separator: " "))'"
        case .files: " -a '(__fish_complete_path)'"
        case .folders: " -a '(__fish_complete_directories)'"
        case .nothing: ""
        }
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
