// evalog coverage and --by tier on real logs.

import Foundation
import TestSupport
import Testing

@Suite("evalog coverage") struct CoverageTests {
    private static let devices: [(device: String, os: String)] = [
        ("iPhone18,1", "iOS 27.0"), ("iPhone17,1", "iOS 26.1"), ("iPhone15,4", "iOS 26.1"),
        ("iPhone17,1", "iOS 18.6"), ("iPhone99,1", "iOS 27.0"),
    ]

    /// Forty evaluations in ten sessions, two on each device; none reaches a model without one.
    private func log() throws -> CommandFixture {
        let fixture = CommandFixture()
        let lines = (0..<40).map { number in
            let session = number / 4
            let (device, os) = Self.devices[session % 5]
            let ending =
                session % 5 == 2 || session % 5 == 3
                ? #""outcome":"skipped","reason":"model_unavailable","detail":"device_not_eligible","#
                    + #""duration_us":0,"attempts":0"#
                : #""outcome":"completed","duration_us":1000,"attempts":1"#
            return
                #"{"v":1,"type":"evaluation","id":"01930000-0000-7000-8000-0000000000\#(10 + number)","#
                + #""time":"2026-11-29T10:\#(10 + number):00Z","usage":"embedded_selection","#
                + #""session":"0b54f0ee-9c5d-4d0a-8f52-00000000000\#(session)","os":"\#(os)","#
                + #""device":"\#(device)",\#(ending)}"#
        }
        try Files.write(lines.joined(separator: "\n") + "\n", to: fixture.path("facts"))
        try fixture.evalog("import", "-q", "facts")
        return fixture
    }

    private func json(_ run: Finished) throws -> [String: Any] {
        try #require(
            JSONSerialization.jsonObject(with: Data(run.output)) as? [String: Any])
    }

    @Test("says how many were without a model, by tier and cause, beside what was expected")
    func tiers() throws {
        let fixture = try log()
        let run = try fixture.evalog("coverage", "--json")
        #expect(run.status == 0 && run.errors.isEmpty)
        let found = try json(run)
        let tiers = try #require(found["tiers"] as? [[String: Any]])
        #expect(
            tiers.map { $0["tier"] as? String }
                == ["advanced", "core", "old_os", "not_eligible", "unknown"])
        #expect(tiers.map { $0["sessions"] as? Int } == [2, 2, 2, 2, 2])
        #expect(tiers.map { $0["sessions_without"] as? Int } == [0, 0, 2, 2, 0])
        let expected = try #require(found["expected"] as? [String: Int])
        #expect(expected == ["of": 32, "without_model": 16, "share_ppm": 500_000])
        #expect(found["observed"] as? [String: Int] == expected)
        let text = try fixture.evalog("coverage").text
        #expect(
            text.hasPrefix("40.00 % of 40 evaluations had no model, nor 40.00 % of 10 sessions"))
        #expect(text.contains("not_eligible  model_unavailable  device_not_eligible"))
    }

    @Test("filters act, and a run of a test set is no traffic")
    func filters() throws {
        let fixture = try log()
        let one = try json(fixture.evalog("coverage", "--json", "--os", "iOS 18.6"))
        #expect((one["evaluations"] as? [String: Int])?["of"] == 8)
        try TestSetFiles.write(to: fixture)
        try fixture.evalog("testset", "run", "-q", "cases", "--recorded", "answers")
        let all = try json(fixture.evalog("coverage", "--json"))
        #expect((all["evaluations"] as? [String: Int])?["of"] == 40)
        let none = try fixture.evalog("coverage", "--until", "2000-01-01")
        #expect(none.text == "No evaluation tells whether there was a model.\n")
        #expect(try fixture.evalog("coverage", "--log", "absent").status == 2)
    }

    @Test("--by tier groups everywhere by what device and system come to")
    func byTier() throws {
        let fixture = try log()
        let run = try fixture.evalog("replay", "--json", "--by", "tier")
        let groups = try #require(try json(run)["groups"] as? [[String: Any]])
        #expect(
            groups.map { $0["tier"] as? String }
                == ["advanced", "core", "not_eligible", "old_os", "unknown"])
        #expect(groups.map { $0["skipped"] as? Int } == [0, 0, 8, 8, 0])
        let files = try fixture.export("--by", "tier,os", "--window", "day")
        let rows = String(decoding: files["evaluations.csv"] ?? [], as: UTF8.self)
        #expect(rows.contains(",old_os,iOS 18.6,8,0,8,"))
        let package = String(decoding: files["datapackage.json"] ?? [], as: UTF8.self)
        #expect(package.contains("Which on-device model device and system can run"))
        try fixture.evalog("export", "-q", "--to", "csv", "--by", "tier,os", "--window", "day")
        #expect(try fixture.evalog("replay", "--diff", "csv").status == 0)
        let page = try fixture.evalog("export", "--to", "page", "--format", "html", "--by", "tier")
        #expect(page.status == 0)
        let broken = try fixture.evalog(
            "check", "--by", "tier", "--window", "3650d", "--max-skip-rate", "10%", "--json")
        #expect(broken.status == 1 && broken.text.contains(#""tier":"old_os","verdict":"broken""#))
    }
}
