// evalog import of another log: segments are copied, and copying again copies nothing.

import EvalogFacts
import EvalogLog
import Testing
import Workload

@Suite("evalog import of a log") struct LogCopyTests {
    private func log(_ numbers: Range<Int>) throws -> CommandFixture {
        let fixture = CommandFixture()
        try Files.write(Records.text(numbers), to: fixture.path("records"))
        try fixture.evalog("import", "--content", "all", "records")
        return fixture
    }

    @Test("copies the segments of both streams as they are, the second time none")
    func copies() throws {
        let (source, target) = (try log(0..<20), try log(20..<30))
        let run = try target.evalog("import", "--content", "all", source.log)
        #expect(run.status == 0)
        #expect(run.errors.contains("2 segments copied as"))
        for stream in ["facts", "content"] {
            let names = Files.names(in: "\(source.log)/\(stream)").filter { $0 != "key" }
            #expect(names.count == 1)
            for name in names {
                let path = "\(stream)/\(name)"
                #expect(
                    try Files.bytes("\(target.log)/\(path)") == Files.bytes("\(source.log)/\(path)")
                )
            }
        }
        let before = try target.export()
        let again = try target.evalog("import", "--content", "all", source.log)
        #expect(again.status == 0)
        #expect(again.errors.contains("0 segments copied as"))
        #expect(again.errors.contains("2 were there"))
        #expect(try target.export() == before)
        #expect(try target.factLines().count == 30)
        #expect(try target.evalog("verify", "--content").status == 0)
        #expect(Files.temporaries(below: target.log).isEmpty)
    }

    @Test("copies no content unless all of it is asked for")
    func contentIsAChoice() throws {
        let (source, target) = (try log(0..<20), CommandFixture())
        #expect(try target.evalog("import", source.log).status == 0)
        let content = Files.names(in: "\(target.log)/content").filter { $0.hasSuffix(".gz") }
        #expect(content.isEmpty)
        let run = try target.evalog("import", "--content", "failures", source.log)
        #expect(run.status == 2)
        #expect(run.errors.contains("copied whole or not at all"))
    }

    @Test(
        "does not take along which windows were told, and says so where that would be told once more"
    )
    func summaries() throws {
        let words = "summaries were made of"
        let (source, target) = (try CommandFixture.reporting(0..<20), CommandFixture())
        let untold = try target.evalog("import", source.log)
        #expect(!untold.errors.contains(words))
        try source.evalog("report", "--no-events", "--to", "out")
        let told = try target.evalog("import", source.log)
        #expect(told.status == 0 && told.errors.contains(words))
        #expect(!Files.names(in: target.log).contains("reports"))
        // Once this log has told all of it, too, nothing is told a second time.
        try target.evalog("report", "--no-events", "--to", "out")
        let known = try target.evalog("import", source.log)
        #expect(!known.errors.contains(words))
        try source.shell("rm log/reports/ledger.ndjson")
        let lost = try target.evalog("import", source.log)
        #expect(lost.errors.contains(words))
    }

    @Test("makes the log where there is none")
    func makesLog() throws {
        let (source, target) = (try log(0..<5), CommandFixture())
        #expect(try target.evalog("import", source.log).status == 0)
        #expect(try target.export() == source.export())
        #expect(Files.mode(target.log) == 0o700)
    }

    @Test("refuses the log itself, by any of its names")
    func itself() throws {
        let fixture = try log(0..<5)
        for name in ["log", fixture.log, "./log/", "log/../log"] {
            let run = try fixture.evalog("import", name)
            #expect(run.status == 2)
            #expect(run.errors.contains("is the log itself"))
        }
    }

    @Test("copies a log that is being written as far as it goes, and the rest with the next import")
    func live() throws {
        let (source, target) = (CommandFixture(), CommandFixture())
        let lines = Workload(seed: 5, count: 60, options: .clean).lines
        let writer = try LogWriter(source.directory)
        for (index, line) in lines.enumerated() {
            _ = writer.append(line.bytes, to: .facts, eventTime: line.fact?.time ?? 0)
            if index == 39 {
                try writer.flush()
                #expect(try target.evalog("import", source.log).status == 0)
                #expect(try target.factLines().count == 40)
                #expect(try target.evalog("verify").status == 0)
            }
        }
        try writer.close()
        let rest = try target.evalog("import", source.log)
        #expect(rest.errors.contains("1 segment copied"))
        #expect(try target.factLines() == lines.map { String(decoding: $0.bytes, as: UTF8.self) })
        #expect(try target.evalog("verify").status == 0)
    }
}

extension Workload.Options {
    /// Without what a reader must survive: every line is a fact of its own.
    static var clean: Self {
        var options = Self()
        options.hasFaults = false
        return options
    }
}
