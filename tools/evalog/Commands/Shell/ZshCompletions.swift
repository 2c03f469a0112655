// Completions for zsh, for a file _evalog in fpath, or to be sourced.

enum ZshCompletions {
    static func script(_ commands: [CommandSpec]) -> String {
        let descriptions = commands.map { "'\($0.name):\(quoted($0.summary, escaping: ":"))'" }
        return """
            #compdef evalog
            # zsh completions for evalog, made by: evalog completions zsh
            _evalog() {
                local curcontext=$curcontext state line
                typeset -A opt_args
                local -a commands
                commands=(
                    \(descriptions.joined(separator: "\n        "))
                    'help:everything about a command'
                )
                _arguments -C '(- *)--version[Show the version.]' '1:command:->command' '*::argument:->argument'
                case $state in
                command) _describe -t commands command commands ;;
                argument)
                    case $words[1] in
            \(commands.map(branch).joined(separator: "\n"))
                    help) _arguments '1:command:(\(commands.map(\.name).joined(separator: " ")))' ;;
                    esac
                    ;;
                esac
            }

            if [ "$funcstack[1]" = _evalog ]; then
                _evalog "$@"
            else
                compdef _evalog evalog
            fi

            """
    }

    private static func branch(_ command: CommandSpec) -> String {
        var specs = command.allFlags.map(spec)
        if command.operandCount.upperBound > 0 {
            let place = command.operandCount.upperBound == 1 ? "1" : "*"
            let optional = command.operandCount.lowerBound == 0 ? ":" : ""
            specs.append(
                "'\(place):\(optional)\(quoted(command.operands, escaping: ":")):"
                    + "\(action(command.operandCompletion))'")
        }
        return
            (["\(command.name))", "    _arguments -s -S \\"]
            + specs.dropLast().map { "        \($0) \\" }
            + specs.suffix(1).map { "        \($0)" } + ["    ;;"])
            .map { "        " + $0 }.joined(separator: "\n")
    }

    /// `'(-n --lines)'{-n+,--lines=}'[So many of the newest lines.]:N: '`
    private static func spec(_ flag: Flag) -> String {
        let names = flag.spellings.map { name in
            guard flag.value != nil else { return name }
            return name.hasPrefix("--") ? "\(name)=" : "\(name)+"
        }
        let summary = "[\(quoted(flag.summary, escaping: "[]:"))]"
        let value = flag.value.map { name in
            ":\(quoted(name, escaping: ":")):\(action(flag.completion ?? .nothing))"
        }
        let rest = summary + (value ?? "")
        let repetition = flag.mayRepeat ? "*" : ""
        if names.count == 1 { return "'\(repetition)\(names[0])\(rest)'" }
        let exclusion = flag.mayRepeat ? "" : "'(\(flag.spellings.joined(separator: " ")))'"
        return "\(exclusion){\(names.joined(separator: ","))}'\(rest)'"
    }

    private static func action(_ completion: Completion) -> String {
        switch completion {
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .files: "_files"
        case .folders: "_files -/"
        case .nothing: " "
        }
    }

    /// For within single quotes.
    private static func quoted(_ text: String, escaping characters: String) -> String {
        text.map { character in
            if character == "'" { return "'\\''" }
            return characters.contains(character) ? "\\\(character)" : String(character)
        }.joined()
    }
}
