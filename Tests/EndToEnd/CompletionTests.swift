// Completions as real shells give them, and the manual as its readers check it.

import Testing

@testable import Commands

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whether a program is where Debian puts it.
private func isInstalled(_ program: String) -> Bool { access("/usr/bin/\(program)", X_OK) == 0 }

@Suite("Completions") struct CompletionTests {
    private let fixture = CommandFixture()

    init() throws {
        try fixture.shell(
            "mkdir some-log; touch records some-file; \"$EVALOG\" completions bash > bash")
    }

    /// What bash offers for words, of which the last one is being typed.
    private func bash(_ words: [String]) throws -> [String] {
        let program =
            #"source ./bash; COMP_WORDS=(evalog "$@"); COMP_CWORD=$#; _evalog; printf '%s\n' "${COMPREPLY[@]}""#
        let run = try RunningProgram(
            "/bin/bash", ["--norc", "-c", program, "bash"] + words, in: fixture.folder
        ).finish()
        #expect(run.status == 0 && run.errors.isEmpty)
        return run.lines
    }

    @Test(
        "bash offers what may stand there, and nothing where only the person knows",
        arguments: [
            (["ta"], ["tail"]), (["help", "com"], ["completions"]), (["--v"], ["--version"]),
            (["tail", "--outc"], ["--outcome"]), (["tail", "--outcome", "f"], ["failed"]),
            (["tail", "--outcome", "=", "f"], ["failed"]),
            (["tail", "--on-device-ai", "="], ["true", "false"]), (["tail", "-n", ""], []),
            (["tail", "--since", ""], []), (["import", "reco"], ["records"]),
            (["tail", "--position", "some"], ["some-log", "some-file"]),
            (["tail", "--log", "some"], ["some-log"]),
            (["top", "--window", "1"], ["1m", "15m", "1h"]),
            (["completions", ""], ["bash", "zsh", "fish"]), (["nonsense", "x"], []),
        ])
    func bash(words: [String], offered: [String]) throws {
        #expect(try bash(words).sorted() == offered.sorted())
    }

    @Test("bash offers every command, and every flag of each")
    func everything() throws {
        #expect(try bash([""]).sorted() == (CommandSpec.all.map(\.name) + ["help"]).sorted())
        for spec in CommandSpec.all {
            let flags = spec.allFlags.flatMap(\.spellings)
            #expect(try bash([spec.name, "-"]).sorted() == flags.sorted(), "\(spec.name)")
        }
    }

    /// Lines as typed, and what becomes of them: each has one way to go on.
    private static let lines = [
        ("evalog ta", "evalog tail"), ("evalog tail --outc", "evalog tail --outcome"),
        ("evalog tail --outcome f", "evalog tail --outcome failed"),
        ("evalog import reco", "evalog import records"),
        ("evalog tail --log some", "evalog tail --log some-log/"),
        ("evalog completions z", "evalog completions zsh"),
        ("evalog export --format c", "evalog export --format csv"),
        ("evalog erase --fac", "evalog erase --facts"), ("evalog help expo", "evalog help export"),
    ]

    @Test("zsh completes command lines", .enabled(if: isInstalled("zsh"), "zsh is not installed"))
    func zsh() throws {
        try fixture.shell("mkdir functions; \"$EVALOG\" completions zsh > functions/_evalog")
        // A shell of its own on a terminal of its own, which writes down its line after the tab.
        let script = #"""
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell 'fpath=($PWD/functions $fpath); autoload -U compinit && compinit -u -D'
            zpty -w shell 'try() { zle expand-or-complete; print -r -- "$BUFFER" > answer; zle kill-whole-line }'
            zpty -w shell 'zle -N try; bindkey "^T" try'
            for line; do
                zpty -w -n shell "$line"$'\C-t'
                until [[ -s answer ]] do sleep 0.02; done
                cat answer
                rm answer
            done
            """#
        let run = try RunningProgram(
            "/usr/bin/zsh", ["-f", "-c", script, "zsh"] + Self.lines.map(\.0), in: fixture.folder,
            environment: ["TERM": "xterm", "HOME": fixture.folder]
        ).finish()
        #expect(run.errors.isEmpty)
        // Where a value follows, there is room for it.
        let completed = run.lines.map { line in
            String(line.reversed().drop { " =".contains($0) }.reversed())
        }
        #expect(completed == Self.lines.map(\.1))
    }

    @Test(
        "fish completes command lines", .enabled(if: isInstalled("fish"), "fish is not installed"))
    func fish() throws {
        try fixture.shell("\"$EVALOG\" completions fish > fish")
        let script = "source fish; for line in $argv; complete -C $line; end"
        let run = try RunningProgram(
            "/usr/bin/fish", ["--no-config", "-c", script] + Self.lines.map(\.0),
            in: fixture.folder,
            environment: ["HOME": fixture.folder]
        ).finish()
        #expect(run.status == 0 && run.errors.isEmpty)
        let words = run.lines.map { String($0.prefix { $0 != "\t" }) }
        #expect(words == Self.lines.map { String($0.1.split(separator: " ").last ?? "") })
    }

    @Test("another shell is refused, and the nearest named")
    func unknown() throws {
        let run = try fixture.evalog("completions", "fishy")
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(
            run.errors == "evalog: there are no completions for \"fishy\"; did you mean fish?\n")
    }
}

@Suite("The manual") struct ManualTests {
    private let fixture = CommandFixture()

    init() throws { try fixture.shell("\"$EVALOG\" manual > evalog.1") }

    @Test("has every command with all its flags")
    func complete() throws {
        let page = try Files.text(fixture.path("evalog.1")).replacing("\\-", with: "-")
        for spec in CommandSpec.all {
            let parts = page.split(separator: ".SS \(spec.name)\n", maxSplits: 1)
            let part = try #require(parts.count == 2 ? parts[1] : nil, "\(spec.name)")
                .split(separator: "\n.SS ", maxSplits: 1)[0]
            for flag in spec.flags {
                #expect(part.contains("\\fB--\(flag.name)\\fR"), "\(spec.name)")
            }
        }
    }

    @Test(
        "has nothing for mandoc to complain of",
        .enabled(if: isInstalled("mandoc"), "mandoc is not installed"))
    func mandoc() throws {
        let run = try fixture.shell("mandoc -T lint evalog.1")
        // Its date would be that of a release.
        let complaints = run.lines.filter { !$0.contains("missing date") }
        #expect(complaints.isEmpty)
    }

    @Test(
        "has nothing for groff to complain of",
        .enabled(if: isInstalled("groff"), "groff is not installed"))
    func groff() throws {
        let run = try fixture.shell("groff -man -ww -z -K utf8 evalog.1")
        #expect(run.status == 0 && run.errors.isEmpty && run.output.isEmpty)
    }
}
