// evalog export --format textfile where it is not as one would wish. The format: TextfileSinkTests,
// and tools/interop with the real programs.

import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("export --format textfile") struct TextfileTests {
    /// A log with one completed evaluation of each of so many models.
    private func log(models count: Int) throws -> CommandFixture {
        let fixture = CommandFixture()
        let lines = (0..<count).map { number in
            let id = String(100_000 + number)
            return #"{"v":1,"type":"evaluation","id":"0193f0a0-0000-7000-8000-000000\#(id)","#
                + #""time":"2026-11-29T10:15:30Z","usage":"u","model":"m-\#(number)","#
                + #""outcome":"completed","duration_us":5,"attempts":1}"#
        }
        try Files.write(lines.joined(separator: "\n"), to: fixture.path("facts"))
        try fixture.evalog("import", "facts")
        return fixture
    }

    @Test("models beyond the limit are one series, and no count is lost")
    func manyModels() throws {
        let fixture = try log(models: 1_000)
        let run = try fixture.shell(
            """
            "$EVALOG" export -q --to d --format csv --format textfile --max-groups 50 --window month
            cat d/evaluations.csv | wc -l
            """)
        #expect(run.status == 0 && run.lines == ["52"])
        let text = try Files.text(fixture.path("d/evaluations.csv"))
        #expect(text.contains("(other),(other),(other),950,950,"))
    }

    @Test("the series of a month add up to its evaluations, with the rest among them")
    func month() throws {
        let fixture = try log(models: 1_000)
        // The counters are those of the month in which it runs, so the facts are moved there.
        let run = try fixture.shell(
            """
            # Again where a month ends meanwhile.
            for attempt in 1 2; do
                month=$(date -u +%m)
                rm -rf new d
                sed "s/2026-11-29T10:15:30Z/$(date -u +%Y-%m-%dT%H:%M:%SZ)/" facts > now
                "$EVALOG" import -q --log new now
                "$EVALOG" export -q --log new --to d --format textfile --max-groups 50 --window month
                [ "$(date -u +%m)" != "$month" ] || break
            done
            grep -c '^evalog_evaluations_total{.*outcome="completed"' d/evalog.prom
            grep '^evalog_evaluations_total{.*outcome="completed"' d/evalog.prom | awk '{n += $NF} END {print n}'
            grep '^evalog_evaluations_total{usage="(other)".*outcome="completed"' d/evalog.prom | awk '{print $NF}'
            """)
        #expect(run.status == 0 && run.lines == ["51", "1000", "950"])
    }

    @Test("--tables without the CSV, of which it chooses, is refused")
    func tables() throws {
        let run = try log(models: 1).evalog(
            "export", "--to", "d", "--format", "textfile", "--tables", "quality")
        #expect(run.status == 2 && run.errors.contains("add --format csv"))
    }

    @Test(
        "a folder that cannot be made or written to is status 2, and leaves the old file",
        arguments: ["--to missing/folder", "--to file", "--to sealed"])
    func folder(to: String) throws {
        let fixture = try log(models: 1)
        try fixture.shell("echo mine > file; mkdir -p sealed/evalog.prom")
        let run = try fixture.shell("\"$EVALOG\" export \(to) --format textfile --window month")
        #expect(run.status == 2 && run.errors.hasPrefix("evalog: "))
        #expect(try Files.text(fixture.path("file")) == "mine\n")
        #expect(Files.temporaries(below: fixture.folder).isEmpty)
    }
}
