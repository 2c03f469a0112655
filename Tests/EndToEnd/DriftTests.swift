// evalog drift and drift.csv on real logs: statuses, what is said, and that the same comes out everywhere.

import Foundation
import TestSupport
import Testing

@Suite("evalog drift") struct DriftTests {
    /// Forty sessions on each of two systems; every second evaluation of the newer one fails.
    private func log() throws -> CommandFixture {
        let fixture = CommandFixture()
        var lines: [String] = []
        for session in 0..<80 {
            for turn in 0..<4 {
                let number = 1000 + lines.count
                let isNew = session % 2 == 1
                let fails = isNew ? turn % 2 == 0 : session % 20 == 0
                lines.append(
                    #"{"v":1,"type":"evaluation","id":"01930000-0000-7000-8000-00000000\#(number)","#
                        + #""time":"2026-11-29T10:\#(10 + session % 50):1\#(turn)Z","usage":"embedded_selection","#
                        + #""session":"0b54f0ee-9c5d-4d0a-8f52-0000000000\#(10 + session)","#
                        + #""model":"m","app":"4.2.\#(session % 4)","os":"iOS 26.\#(isNew ? 2 : 1)","#
                        + #""outcome":"\#(fails ? "failed" : "completed")","duration_us":\#(number * 100),"#
                        + #""attempts":1}"#)
            }
        }
        try Files.write(lines.joined(separator: "\n") + "\n", to: fixture.path("facts"))
        try fixture.evalog("import", "-q", "facts")
        return fixture
    }

    private static let sides = ["--baseline", "iOS 26.1", "--candidate", "iOS 26.2"]

    @Test("status 1 where the candidate is worse, 0 where it is not, and it says what")
    func statuses() throws {
        let fixture = try log()
        let worse = try fixture.start(["drift", "--by", "os"] + Self.sides).finish()
        #expect(worse.status == 1 && worse.errors.isEmpty)
        #expect(
            worse.text.hasPrefix("worse by more than chance: failure rate of embedded_selection"))
        let better = try fixture.evalog(
            "drift", "--by", "os", "--baseline", "iOS 26.2", "--candidate", "iOS 26.1", "--json")
        #expect(better.status == 0 && better.text.hasPrefix(#"{"worse":false,"#))
        #expect(better.text.contains(#""measure":"failure_rate","verdict":"better""#))
        let same = try fixture.evalog(
            "drift", "--by", "app", "--baseline", "4.2.0", "--candidate", "4.2.2")
        #expect(same.status == 0 && same.text.hasPrefix("not worse by more than chance"))
        let few = try fixture.start(
            ["drift", "--by", "os", "--until", "2026-11-29T10:12:00Z"] + Self.sides
        ).finish()
        #expect(few.status == 0 && few.text.hasPrefix("not enough data for any comparison\n"))
    }

    @Test("what cannot be compared is told before the log is read, or with the names there are")
    func failures() throws {
        let fixture = try log()
        func said(_ words: String...) throws -> String {
            let run = try fixture.start(["drift"] + words).finish()
            #expect(run.status == 2 && run.output.isEmpty, "\(words)")
            return run.errors
        }
        #expect(try said().contains("needs --by, --baseline and --candidate"))
        #expect(
            try said("--by", "usage", "--baseline", "a", "--candidate", "b")
                .contains("--by takes os, model or app"))
        #expect(
            try said("--by", "os", "--baseline", "a", "--candidate", "a").contains("are the same"))
        #expect(
            try said("--by", "os", "--baseline", "iOS 26.1", "--candidate", "iOS 26.7")
                .contains("no evaluation is of --candidate iOS 26.7; there are iOS 26.1, iOS 26.2"))
        for level in ["0", "1", "2", "x"] {
            #expect(
                try said("--by", "os", "--baseline", "a", "--candidate", "b", "--level", level)
                    .contains("--level takes a share between 0 and 1"))
        }
    }

    @Test(
        "drift.csv says the same, is described, can be compared, and is there only when asked for")
    func export() throws {
        let fixture = try log()
        let plain = try fixture.export()
        #expect(plain["drift.csv"] == nil)
        let run = try fixture.start(
            ["export", "--to", "csv", "--drift-by", "os"] + Self.sides
        ).finish()
        #expect(run.errors == "evalog: csv: 9 tables and datapackage.json\n")
        let rows = try Files.text(fixture.path("csv/drift.csv"))
        #expect(
            rows.contains(
                "embedded_selection,failure_rate,,,,worse,40,160,16,0.100000,,40,160,80,0.500000,"))
        let package = try Files.text(fixture.path("csv/datapackage.json"))
        #expect(package.contains(#""drift.csv""#) && package.contains(#""candidate": "iOS 26.2""#))
        #expect(try fixture.evalog("replay", "--diff", "csv").status == 0)
        try fixture.shell("sed -i 's/,worse,/,same,/' csv/drift.csv")
        let changed = try fixture.evalog("replay", "--diff", "csv")
        #expect(changed.status == 1 && changed.text.contains("drift"))
        let page = try fixture.start(
            ["export", "-q", "--to", "page", "--format", "html", "--drift-by", "os"] + Self.sides
        ).finish()
        #expect(page.status == 0)
        #expect(
            try Files.text(fixture.path("page/evalog.html")).contains(#""measure":"failure_rate""#))
        for words in [
            ["--drift-by", "os"], ["--baseline", "iOS 26.1"], ["--tables", "drift"],
            ["--drift-by", "device"] + Self.sides,
        ] {
            #expect(try fixture.start(["export", "--to", "no"] + words).finish().status == 2)
        }
    }
}
