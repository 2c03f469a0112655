// The command line as text: what is understood, what is refused, and with which words.

import Testing

@testable import Commands

@Suite("Arguments") struct ArgumentsTests {
    private func parse(_ words: String..., for spec: CommandSpec = .tail) throws -> Arguments {
        try Arguments(words, for: spec)
    }

    private func failure(_ words: String..., for spec: CommandSpec = .tail) -> CommandFailure? {
        do {
            _ = try Arguments(words, for: spec)
            return nil
        } catch {
            return error as? CommandFailure
        }
    }

    @Test("a value may follow its flag, an equals sign, or a letter")
    func valueForms() throws {
        #expect(try parse("--log", "a").last(.log) == "a")
        #expect(try parse("--log=a=b").last(.log) == "a=b")
        #expect(try parse("-n", "5").last(.lineCount) == "5")
        #expect(try parse("-n5").last(.lineCount) == "5")
        #expect(try parse("--log", "-").last(.log) == "-")
    }

    @Test("letters may stand together, the last one with a value")
    func letters() throws {
        #expect(try parse("-fn", "5").last(.lineCount) == "5")
        #expect(try parse("-fqn5").last(.lineCount) == "5")
        #expect(try parse("-fq").has(.follow))
        #expect(failure("-fz")?.what == "tail has no flag -z")
    }

    @Test("an unknown flag names the nearest one")
    func unknownFlag() {
        #expect(failure("--jsn")?.what == "tail has no flag --jsn")
        #expect(failure("--jsn")?.hint == "did you mean --json?")
        #expect(failure("--frobnicate")?.hint == "evalog tail -h lists its flags")
        #expect(failure("-z")?.what == "tail has no flag -z")
    }

    @Test("a missing value, an empty one, one too many and a second one are refused")
    func badValues() {
        #expect(failure("--log")?.what == "--log needs a value")
        #expect(failure("--log", "")?.what == "--log is empty")
        #expect(failure("--log=")?.what == "--log is empty")
        #expect(failure("--json=yes")?.what == "--json takes no value")
        #expect(failure("--log", "a", "--log", "b")?.what == "--log is given twice")
    }

    @Test("a flag that may repeat keeps all its values")
    func repeated() throws {
        #expect(try parse("--usage", "a", "--usage", "b").all(.usage) == ["a", "b"])
    }

    @Test("operands are counted, and words after -- are operands")
    func operands() throws {
        #expect(failure("stray")?.what == "tail does not take \"stray\"")
        #expect(failure(for: .import)?.what == "import needs FILE… | DIR | -")
        #expect(try parse("--", "-x", for: .import).operands == ["-x"])
        #expect(try parse("-", for: .import).operands == ["-"])
    }

    @Test("asking for help needs no operands")
    func help() throws {
        #expect(try parse("-h", for: .import).last(.help) == "short")
        #expect(try parse("--help", for: .import).last(.help) == "long")
    }
}

@Suite("HelpText") struct HelpTextTests {
    @Test(
        "every flag explains itself in one line that fits", arguments: CommandSpec.all.map(\.name))
    func summaries(name: String) throws {
        let spec = try #require(CommandSpec.all.first { $0.name == name })
        for flag in spec.allFlags {
            #expect(flag.summary.hasSuffix("."), "--\(flag.name)")
            #expect(flag.summary.count <= 72, "--\(flag.name)")
        }
        #expect(Set(spec.allFlags.map(\.name)).count == spec.allFlags.count)
        #expect(!spec.examples.isEmpty)
    }

    @Test(
        "-h fits one screen of 24 to 50 lines and 100 columns",
        arguments: CommandSpec.all.map(\.name))
    func short(name: String) throws {
        let spec = try #require(CommandSpec.all.first { $0.name == name })
        let lines = HelpText.of(spec, isFull: false).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 50)
        #expect(lines.allSatisfy { $0.count <= 120 })
    }

    @Test("every example parses", arguments: CommandSpec.all.map(\.name))
    func examples(name: String) throws {
        let spec = try #require(CommandSpec.all.first { $0.name == name })
        for example in spec.examples {
            let command = try #require(
                example.line.split { "|>".contains($0) }.first { $0.contains("evalog ") })
            let words = Self.words(of: String(command))
            let start = try #require(words.firstIndex(of: "evalog"))
            // Now and then an example shows the command to go on with.
            let shown = try #require(CommandSpec.all.first { $0.name == words[start + 1] })
            _ = try Arguments(Array(words[(start + 2)...]), for: shown)
        }
    }

    /// As a shell tells words apart, of which double quotes are all that examples need.
    private static func words(of line: String) -> [String] {
        line.split(separator: "\"", omittingEmptySubsequences: false).enumerated().flatMap {
            index, part in
            index.isMultiple(of: 2)
                ? part.split(separator: " ").map { String($0) } : [String(part)]
        }
    }

    @Test("the overview names every command")
    func overview() {
        for spec in CommandSpec.all { #expect(HelpText.overview().contains("  \(spec.name) ")) }
    }
}

@Suite("Nearest") struct NearestTests {
    @Test(
        "a slip finds its name, a different word finds none",
        arguments: [("exprot", "export"), ("tial", "tail"), ("verfy", "verify"), ("zzzzzz", nil)])
    func nearest(word: String, expected: String?) {
        #expect(Nearest.name(to: word, among: CommandSpec.all.map(\.name)) == expected)
    }
}
