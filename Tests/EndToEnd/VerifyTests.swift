// What verify, status and check say of segments that were damaged, renamed or unpacked by hand.

import Foundation
import Testing

@Suite("Segments that somebody laid a hand on") struct VerifyTests {
    /// A log of two writers, five lines each, and the first one's segment.
    private func log() throws -> (fixture: CommandFixture, segment: String) {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<5), to: fixture.path("records"))
        try Files.write(Records.text(5..<10), to: fixture.path("others"))
        try fixture.evalog("import", "records")
        let name = try #require(Files.names(in: fixture.path("log/facts")).first)
        try fixture.evalog("import", "others")
        return (fixture, name)
    }

    private func json(_ run: Finished) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(run.output)) as? [String: Any])
    }

    @Test(
        "a segment of which nothing can be read is a loss that nobody can count",
        arguments: ["", "x", "\0\0\0\0\0\0\0\0", "not a segment\n"])
    func unreadable(bytes: String) throws {
        let (fixture, name) = try log()
        try Files.write(bytes, to: fixture.path("log/facts/\(name)"))
        let run = try fixture.evalog("verify")
        #expect(run.status == 1)
        #expect(run.text.contains("lost: an unknown number of lines of writer "))
        #expect(run.text.contains(" in \(name): nothing in it can be read\n"))
        let losses = try json(fixture.evalog("verify", "--json"))["uncounted_losses"]
        #expect((losses as? [[String: String]])?.map { $0["reason"] } == ["unreadable"])
        #expect(
            try fixture.evalog("status").text.contains(
                "0 lost, an unknown number more in 1 file, 0 known"))
        #expect(
            try fixture.evalog("replay").errors.contains(
                "0 lines lost, an unknown number more in 1 file; evalog verify names them"))

        let none = try fixture.evalog("check", "--max-lost", "0")
        #expect(none.status == 1)
        #expect(none.text.contains("0 and more"))
        #expect(none.text.contains("cannot be counted in 1 file"))
        let some = try fixture.evalog("check", "--max-lost", "1")
        #expect(some.status == 0)
        #expect(some.errors.contains("lost lines that nobody can count in 1 file (--strict"))
        #expect(try fixture.evalog("check", "--max-lost", "1", "--strict").status == 1)
    }

    @Test("a segment cut on the edge of a block is whole, and named for want of a seal")
    func unsealed() throws {
        let (fixture, name) = try log()
        let path = fixture.path("log/facts/\(name)")
        let members = try #require(MemberBytes.all(of: try Files.bytes(path)))
        try Files.write(Array(members.dropLast().flatMap(\.bytes)), to: path)
        let run = try fixture.evalog("verify")
        #expect(run.status == 0)
        #expect(run.text.contains("unsealed: 1 segment without a seal and without a writer"))
        #expect(run.lines.contains("unsealed: \(name)"))
        #expect(run.text.hasSuffix("facts: whole\n"))
        #expect(try json(fixture.evalog("verify", "--json"))["unsealed"] as? [String] == [name])
    }

    @Test("a segment under a name that is none is named with one under which it is read")
    func renamed() throws {
        let (fixture, name) = try log()
        try fixture.shell("mv log/facts/\(name) log/facts/old.gz")
        let run = try fixture.evalog("verify")
        #expect(run.status == 1)
        #expect(
            run.text.contains("facts: not whole: files that are ignored hold lines of the log\n"))
        let line = try #require(run.lines.first { $0.hasPrefix("ignored: old.gz, ") })
        #expect(line.contains("a segment of facts under a name that is none; 5 of its 5 lines"))
        let status = try fixture.evalog("status").text
        #expect(status.contains("ignored    " + line.dropFirst("ignored: ".count) + "\n"))
        let file = try #require(
            (try json(fixture.evalog("verify", "--json"))["foreign"] as? [[String: Any]])?.first)
        #expect(file["is"] as? String == "segment" && file["missing"] as? Int == 5)
        // Numbers without these lines say so, and an alarm on loss goes off.
        for command in ["replay", "export --to csv", "explain --subject s"] {
            let errors = try fixture.shell("\"$EVALOG\" \(command)").errors
            #expect(errors.contains("1 file among the segments has lines of the log that"))
        }
        #expect(try fixture.evalog("check", "--max-lost", "0").status == 1)
        #expect(try fixture.evalog("check", "--max-lost", "9").status == 0)
        // What is said to be done is what brings the lines back.
        let proper = try #require(line.split(separator: " ").last)
        #expect(file["rename_to"] as? String == String(proper))
        try fixture.shell("mv log/facts/old.gz log/facts/\(proper)")
        let healed = try fixture.evalog("verify")
        #expect(healed.status == 0 && healed.text.contains("2 segments, 2 blocks, 10 lines"))
        #expect(try fixture.evalog("replay").errors.isEmpty)
        #expect(try fixture.evalog("check", "--max-lost", "0").status == 0)
    }

    @Test(
        "what is no file in a segment's place hides its lines",
        arguments: ["ln -s ../$S log/facts/$S", "mkdir log/facts/$S", "mkfifo log/facts/$S"])
    func standIn(_ make: String) throws {
        let (fixture, name) = try log()
        try fixture.shell("S=\(name); mv log/facts/$S log/; \(make)")
        let run = try fixture.evalog("verify")
        #expect(run.status == 1)
        #expect(run.text.contains("in the place of a segment; put the segment itself there\n"))
        #expect(try fixture.evalog("check", "--max-lost", "0").status == 1)
        let foreign = try json(fixture.evalog("verify", "--json"))["foreign"] as? [[String: Any]]
        #expect(foreign?.first?["is"] as? String == "no_file_in_place_of_segment")
    }

    @Test("a copy under a name that is none takes nothing away, and may go")
    func copied() throws {
        let (fixture, name) = try log()
        try fixture.shell("cp log/facts/\(name) log/facts/\(name).bak")
        let run = try fixture.evalog("verify")
        #expect(run.status == 0)
        #expect(run.text.contains("its 5 lines are in the log without it, so it can go"))
        #expect(run.text.hasSuffix("facts: whole\n"))
    }

    @Test("a segment under another segment's name is read as it is, and twice counts once")
    func otherName() throws {
        let (fixture, name) = try log()
        let other = "2" + name.dropFirst().replacing("-0001.", with: "-0007.")
        try fixture.shell("mv log/facts/\(name) log/facts/\(other)")
        #expect(try fixture.evalog("verify").text.contains("2 segments, 2 blocks, 10 lines"))
        try fixture.shell("cp log/facts/\(other) log/facts/\(name)")
        let run = try fixture.evalog("verify")
        #expect(run.status == 0 && run.text.contains(" 10 lines"))
        #expect(!run.text.contains("ignored"))
        #expect(try fixture.factLines().count == 10)
    }

    @Test("a segment that was unpacked is named, and import brings its lines back")
    func unpacked() throws {
        let (fixture, name) = try log()
        let tables = try fixture.export()["evaluations.csv"]
        try fixture.shell("gunzip log/facts/\(name)")
        let run = try fixture.evalog("verify")
        #expect(run.status == 1)
        #expect(run.text.contains("the text of a segment that was unpacked"))
        try fixture.shell("mv log/facts/*.ndjson unpacked; \"$EVALOG\" import unpacked")
        #expect(try fixture.evalog("verify").status == 0)
        #expect(try fixture.export()["evaluations.csv"] == tables)
        // With the segment beside it, it hides nothing.
        let kept = try #require(Files.names(in: fixture.path("log/facts")).last)
        try fixture.shell("gunzip -k log/facts/\(kept)")
        #expect(try fixture.evalog("verify").status == 0)
    }

    @Test("a segment of content among the facts is told where it belongs")
    func otherStream() throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<5), to: fixture.path("records"))
        try fixture.evalog("import", "--content", "all", "records")
        let text = try fixture.text(of: "content")
        try fixture.shell("cp log/content/*.gz log/facts/x.content.gz")
        let copied = try fixture.evalog("verify", "--content")
        #expect(copied.status == 0)
        #expect(
            copied.text.contains(
                "a segment of content, whose lines are there without it, so it can go\n"))
        try fixture.shell("mv log/content/*.gz log/facts/x.content.gz")
        // No fact is missing, but content is.
        #expect(try fixture.evalog("verify").status == 0)
        #expect(try fixture.evalog("replay").errors.isEmpty)
        let run = try fixture.evalog("verify", "--content")
        #expect(run.status == 1)
        let line = try #require(run.lines.first { $0.hasPrefix("ignored: x.content.gz, ") })
        #expect(line.contains("a segment of content; move it to \(fixture.log)/content/"))
        #expect(!run.text.contains("secret") && !run.text.contains("instructions"))
        let target = try #require(line.split(separator: " ").last)
        try fixture.shell("mv log/facts/x.content.gz '\(target)'")
        #expect(try fixture.evalog("verify", "--content").status == 0)
        #expect(try fixture.text(of: "content") == text)
    }

    @Test("what has nothing to do with the log is named, told where to go, and takes nothing away")
    func other() throws {
        let (fixture, _) = try log()
        try fixture.shell(
            """
            cd log/facts; echo mine > notes.txt; mkdir sub; ln -s nowhere link; mkfifo pipe
            gzip -c notes.txt > notes.gz; for i in $(seq 30); do : > n$i; done
            """)
        let run = try fixture.evalog("verify")
        #expect(run.status == 0 && run.text.hasSuffix("facts: whole\n"))
        #expect(run.lines.count { $0.hasPrefix("ignored: ") } == 21)
        #expect(run.lines.contains("ignored: and 15 more, which --json names"))
        #expect(
            run.text.contains("link, a link, which is not followed\n")
                && run.text.contains(
                    "n1, no segment, and not a part of the log; move it out of \(fixture.log)/facts "
                ))
        let foreign = try json(fixture.evalog("verify", "--json"))["foreign"] as? [[String: Any]]
        #expect(foreign?.count == 35)
        #expect(
            Set(foreign?.compactMap { $0["is"] as? String } ?? []) == ["other", "link", "no_file"])
        let status = try fixture.evalog("status").text
        #expect(status.contains("ignored    30 more files; evalog verify names them\n"))
    }
}
