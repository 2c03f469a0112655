// docs/operating.md: every command line in it works as it stands.

import Foundation
import TestSupport
import Testing

@Suite("Operating, as documented") struct OperatingDocumentTests {
    /// The lines of the document's blocks for a shell, each a command.
    private static let commands: [String] = {
        let path = "\(RepositoryRoot.path)/docs/operating.md"
        guard let text = try? Files.text(path) else { return [] }
        let blocks = text.components(separatedBy: "\n```sh\n").dropFirst()
        return blocks.flatMap { block in
            block.components(separatedBy: "\n```")[0].split(separator: "\n").map(String.init)
        }
    }()

    /// What a line needs besides evalog, and may not find here.
    private static let others = ["duckdb", "flock", "jq", "lnav", "rclone", "rsync"]

    private func isMissing(_ program: String) -> Bool {
        !["/usr/bin", "/usr/local/bin", "/bin"].contains { access("\($0)/\(program)", X_OK) == 0 }
    }

    @Test("every command line of the document does what it can, from the first to the last")
    func everyLine() throws {
        let fixture = CommandFixture()
        // Where a person would be: a log, a copy of an older one, those of two phones, an export.
        try fixture.shell(
            """
            mkdir work bin store; ln -s "$EVALOG" bin/evalog; cd work
            unset EVALOG_LOG; PATH=../bin:$PATH
            evalog demo -q --to demo; mv demo/log evalog-log; mv demo/csv csv
            cp -r evalog-log ../restored-log; cp -r evalog-log phone-1; mkdir phone-2 all
            evalog import -q --log phone-2 '\(RepositoryRoot.path)/sample/events.ndjson'
            """)
        var runCount = 0
        for command in Self.commands {
            if let program = Self.others.first(where: {
                command.contains("\($0) ") && isMissing($0)
            }) {
                print("\(program) is not installed: not run: \(command)")
                continue
            }
            let line = command.replacing(
                "/usr/local/share/evalog", with: "\(RepositoryRoot.path)/tools")
            // What goes on until it is interrupted is interrupted.
            let goesOn = command.contains("tail -f")
            let run = try fixture.shell(
                "cd work; unset EVALOG_LOG; PATH=../bin:$PATH; \(goesOn ? "timeout -s INT 1 " : "")\(line)",
                environment: [
                    "HOME": fixture.folder, "RCLONE_CONFIG_STORE_TYPE": "alias",
                    "RCLONE_CONFIG_STORE_REMOTE": fixture.path("store"),
                    "PATH": "/usr/local/bin:/usr/bin:/bin",
                ])
            let expected: [Int32] = goesOn ? [124] : [0, 1]
            #expect(expected.contains(run.status), "\(command): \(run.errors)")
            runCount += 1
        }
        #expect(runCount > 20)
    }

    #if os(Linux)
        @Test(
            "lnav reads facts by the format that comes along, and its fields are those of a fact",
            .enabled(if: access("/usr/bin/lnav", X_OK) == 0, "lnav is not installed"))
        func lnav() throws {
            let fixture = CommandFixture()
            try Files.write(Records.text(0..<60), to: fixture.path("records"))
            try fixture.evalog("import", "records")
            try fixture.evalog("import", "\(RepositoryRoot.path)/sample/events.ndjson")
            let format = "\(RepositoryRoot.path)/tools/lnav/evalog.json"
            let run = try fixture.shell(
                "lnav -i '\(format)' >&2; lnav -C; lnav -n -c ';select log_level, outcome, count(*) from"
                    + " evalog_facts group by 1, 2' log/facts/*.gz; lnav -n log/facts/*.gz | wc -l",
                environment: ["HOME": fixture.folder])
            #expect(run.status == 0)
            #expect(run.text.contains(/error +failed +12/), "\(run.text)\(run.errors)")
            #expect(run.lines.last == "\(try fixture.factLines().count)")
            let object = try JSONSerialization.jsonObject(with: Data(try Files.bytes(format)))
            let facts = (object as? [String: Any])?["evalog_facts"] as? [String: Any]
            let fields = Set((facts?["value"] as? [String: Any] ?? [:]).keys)
            let schema = try Files.text("\(RepositoryRoot.path)/schemas/fact-v1.schema.json")
            for field in fields { #expect(schema.contains("\"\(field)\": {"), "\(field)") }
            #expect(fields.count > 15)
        }
    #endif
}
