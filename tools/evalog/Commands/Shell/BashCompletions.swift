// Completions for bash, from version 3.2 on.

enum BashCompletions {
    static func script(_ commands: [CommandSpec]) -> String {
        let names = commands.map(\.name).joined(separator: " ")
        return """
            # bash completions for evalog, made by: evalog completions bash
            _evalog() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
                local flags='' value='' operand=''
                # --flag=value comes as three words.
                if [ "$current" = = ]; then
                    current=''
                elif [ "$previous" = = ]; then
                    previous=${COMP_WORDS[COMP_CWORD - 2]}
                fi
                case $COMP_CWORD:${COMP_WORDS[1]} in
                1:*) operand='\(names) help' flags='--help --version' ;;
            \(commands.map(branch).joined(separator: "\n"))
                *:help) operand='\(names)' ;;
                esac
                case $current in
                -*) operand=$flags ;;
                esac
                case ${value:-${operand:-$flags}} in
                @none) COMPREPLY=() ;;
                @files) _evalog_paths -f "$current" ;;
                @folders) _evalog_paths -d "$current" ;;
                *) COMPREPLY=($(compgen -W "${value:-${operand:-$flags}}" -- "$current")) ;;
                esac
            }

            _evalog_paths() {
                local IFS=$'\\n'
                COMPREPLY=($(compgen "$1" -- "$2"))
                compopt -o filenames 2>/dev/null
            }

            complete -F _evalog evalog

            """
    }

    private static func branch(_ command: CommandSpec) -> String {
        let flags = command.allFlags.flatMap(\.spellings).joined(separator: " ")
        var lines = ["*:\(command.name))", "    flags='\(flags)'"]
        let operand = text(command.operandCompletion)
        if command.operandCompletion != .nothing { lines.append("    operand='\(operand)'") }
        lines.append("    case $previous in")
        for flag in command.allFlags {
            guard let completion = flag.completion else { continue }
            let names = flag.spellings.joined(separator: " | ")
            lines.append("    \(names)) value='\(text(completion))' ;;")
        }
        lines += ["    esac", "    ;;"]
        return lines.map { "    " + $0 }.joined(separator: "\n")
    }

    private static func text(_ completion: Completion) -> String {
        switch completion {
        case .words(let words): words.joined(separator: " ")
        case .files: "@files"
        case .folders: "@folders"
        case .nothing: "@none"
        }
    }
}
