// Facts to report, and what reports and the log say of them.

import TestSupport

/// Facts of 2020, whose windows are over on any clock.
enum ReportLines {
    static let catalog = """
        {"v":1,"type":"catalog","id":"00000000-0000-4000-8000-000000000001","time":"2020-01-01T00:00:00Z",\
        "subject":"support/text","report":{"topic":["billing","other"]}}

        """

    static func inferences(_ numbers: Range<Int>, hour: Int = 10) -> String {
        numbers.map { number in
            """
            {"v":1,"type":"form_inference","id":"00000000-0000-4000-8000-\(100_000_000_000 + number)",\
            "time":"2020-01-01T\(hour):00:00Z","evaluation":"00000000-0000-4000-8000-\(200_000_000_000 + number)",\
            "subject":"support/text","session":"00000000-0000-4000-8000-\(300_000_000_000 + number)",\
            "status":"success","report":{"topic":"\(number % 10 == 0 ? "other" : "billing")"}}

            """
        }.joined()
    }
}

extension CommandFixture {
    /// A fixture whose log has some facts.
    static func reporting(_ facts: String) throws -> CommandFixture {
        let fixture = CommandFixture()
        try fixture.add(facts)
        return fixture
    }

    /// A fixture whose log has the catalog and some inferences.
    static func reporting(_ numbers: Range<Int>) throws -> CommandFixture {
        try reporting(ReportLines.catalog + ReportLines.inferences(numbers))
    }

    /// Imports facts, as another writer.
    func add(_ facts: String) throws {
        let run = try evalog("import", "-", input: Array(facts.utf8))
        guard run.status == 0 else { throw FixtureFailure(what: run.errors) }
    }

    /// The rows of a report's summary.
    func summary(in folder: String = "out") throws -> [String] {
        try Files.text(path("\(folder)/summary.csv")).split(separator: "\r\n").dropFirst()
            .map(String.init)
    }

    /// Changes the ledger as its program would.
    func editLedger(_ script: String) throws {
        try shell(
            "cd log/reports && sed '$d' ledger.ndjson | sed '\(script)' > edited"
                + #" && printf '{"sha256":"%s"}\n' "$(sha256sum < edited | cut -c1-64)" >> edited"#
                + " && mv edited ledger.ndjson")
    }

    /// What the log keeps about what was withheld, a line for each report.
    func reportJournal() throws -> [Substring] {
        try Files.text(path("log/reports/withheld.ndjson")).split(separator: "\n")
    }
}
