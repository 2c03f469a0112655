// What a log keeps about summaries: bounded by the writers that it has lines of, and no event's name.

import EvalogLog
import Testing
import VendorSink

@testable import Commands

@Suite("The ledger of summaries") struct ReportLedgerTests {
    private static let end: Int64 = 1_577_836_800_000_000

    private func writer(_ number: UInt64) -> WriterID { WriterID(high: 0, low: number) }

    private func lines(_ ranges: [UInt64: Range<UInt64>]) -> SequencesByWriter {
        Dictionary(uniqueKeysWithValues: ranges.map { (writer($0), SequenceSet($1)) })
    }

    private func ledger() -> ReportLedger {
        var ledger = ReportLedger()
        ledger.close(
            until: Self.end, read: lines([1: 1..<11, 2: 5..<6]),
            latest: [writer(1): Self.end - 1_000, writer(2): Self.end + 7])
        return ledger
    }

    @Test("what was read adds up, also of lines that are gone while their writer has others")
    func adding() {
        var ledger = ledger()
        ledger.close(
            until: Self.end + 100, read: lines([1: 8..<21, 2: 5..<6, 3: 1..<2]), latest: [:])
        #expect(ledger.lines == lines([1: 1..<21, 2: 5..<6, 3: 1..<2]))
        #expect(ledger.progress.reportedUntil == Self.end + 100)
        #expect(ledger.progress.forgottenUntil == nil)
    }

    @Test(
        "a writer of which nothing is left goes, and what happened before its last event is forgotten"
    )
    func forgetting() {
        var ledger = ledger()
        ledger.close(until: Self.end + 100, read: lines([2: 5..<6]), latest: [:])
        #expect(ledger.lines == lines([2: 5..<6]))
        #expect(ledger.progress.forgottenUntil == Self.end - 999)
        // What is in it of events after the window's end had no turn.
        ledger.close(until: Self.end + 200, read: [:], latest: [:])
        #expect(ledger.progress.forgottenUntil == Self.end + 100)
        #expect(ledger.lines.isEmpty)
        var other = self.ledger()
        other.close(until: Self.end + 100, read: lines([1: 1..<11]), latest: [writer(1): 0])
        #expect(other.progress.forgottenUntil == Self.end)
    }

    @Test("its file reads back, and is the same for the same lines")
    func file() throws {
        #expect(try ReportLedger(ReportLedger().bytes) == ReportLedger())
        var ledger = ledger()
        #expect(try ReportLedger(ledger.bytes) == ledger)
        ledger.close(until: Self.end + 100, read: lines([2: 8..<9]), latest: [:])
        #expect(try ReportLedger(ledger.bytes) == ledger)
        #expect(
            String(decoding: ledger.bytes, as: UTF8.self)
                == """
                {"v":2,"reported_until":"2020-01-01T00:00:00.000100Z","forgotten_until":"2019-12-31T23:59:59.999001Z"}
                {"writer":"00000000000000000000000000000002","lines":"5-5,8-8","until":"2020-01-01T00:00:00.000100Z"}

                """)
    }

    private static let share =
        #"{"writer":"00000000000000000000000000000002","lines":"1-2","until":"2020-01-01T00:00:00Z"}"#

    @Test(
        "a damaged file is no ledger: nothing is told on a guess",
        arguments: [
            ("", 1), ("\n", 1), (#"{"v":1}"#, 1), ("{}\n", 1), ("{\"v\":0}\n", 1), ("{\"v\":2}", 1),
            ("{\"v\":2,\"reported_until\":\"soon\"}\n", 1),
            ("{\"v\":2,\"forgotten_until\":\"soon\"}\n", 1), ("{\"v\":2}\n\n", 2),
            ("\(share)\n", 1), ("{\"v\":2}\n\(share)\n\(share)\n", 3),
            ("{\"v\":2}\n\(share.replacing("1-2", with: "2-1"))\n", 2),
            ("{\"v\":2}\n\(share.replacing("0002", with: "002"))\n", 2),
            ("{\"v\":2}\n\(share.replacing("2020", with: "20"))\n", 2),
            ("{\"v\":2}\n\(share.replacing("{", with: "{\"x\":1,"))\n", 2),
        ])
    func damaged(text: String, line: Int) {
        let error = #expect(throws: ReportLedgerError.self) {
            try ReportLedger(Array(text.utf8))
        }
        #expect(error == .damaged(line: line))
    }

    @Test(
        "a file of another version is said to be that, whatever else is in it",
        arguments: [
            ("{\"v\":1,\"reported_until\":\"2020-01-01T00:00:00Z\"}\n{\"event\":\"x\"}\n", 1),
            ("{\"v\":3,\"more\":[]}\n", 3),
        ])
    func version(text: String, version: Int64) {
        #expect(throws: ReportLedgerError.version(version)) {
            try ReportLedger(Array(text.utf8))
        }
    }
}
