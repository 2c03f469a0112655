// A summary whose windows are told gets to its folder, however often that is tried.

import EvalogLog
import EvalogText
import Foundation
import TestSupport
import Testing
import VendorSink

@testable import Commands

@Suite("A summary on its way") struct PendingSummaryTests {
    private let scratch = ScratchFolder()
    private let line = Array(#"{"v":1}"#.utf8)

    private func records() throws -> ReportRecords {
        try ReportRecords(LogDirectory(path: scratch.path("log")))
    }

    private func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: scratch.path(name)).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// A log that keeps a summary.
    private func keep() throws -> ReportRecords {
        try LogDirectory(path: scratch.path("log")).make()
        let records = try records()
        var ledger = ReportLedger()
        ledger.close(until: 7, read: [:], latest: [:])
        try records.keep(
            [.summary: Array("rows".utf8), .manifest: Array("fields".utf8)], ledger, line: line,
            flags: "--min-count 5")
        return records
    }

    private func expectDelivered() throws {
        #expect(text("out/summary.csv") == "rows" && text("out/manifest.json") == "fields")
        #expect(text("log/reports/withheld.ndjson") == "{\"v\":1}\n")
        #expect(try records().ledger().progress.reportedUntil == 7)
        #expect(try !records().hasPending)
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path("log/reports"))
        #expect(names.sorted() == ["ledger.ndjson", "withheld.ndjson"])
    }

    private func output() throws -> OutputFolder {
        try OutputFolder(path: scratch.path("out"), of: nil)
    }

    @Test("is delivered with its ledger and its line, and forgotten")
    func delivered() throws {
        let records = try keep()
        #expect(records.hasPending)
        try records.deliver(to: output())
        try expectDelivered()
    }

    @Test("is delivered again after a kill behind any of the steps", arguments: 0..<4)
    func again(stepCount: Int) throws {
        let records = try keep()
        let ledger = try #require(text("log/reports/pending/ledger.ndjson"))
        let steps: [() throws -> Void] = [
            {
                try Data(ledger.utf8).write(
                    to: URL(filePath: scratch.path("log/reports/ledger.ndjson")))
            },
            { try output().replace([("summary.csv", OutputFolder.body(Array("rows".utf8)))]) },
            { try output().replace([("manifest.json", OutputFolder.body(Array("fields".utf8)))]) },
            { try records.append(line) },
        ]
        for step in steps.prefix(stepCount + 1) { try step() }
        try self.records().deliver(to: output())
        try expectDelivered()
    }

    @Test("takes no ledger's place with a damaged one")
    func damaged() throws {
        try keep().deliver(to: output())
        let records = try keep()
        let path = scratch.path("log/reports/pending/ledger.ndjson")
        var ledger = try #require(FileManager.default.contents(atPath: path))
        ledger[ledger.count / 2] ^= 1
        try ledger.write(to: URL(filePath: path))
        let failure = #expect(throws: CommandFailure.self) { try records.deliver(to: output()) }
        #expect(failure?.what.contains("pending/ledger.ndjson is damaged") == true)
        #expect(try records.ledger().progress.reportedUntil == 7)
    }

    @Test("waits where its folder does not take it")
    func waits() throws {
        let records = try keep()
        let folder = try output()
        rmdir(scratch.path("out"))
        let failure = #expect(throws: CommandFailure.self) { try records.deliver(to: folder) }
        #expect(failure?.what.contains("the summary waits in") == true)
        #expect(records.hasPending)
        #expect(text("log/reports/withheld.ndjson") == "{\"v\":1}\n")
        try records.deliver(to: output())
        try expectDelivered()
    }
}
