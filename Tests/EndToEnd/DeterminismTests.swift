// The same log gives the same bytes, however its lines lie in files and wherever it is read.

import EvalogFacts
import EvalogLog
import TestSupport
import Testing
import Workload

@Suite("The same log") struct DeterminismTests {
    /// Three writers' segments of many blocks each, with all that a reader must survive.
    private func log(seed: UInt64) throws -> CommandFixture {
        let fixture = CommandFixture()
        let lines = Workload(seed: seed, count: 600).lines
        for writer in 0..<3 {
            let log = try LogWriter(fixture.directory)
            for (index, line) in lines.enumerated() where index % 3 == writer {
                _ = log.append(line.bytes, to: .facts, eventTime: line.fact?.time ?? 0)
                if index % 30 == writer { try log.flush() }
            }
            try log.close()
        }
        return fixture
    }

    private func segments(of fixture: CommandFixture) throws -> [(name: String, bytes: [UInt8])] {
        let folder = "\(fixture.log)/facts"
        return try Files.names(in: folder).map { ($0, try Files.bytes("\(folder)/\($0)")) }
    }

    /// A log of these files, named so that they come in this order.
    private func log(of files: [[UInt8]], names: [String]) throws -> CommandFixture {
        let fixture = CommandFixture()
        try fixture.shell("umask 077; mkdir -p log/facts")
        for (index, bytes) in files.enumerated() {
            // A name's time decides the order; what a file holds is decided by its headers.
            let name = "2026112\(index / 10)T00000\(index % 10)Z" + names[index].dropFirst(16)
            try Files.write(bytes, to: fixture.path("log/facts/\(name)"))
        }
        return fixture
    }

    @Test(
        "gives the same export and report for any order of its files",
        arguments: [1, 3] as [UInt64])
    func order(seed: UInt64) throws {
        let original = try log(seed: seed)
        let segments = try segments(of: original)
        let expected = try original.export()
        let report = try original.report()
        #expect(report["events.ndjson"]?.isEmpty == false)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<3 {
            let shuffled = segments.shuffled(using: &generator)
            let moved = try log(of: shuffled.map(\.bytes), names: shuffled.map(\.name))
            #expect(try moved.export() == expected)
            #expect(try moved.report() == report)
        }
    }

    @Test(
        "gives the same export and report for any split of its files, copies included",
        arguments: [3, 4] as [UInt64])
    func split(seed: UInt64) throws {
        let original = try log(seed: seed)
        let expected = try original.export()
        var generator = SeededGenerator(seed: seed)
        var files: [[UInt8]] = []
        var names: [String] = []
        for (name, bytes) in try segments(of: original) {
            var rest = try #require(MemberBytes.all(of: bytes))[...]
            #expect(rest.count > 10)
            while !rest.isEmpty {
                let count = Int.random(in: 2...6, using: &generator)
                let part = MemberBytes.run(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
                for _ in 0...(Bool.random(using: &generator) ? 1 : 0) {
                    files.append(part)
                    names.append(name)
                }
            }
        }
        let order = Array(files.indices).shuffled(using: &generator)
        let scattered = try log(of: order.map { files[$0] }, names: order.map { names[$0] })
        #expect(try scattered.export() == expected)
        #expect(try scattered.report() == original.report())
        #expect(try scattered.evalog("verify").status == 0)
    }

    @Test("gives the same tables from pieces cut out with no regard to the chain")
    func cutOut() throws {
        let original = try log(seed: 5)
        var expected = try original.export()
        var files: [[UInt8]] = []
        var names: [String] = []
        for (name, bytes) in try segments(of: original) {
            let members = try #require(MemberBytes.all(of: bytes))
            for part in [members.prefix(5), members.dropFirst(5)] {
                files.append(part.flatMap(\.bytes))
                names.append(name)
            }
        }
        let pieces = try log(of: files, names: names)
        var export = try pieces.export()
        // That something was cut is damage, and quality.csv says so.
        expected["quality.csv"] = nil
        export["quality.csv"] = nil
        #expect(export == expected)
        #expect(try pieces.evalog("verify").status == 1)
    }

    @Test(
        "gives the same export, report and summary for any number of threads",
        arguments: ["1", "2", "5"])
    func threads(count: String) throws {
        let fixture = try log(seed: 6)
        #expect(try fixture.export("--threads", count) == fixture.export())
        #expect(try fixture.report("--threads", count) == fixture.report())
        #expect(
            try fixture.evalog("replay", "--json", "--threads", count).output
                == fixture.evalog("replay", "--json").output)
    }

    @Test(
        "gives the same bytes in any zone, locale and folder",
        arguments: [
            ["TZ": "Asia/Tokyo"], ["TZ": "America/New_York", "LC_ALL": "de_DE.UTF-8"],
            ["LC_ALL": "ar_EG.UTF-8", "LANG": "ar_EG.UTF-8", "LANGUAGE": "ar"],
        ])
    func surroundings(environment: [String: String]) throws {
        let fixture = try log(seed: 7)
        let rules = ["--window", "day", "--timezone", "Europe/Oslo"]
        let commands = [
            ["replay"], ["replay", "--json"], ["tail", "-n", "50"], ["tail", "--json"],
        ]
        for words in commands {
            let here = try fixture.start(words).finish()
            let there = try RunningProgram(
                BuiltProgram.evalog, words + ["--log", fixture.log], in: "/",
                environment: environment
            ).finish()
            #expect(here.status == 0)
            #expect(here.output == there.output, "\(words)")
        }
        for command in ["export", "report"] {
            let here = try fixture.start([command, "--to", "\(command)-here"] + rules).finish()
            let there = try RunningProgram(
                BuiltProgram.evalog,
                [command, "--log", fixture.log, "--to", fixture.path("\(command)-there")] + rules,
                in: "/", environment: environment
            ).finish()
            #expect(here.status == 0 && there.status == 0)
            let files = try Files.all(in: fixture.path("\(command)-here"))
            #expect(!files.isEmpty)
            #expect(try Files.all(in: fixture.path("\(command)-there")) == files)
        }
    }
}
