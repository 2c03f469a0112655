// Two processes and one log.

import Testing

@Suite("Two imports at the same time") struct TwoImportsTests {
    @Test("leave the records of both, and ids made with one key", arguments: 1...3)
    func both(round: Int) throws {
        let fixture = CommandFixture()
        let texts = [Records.text(0..<40), Records.text(40..<80)]
        for (index, text) in texts.enumerated() {
            try Files.write(text, to: fixture.path("\(index)"))
        }
        let runs = try (0..<2).map { try fixture.start(["import", "--content", "all", "\($0)"]) }
        for run in runs {
            let finished = run.finish()
            #expect(finished.status == 0)
            #expect(finished.errors.contains("40 evaluations"))
        }
        #expect(try fixture.factLines().count == 80)
        let verdict = try fixture.evalog("verify", "--content")
        #expect(verdict.status == 0)
        #expect(!verdict.text.contains("ignored"))
        #expect(Files.temporaries(below: fixture.log).isEmpty)
        // A key that was drawn twice would make other ids now.
        for index in 0..<2 { try fixture.evalog("import", "\(index)") }
        #expect(Set(try fixture.factLines()).count == 80)
    }
}
