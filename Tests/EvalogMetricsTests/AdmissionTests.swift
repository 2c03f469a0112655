// Parts of a log and the tables that hold them: both look at hashes, and must not at the same bits.

import EvalogText
import TestSupport
import Testing

@testable import EvalogMetrics

@Suite("Admission") struct AdmissionTests {
    @Test(
        "the ids of a part spread over all tables of its index",
        arguments: [1, 16, 100, MetricsLimits.partCountMax])
    func shards(partCount: Int) {
        var generator = SeededGenerator(seed: UInt64(partCount))
        var counts: [Int: Int] = [:]
        var total = 0
        while total < 640 {
            let hash = IdentityIndex.hash(.random(using: &generator), kind: 0)
            guard Admission.part(of: hash, partCount) == partCount / 2 else { continue }
            counts[IdentityIndex.shard(hash), default: 0] += 1
            total += 1
        }
        #expect(counts.count == 16 && counts.values.allSatisfy { (10...90).contains($0) })
    }
}
