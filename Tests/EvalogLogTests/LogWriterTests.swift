// What a writer puts on disk, seen from outside.

@testable import EvalogLog
import Testing

@Suite("A log writer")
struct LogWriterTests {
    @Test("what is appended is read back, once, in order")
    func roundTrip() throws {
        let log = LogFixture()
        try log.write([3, 1, 250])
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...254))
        #expect(report.isClean)
        #expect(report.blockCount == 3)
        #expect(report.segments.map(\.state) == [.closed])
        #expect(report.writers.map(\.readCount) == [254])
    }
}
