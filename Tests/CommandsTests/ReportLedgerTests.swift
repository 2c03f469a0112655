// What a log keeps about summaries: bounded by the writers that it has lines of, and no event's name.

import EvalogLog
import EvalogText
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
        let text = """
            {"v":3,"summaries":2,"reported_until":"2020-01-01T00:00:00.000100Z","forgotten_until":"2019-12-31T23:59:59.999001Z"}
            {"writer":"00000000000000000000000000000002","lines":"5-5,8-8","until":"2020-01-01T00:00:00.000100Z"}

            """
        #expect(ledger.bytes == Self.sealed(text))
    }

    private static let share =
        #"{"writer":"00000000000000000000000000000002","lines":"1-2","until":"2020-01-01T00:00:00Z"}"#

    /// With the line that a ledger ends with.
    private static func sealed(_ text: String) -> [UInt8] {
        Array((text + #"{"sha256":"\#(SHA256.text(of: Array(text.utf8)))"}"# + "\n").utf8)
    }

    @Test(
        "a damaged file is no ledger: nothing is told on a guess",
        arguments: [
            ("\n", 1), ("{}\n", 1), ("{\"v\":0}\n", 1),
            ("{\"v\":3,\"reported_until\":\"soon\"}\n", 1),
            ("{\"v\":3,\"forgotten_until\":\"soon\"}\n", 1), ("{\"v\":3}\n\n", 2),
            ("\(share)\n", 1), ("{\"v\":3}\n\(share)\n\(share)\n", 3),
            ("{\"v\":3}\n\(share.replacing("1-2", with: "2-1"))\n", 2),
            ("{\"v\":3}\n\(share.replacing("0002", with: "002"))\n", 2),
            ("{\"v\":3}\n\(share.replacing("2020", with: "20"))\n", 2),
            ("{\"v\":3}\n\(share.replacing("{", with: "{\"x\":1,"))\n", 2),
        ])
    func damaged(text: String, line: Int) {
        let error = #expect(throws: ReportLedgerError.self) { try ReportLedger(Self.sealed(text)) }
        #expect(error == .damaged(line: line))
    }

    @Test("no byte of the file can be changed, and no line go, without being noticed")
    func digest() throws {
        let file = ledger().bytes
        for index in file.indices {
            for mask in [1, 4, 0x20, 0x80] as [UInt8] {
                var changed = file
                changed[index] ^= mask
                #expect(throws: ReportLedgerError.self) { try ReportLedger(changed) }
            }
            #expect(throws: ReportLedgerError.self) { try ReportLedger(Array(file[..<index])) }
        }
        let lines = file.split(separator: 0x0A)
        for index in lines.indices {
            var left = lines
            left.remove(at: index)
            let bytes = left.flatMap { $0 + [0x0A] }
            #expect(throws: ReportLedgerError.self) { try ReportLedger(bytes) }
        }
        let digit = String(decoding: file, as: UTF8.self).replacing(#""1-10""#, with: #""1-19""#)
        #expect(throws: ReportLedgerError.changed) { try ReportLedger(Array(digit.utf8)) }
    }

    @Test("what was told of later windows is not told again when windows begin now")
    func restart() throws {
        var ledger = ReportLedger()
        let (first, second) = (writer(1), writer(2))
        ledger.close(
            until: 1_000, read: lines([1: 1..<10, 2: 1..<10]), latest: [first: 700, second: 400])
        ledger.restart(at: 500)
        ledger = try ReportLedger(ledger.bytes)
        #expect(ledger.progress.reportedUntil == 500)
        #expect(ledger.hadTurn(first, 9, at: 499) && ledger.hadTurn(first, 9, at: 700))
        #expect(!ledger.hadTurn(first, 9, at: 701), "it had to wait then, too")
        #expect(ledger.hadTurn(second, 9, at: 499) && !ledger.hadTurn(second, 9, at: 500))
        ledger.close(until: 600, read: lines([1: 1..<20]), latest: [first: 900])
        #expect(!ledger.hadTurn(first, 10, at: 700), "it came later")
        #expect(ledger.hadTurn(first, 10, at: 599) && ledger.hadTurn(first, 9, at: 700))
    }

    @Test("in the place of a lost one all that was there counts as told, or as never told")
    func lost() {
        let ledger = ReportLedger(inPlaceOfLostAt: 7, summaryCount: 0)
        #expect(ledger.progress == SummaryProgress(reportedUntil: 7, forgottenUntil: 7))
        #expect(ledger.lines.isEmpty)
    }

    @Test("covers another where all that was read for that one was read for it, too")
    func covers() {
        let ledger = ledger()
        #expect(ledger.covers(ledger) && ledger.covers(ReportLedger()))
        var more = ledger
        more.close(until: Self.end, read: lines([1: 1..<12]), latest: [:])
        #expect(!ledger.covers(more) && !ReportLedger().covers(ledger))
        more.close(until: Self.end, read: lines([1: 1..<12, 2: 5..<6, 9: 1..<2]), latest: [:])
        #expect(more.covers(ledger) && !ledger.covers(more))
    }

    @Test(
        "a file of another version is said to be that, whatever else is in it",
        arguments: [
            ("{\"v\":1,\"reported_until\":\"2020-01-01T00:00:00Z\"}\n{\"event\":\"x\"}\n", 1),
            ("{\"v\":4,\"more\":[]}\n", 4), ("{\"v\":2}\n", 2),
        ])
    func version(text: String, version: Int64) {
        #expect(throws: ReportLedgerError.version(version)) {
            try ReportLedger(Array(text.utf8))
        }
    }
}
