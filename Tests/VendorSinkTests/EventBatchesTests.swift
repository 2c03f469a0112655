// Uploads: as many events as fit, and one that never fits goes alone.

import Foundation
import Testing
import VendorSink

@Suite("Batches") struct EventBatchesTests {
    private func events(_ count: Int, values: Int = 0) -> [VendorEvent] {
        let names = (0..<max(values, 1)).map { "p\($0)" }
        let listed = names.map { "\"\($0)\":[\"\(String(repeating: "x", count: 64))\"]" }
        let report = names.map { "\"\($0)\":\"\(String(repeating: "x", count: 64))\"" }
        return Lines.screen(
            [Lines.catalog(1, "{\(listed.joined(separator: ","))}")]
                + (0..<count).map { index in
                    Lines.inference(
                        index + 10, at: Double(index),
                        report: values > 0 ? "{\(report.joined(separator: ","))}" : nil)
                }
        ).events
    }

    private func array(of batch: EventBatch, in lines: EventLines) -> Data {
        let all = String(decoding: lines.bytes, as: UTF8.self).split(separator: "\n")
        let part = all[(batch.firstLine - 1)..<(batch.firstLine - 1 + batch.eventCount)]
        return Data("[\(part.joined(separator: ","))]".utf8)
    }

    @Test(
        "hold at most 500 events, every event in one of them", arguments: [0, 1, 500, 501, 1_250])
    func count(count: Int) {
        let lines = EventLines(events(count))
        #expect(lines.batches.map(\.eventCount).reduce(0, +) == count)
        #expect(lines.batches.allSatisfy { (1...500).contains($0.eventCount) })
        #expect(lines.batches.count == (count + 499) / 500)
        var next = 1
        for batch in lines.batches {
            #expect(batch.firstLine == next)
            next += batch.eventCount
        }
    }

    @Test("are JSON arrays of as many bytes as the manifest says, within the limit")
    func bytes() throws {
        var limits = BatchLimits()
        limits.byteCountMax = BatchLimits.byteCounts.lowerBound
        let lines = EventLines(events(90, values: 5), limits)
        #expect(lines.batches.count > 3)
        for batch in lines.batches {
            let array = array(of: batch, in: lines)
            #expect(array.count == batch.byteCount)
            #expect(batch.byteCount <= limits.byteCountMax)
            let value = try #require(try JSONSerialization.jsonObject(with: array) as? [Any])
            #expect(value.count == batch.eventCount)
        }
    }

    @Test("an event that is larger than a batch is sent alone, and those behind it are sent")
    func oversized() {
        var limits = BatchLimits()
        limits.byteCountMax = 300
        let small = events(3)
        let large = events(1, values: 32)
        let lines = EventLines(small[0..<1] + large + small[1...], limits)
        #expect(lines.batches.map(\.eventCount) == [1, 1, 1, 1])
        #expect(lines.batches[1].byteCount > 300)
    }
}
