// The byte counts that docs/metrics.md states.

import EvalogText
import Testing

@testable import EvalogMetrics

@Suite("memory") struct MemoryTests {
    @Test("rows, events and versions take the bytes that the documents state")
    func sizes() {
        let numbers = 3 * MemoryLayout<UInt32>.stride
        let words = 4 * MemoryLayout<UInt64>.stride + MemoryLayout<RecordBits>.stride
        #expect(RecordStore.bytesPerRow == words + numbers)
        #expect(RecordStore.bytesPerRow == 52)
        #expect(MemoryLayout<EventPayload>.stride == 40)
        #expect(MemoryLayout<Claim>.stride == 24)
        #expect(MemoryLayout<PackedCount>.stride == 8)
    }

    @Test("an index takes 5 to 10 bytes a row once it has grown")
    func index() {
        var index = IndexTable()
        for row in 0..<100_000 {
            let hash = ByteHash.hash(high: UInt64(row), low: 0, salt: 0)
            index.insert(row, hash: hash) { ByteHash.hash(high: UInt64($0), low: 0, salt: 0) }
            if row > 1_000 {
                #expect((5...10.1).contains(Double(index.byteCount) / Double(row + 1)))
            }
        }
        let found = index.row(hash: ByteHash.hash(high: 77, low: 0, salt: 0)) { $0 == 77 }
        #expect(found == 77)
        #expect(
            index.row(hash: ByteHash.hash(high: 1 << 40, low: 0, salt: 0)) { _ in false } == nil)
    }

    @Test("combinations of names and large numbers of attempts count as memory taken")
    func collectorBytes() {
        func bytes(devices: Int, attempts: Int) -> Int {
            let lines = (0..<1_000).map { number in
                var line = FactLine.evaluation(number, at: 0, attempts: attempts)
                line.text("device", "d\(number % 40)")
                line.text("app", String(number % 1_000 < 40 ? number % 40 : number % devices))
                return line.text
            }
            return collect([lines]).byteCount
        }
        let plain = bytes(devices: 1, attempts: 1)
        #expect(bytes(devices: 1, attempts: 5_000) >= plain + 1_000 * 12)
        #expect(bytes(devices: 25, attempts: 1) >= plain + 100 * 20)
    }

    @Test("what a catalog lists takes no memory, for no table counts it")
    func catalogs() {
        func bytes(report: String) -> Int {
            var line = FactLine("catalog", id: 1, time: FactLine.time(0))
            line.text("subject", "form/field")
            line.json("report", report)
            return collect([[line.text]]).byteCount
        }
        let values = (0..<64).map { "\"\(String(repeating: "x", count: 60))\($0)\"" }
        let fields = (0..<30).map { "\"f\($0)\":[\(values.joined(separator: ","))]" }
        #expect(
            bytes(report: "{\(fields.joined(separator: ","))}") == bytes(report: #"{"f":["x"]}"#))
    }

    @Test("every code of an outcome stands for the class that it was made from")
    func codes() {
        var seen: Set<UInt8> = []
        for raw in 0..<UInt8(RecordCode.outcomeClassCount) {
            let code = RecordCode(rawValue: raw)
            #expect(RecordCode(code.outcomeClass) == code && code.isEvaluation)
            #expect(code.outcomeClass.outcome == code.outcome)
            seen.insert(raw)
        }
        #expect(seen.count == 49 && RecordCode.logGap.rawValue < RecordCode.hole.rawValue)
    }
}
