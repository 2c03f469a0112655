// What stands in for facts that are erased is there before they go, also for those that came meanwhile.

import EvalogFacts
import EvalogLog
import Foundation
import TestSupport
import Testing

@testable import Commands

@Suite("What stands in for erased facts") struct EraseStandInsTests {
    private let scratch = ScratchFolder()
    private var directory: LogDirectory { LogDirectory(path: scratch.path("log")) }

    private func write(_ numbers: Range<Int>) throws {
        let writer = try LogWriter(directory)
        for number in numbers {
            let line =
                #"{"v":1,"type":"evaluation","id":"00000000-0000-4000-8000-00000000000\#(number)","#
                + #""time":"2020-01-01T09:00:00Z","usage":"mood","subject":"place","#
                + #""session":"00000000-0000-4000-8000-00000000001\#(number)","#
                + #""outcome":"skipped","reason":"ai_disabled","attempts":0}"#
            _ = writer.append(Array(line.utf8), to: .facts, eventTime: 0)
        }
        try writer.close()
    }

    private func lines() throws -> [String] {
        let lines = Monitor<[String]>([])
        try readLog(directory, .facts) { _, block in
            block.forEachLine { _, line in
                lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            }
        }
        return lines.withLock { $0 }
    }

    private var stops: Int {
        get throws { try lines().count { $0.contains(#""on_device_ai":false"#) } }
    }

    private func position() throws -> SequencesByWriter {
        try verifyLog(directory, .facts).position[.facts]
    }

    @Test("comes for what is new, and once")
    func meanwhile() throws {
        try write(0..<2)
        let target = EraseTarget(.subject, "place", key: nil)
        let standIns = EraseStandIns(for: target, ids: [], in: directory)
        let first = try position()
        try standIns.append(for: first)
        #expect(try stops == 2)
        try write(2..<5)
        try standIns.append(for: first)
        #expect(try stops == 2, "nothing of it goes yet")
        let second = try position()
        for _ in 0..<2 {
            try standIns.append(for: second)
            #expect(try stops == 5)
        }
    }

    @Test("is there before any line goes, though a writer adds lines at every look")
    func race() throws {
        try write(0..<1)
        let lock = try #require(try MaintenanceLock.wait(directory))
        let target = EraseTarget(.subject, "place", key: nil)
        let standIns = EraseStandIns(for: target, ids: [], in: directory)
        let matcher = EraseMatcher(target)
        var next = 1
        let report = try LineEraser(lock, .facts).run(
            prepare: { chosen in
                try standIns.append(for: chosen)
                if next < 4 { try write(next..<next + 1) }
                next += 1
            },
            verdict: { matcher.fact($1) })
        #expect(report.isComplete)
        let lines = try lines()
        let erased = lines.count { $0 == #"{"erased":true}"# }
        let left = lines.count { $0.contains("place") }
        #expect(erased >= 2 && erased + left == min(next, 4))
        #expect(try stops == erased)
    }
}
