// Lines that are no records: named, counted, passed over, and never quoted.

import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A line and what import says of it, byte numbers aside.
struct BadLine: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    /// nil: it is no bad line.
    let complaint: String?

    var testDescription: String { name }

    /// What must not be seen anywhere.
    static let marker = "planted-marker"
    private static let start = #"{"usage":"u","outcome":"completed","subject":"planted-marker""#

    private static func line(_ name: String, _ text: String, _ complaint: String?) -> BadLine {
        BadLine(name: name, bytes: Array(text.utf8), complaint: complaint)
    }

    private static func record(_ name: String, _ rest: String, _ complaint: String?) -> BadLine {
        line(name, start + rest + "}", complaint)
    }

    private static func record(_ name: String, bytes: [UInt8], _ complaint: String) -> BadLine {
        BadLine(
            name: name, bytes: Array((start + #","model":"a"#).utf8) + bytes + Array(#""}"#.utf8),
            complaint: complaint)
    }

    private static let badAttempts = #""attempts" has a value that it cannot have"#

    static let all: [BadLine] = [
        line("not JSON", marker, "not JSON: a byte that cannot stand here"),
        line("truncated", start, "not JSON: it ends inside a value"),
        line("no object", "[\"\(marker)\"]", "not a JSON object"),
        line("no record", "{\"\(marker)\":1}", #""usage" is missing"#),
        line("two values", start + "} {}", "not JSON: something follows the value"),
        record("invalid UTF-8", bytes: [0xFF], "not JSON: not UTF-8"),
        record("a UTF-8 surrogate", bytes: [0xED, 0xA0, 0x80], "not JSON: not UTF-8"),
        record("a NUL", bytes: [0], "not JSON: a control character without an escape"),
        record("a lone surrogate", #","model":"\ud800""#, nil),
        record(
            "an unknown escape", #","model":"\x""#, "not JSON: an escape that JSON does not have"),
        record("a key twice", #","usage":"planted-marker""#, #""usage" stands twice"#),
        record("attempts of 1.5", #","attempts":1.5"#, badAttempts),
        record("attempts of -1", #","attempts":-1"#, badAttempts),
        record("attempts of 1e308", #","attempts":1e308"#, badAttempts),
        record("attempts of 2^63", #","attempts":9223372036854775808"#, badAttempts),
        record("attempts in quotes", #","attempts":"planted-marker""#, badAttempts),
        record(
            "a time in words", #","time":"planted-marker""#,
            #""time" has a value that it cannot have"#),
        line(
            "an unknown outcome", #"{"usage":"u","outcome":"planted-marker"}"#,
            #""outcome" has a value that it cannot have"#),
        record(
            "10,000 levels",
            #","output":"# + String(repeating: "[", count: 10_000)
                + String(repeating: "]", count: 10_000),
            "not JSON: more than 512 levels"),
        line(
            "10 MB of no JSON", String(repeating: marker, count: 720_000),
            "not JSON: a byte that cannot stand here"),
        line(
            "20 MB", start + #","model":""# + String(repeating: marker, count: 1_440_000) + #""}"#,
            "the line has 20.2 MB; the limit is 16 MiB"),
        line(
            "a fact of an unknown type",
            #"{"v":1,"type":"planted-marker","id":"01a22060-ffa8-77eb-887e-ee36c6edff4e","time":"2026-11-29T10:00:00Z"}"#,
            "a fact of a type that this version does not know; import the folder of the log to keep it"
        ),
        line(
            "a fact of a newer version",
            #"{"v":2,"type":"gate","id":"01a22060-ffa8-77eb-887e-ee36c6edff4e","time":"2026-11-29T10:00:00Z","on_device_ai":true}"#,
            "written by a newer version"),
        record("a duration of 1e308", #","duration":1e308"#, nil),
        record("a duration of -1", #","duration":-1"#, nil),
        record("a duration of 2^63", #","duration":9223372036854775808"#, nil),
        record(
            "10 MB of context",
            #","id":"long","request":{"instructions":""#
                + String(repeating: "x", count: 10_000_000) + #""}"#, nil),
    ]
}

@Suite("Bad lines") struct BadLineTests {
    private let good = Records.line(0) + "\n"

    @Test(
        "one is named by file, line and class, and what stands around it is imported",
        arguments: BadLine.all)
    func one(bad: BadLine) throws {
        let fixture = CommandFixture()
        let text = Array(good.utf8) + bad.bytes + [0x0A] + Array(Records.line(1).utf8) + [0x0A]
        try Files.write(text, to: fixture.path("records"))
        let run = try fixture.evalog("import", "records")
        let expected = bad.complaint.map { ["evalog: records:2: \($0)"] } ?? []
        let complaints = run.errors.split(separator: "\n").map(String.init).filter {
            $0.hasPrefix("evalog: records:2:")
        }
        #expect(complaints.map { $0.replacing(/\ \(byte \d+\)$/, with: "") } == expected)
        #expect(!run.errors.contains(BadLine.marker))
        #expect(run.status == (bad.complaint == nil ? 0 : 1))
        #expect(try fixture.factLines().count == (bad.complaint == nil ? 3 : 2))
    }

    @Test("--strict imports nothing of a file that has one, and other files as ever")
    func strict() throws {
        let fixture = CommandFixture()
        try Files.write(good + "{\n", to: fixture.path("bad"))
        try Files.write(good, to: fixture.path("good"))
        let refused = try fixture.evalog("import", "--strict", "bad")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("evalog: bad: nothing imported, 1 of 2 lines are bad\n"))
        #expect(try fixture.factLines().isEmpty)
        #expect(try fixture.evalog("import", "--strict", "bad", "good").status == 1)
        #expect(try fixture.factLines().count == 1)
    }

    @Test("--strict reads its input twice, so it takes no pipe")
    func strictPipe() throws {
        let fixture = CommandFixture()
        try Files.write(good, to: fixture.path("good"))
        #expect(try fixture.evalog("import", "--strict", "-", input: Array(good.utf8)).status == 2)
        let named = try fixture.evalog("import", "--strict", "/dev/stdin", input: Array(good.utf8))
        #expect(named.status == 2)
        #expect(named.errors.contains("--strict reads its input twice"))
        #expect(Files.names(in: fixture.log).isEmpty)
    }

    @Test("what --strict has to say of good lines it says once")
    func strictNotes() throws {
        let fixture = CommandFixture()
        try Files.write("{\"stray\":1," + good.dropFirst(), to: fixture.path("records"))
        let run = try fixture.evalog("import", "--strict", "records")
        #expect(
            run.errors.hasPrefix(
                """
                evalog: records: 1 unknown key left out, the first in line 1
                evalog: records: 1 evaluation, 0 events

                """))
        #expect(run.errors.split(separator: "\n").count == 3)
    }

    @Test("more than twenty are summed up")
    func many() throws {
        let fixture = CommandFixture()
        try Files.write(String(repeating: "{\n", count: 33) + good, to: fixture.path("records"))
        let run = try fixture.evalog("import", "records")
        #expect(
            run.errors.split(separator: "\n").count {
                $0.hasPrefix("evalog: records:") && $0.contains("it ends inside")
            } == 20)
        #expect(
            run.errors.contains(
                "evalog: records: and 13 more bad lines; --bad-lines names them\n"))
        #expect(run.errors.contains("1 evaluation, 0 events, 33 lines refused"))
        #expect(run.status == 1)
        let all = try fixture.evalog("import", "--bad-lines", "33", "records")
        #expect(all.errors.contains("evalog: records:33: "))
        #expect(!all.errors.contains("more bad"))
    }

    @Test("--quiet keeps the complaints and drops the count")
    func quiet() throws {
        let fixture = CommandFixture()
        try Files.write(good + "{\n", to: fixture.path("records"))
        let run = try fixture.evalog("import", "--quiet", "records")
        #expect(run.errors == "evalog: records:2: not JSON: it ends inside a value (byte 2)\n")
    }
}

@Suite("Awkward files") struct AwkwardFileTests {
    @Test("a missing file and a folder that is no log end with 2 and leave no log")
    func missing() throws {
        let fixture = CommandFixture()
        try fixture.shell("mkdir folder")
        for (name, words) in [("absent", "No such file"), ("folder", "is a folder, but no log")] {
            let run = try fixture.evalog("import", name)
            #expect(run.status == 2)
            #expect(run.errors.contains(words))
        }
        #expect(Files.names(in: fixture.log).isEmpty)
    }

    @Test("where one of several files is missing, none is imported")
    func oneMissing() throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<3), to: fixture.path("records"))
        #expect(try fixture.evalog("import", "records", "absent").status == 2)
        #expect(Files.names(in: fixture.log).isEmpty)
    }

    @Test(
        "a file that may not be read ends with 2",
        .enabled(if: getuid() != 0, "root may read anything"))
    func unreadable() throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<1), to: fixture.path("records"))
        chmod(fixture.path("records"), 0)
        let run = try fixture.evalog("import", "records")
        #expect(run.status == 2)
        #expect(run.errors.contains("Permission denied"))
    }

    // By number: arguments are printed, and records are confidential.
    private static let endings: [(text: String, count: Int)] = [
        ("", 0), ("\n\r\n \t\n", 0),
        (Records.text(0..<2).replacing("\n", with: "\r\n"), 2),
        (String(Records.text(0..<2).dropLast()), 2),
    ]

    @Test(
        "an empty file, blank lines, CRLF and a missing last newline are no faults",
        arguments: endings.indices)
    func ending(number: Int) throws {
        let (text, count) = Self.endings[number]
        let fixture = CommandFixture()
        try Files.write(text, to: fixture.path("records"))
        let run = try fixture.evalog("import", "records")
        #expect(run.status == 0)
        #expect(run.errors.hasPrefix("evalog: records: \(count) evaluations, 0 events\n"))
        // The same lines with the usual endings have the same ids.
        try Files.write(Records.text(0..<count), to: fixture.path("records"))
        try fixture.evalog("import", "records")
        let ids = try fixture.factLines().map { $0.prefix(80) }
        #expect(Set(ids).count == count)
    }

    @Test("of a cut gzip file only whole members are imported, and the status is 1")
    func cutGzip() throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<40), to: fixture.path("records"))
        try fixture.shell(
            "gzip -c records > a.gz; gzip -c records | head -c 300 > b.gz; cat a.gz b.gz > cut.gz")
        let run = try fixture.evalog("import", "cut.gz")
        #expect(run.status == 1)
        #expect(run.errors.contains("cut.gz is damaged gzip, of which the first"))
        #expect(try fixture.factLines().count == 40)
        #expect(try fixture.evalog("verify").status == 0)
    }

    @Test("nothing that a damaged gzip member inflates to reaches the log", arguments: 0..<8)
    func damagedGzip(place: Int) throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<400), to: fixture.path("records"))
        try fixture.shell("gzip records")
        var bytes = try Files.bytes(fixture.path("records.gz"))
        bytes[20 + (bytes.count - 40) * place / 8] ^= 0x10
        try Files.write(bytes, to: fixture.path("records.gz"))
        let run = try fixture.evalog("import", "records.gz")
        #expect(run.status == 1)
        #expect(run.errors.contains("records.gz is damaged gzip"))
        #expect(!run.errors.contains("secret"))
        #expect(try fixture.factLines().isEmpty)
        let strict = try fixture.evalog("import", "--strict", "--log", "other", "records.gz")
        #expect(strict.status == 1)
        #expect(strict.errors.contains("records.gz: nothing imported, for it is damaged\n"))
        #expect(Files.names(in: fixture.path("other/facts")).isEmpty)
    }

    @Test("zeros behind the last gzip member are padding, anything else is damage")
    func padding() throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<5), to: fixture.path("records"))
        try fixture.shell(
            "gzip -c records > a.gz; (cat a.gz; head -c 1000 /dev/zero) > padded.gz;"
                + " (cat a.gz; echo junk) > junk.gz")
        #expect(try fixture.evalog("import", "padded.gz").status == 0)
        #expect(try fixture.factLines().count == 5)
        let run = try fixture.evalog("import", "--log", "other", "junk.gz")
        #expect(run.status == 1)
        #expect(run.errors.contains("5 evaluations"))
    }

    @Test("a byte order mark is no part of the first line")
    func byteOrderMark() throws {
        let fixture = CommandFixture()
        let bytes: [UInt8] = [0xEF, 0xBB, 0xBF] + Array(Records.text(0..<3).utf8)
        try Files.write(bytes, to: fixture.path("records"))
        #expect(try fixture.evalog("import", "records").status == 0)
        #expect(try fixture.factLines().count == 3)
    }
}
