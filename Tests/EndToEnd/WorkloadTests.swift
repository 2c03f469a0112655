// The seeded workload: the same everywhere, decodable, and with everything in it that it promises.

import EvalogFacts
import EvalogText
import Testing
import Workload

@Suite("Workload") struct WorkloadTests {
    private func digest(_ workload: Workload) -> String {
        var hash = SHA256()
        workload.forEachLine { line in
            hash.update(line.bytes)
            hash.update([0x0A])
        }
        return String(
            decoding: hash.finish().flatMap { [Hex.digit($0 >> 4), Hex.digit($0)] }, as: UTF8.self)
    }

    @Test("a seed gives the bytes that it gave when this was written")
    func golden() {
        #expect(
            digest(Workload(seed: 1, count: 20_000))
                == "11358f791bfc9eebcddb78f2fd0a98f3646cc948100b93a2c3b255ccff37a272")
        #expect(digest(Workload(seed: 2, count: 2_000)) != digest(Workload(seed: 3, count: 2_000)))
    }

    @Test("the count is exact", arguments: [0, 1, 2, 499, 500, 10_000])
    func count(count: Int) {
        #expect(Workload(seed: 9, count: count).lines.count == count)
    }

    @Test(
        "every line decodes to the fact that it was made from",
        arguments: 1...3 as ClosedRange<UInt64>)
    func decodes(seed: UInt64) throws {
        var decoder = FactDecoder()
        try Workload(seed: seed, count: 20_000).forEachLine { line in
            let fact = try line.bytes.withUnsafeBytes { bytes in
                let view = try decoder.decode(bytes)
                #expect(view.misfitCount == 0)
                return Fact(view)
            }
            #expect(fact == line.fact)
        }
    }

    @Test("every outcome, class, kind and fault occurs")
    func coverage() {
        var seen = Set<String>()
        var texts: [UniqueID: [UInt8]] = [:]
        var latest: Int64 = 0
        var previous: [String: Int64] = [:]
        Workload(seed: 4, count: 60_000).forEachLine { line in
            guard let fact = line.fact else {
                seen.insert("unknown type")
                return
            }
            if let text = texts[fact.id] {
                seen.insert(text == line.bytes ? "duplicate" : "conflict")
            }
            texts[fact.id] = line.bytes
            if fact.time < latest - 86_400_000_000 { seen.insert("days late") }
            latest = max(latest, fact.time)
            switch fact {
            case .evaluation(let fact):
                seen.formUnion([
                    "usage \(fact.usage)", "outcome \(fact.outcome.name)",
                    "session \(fact.session.map { $0.isDigest ? "digest" : "id" } ?? "none")",
                    fact.subject == nil ? "no subject" : "subject",
                ])
                if let reason = fact.reason { seen.insert("reason \(reason.name)") }
                if let detail = fact.detail { seen.insert("detail \(detail.name)") }
                if let error = fact.error { seen.insert("error \(error.name)") }
                if let model = fact.model { seen.insert("model \(model)") }
                if fact.isDurationInvalid { seen.insert("invalid duration") }
                if fact.isTimeAssumed { seen.insert("assumed time") }
                if !fact.isDecoded { seen.insert("not decoded") }
                if let session = fact.session?.text, let subject = fact.subject {
                    let key = "\(fact.usage) \(subject) \(session)"
                    if let before = previous[key] {
                        switch fact.time - before {
                        case 0: seen.insert("tie")
                        case 1_800_000_000: seen.insert("half an hour")
                        case 1_800_000_001: seen.insert("half an hour and a microsecond")
                        default: break
                        }
                    }
                    previous[key] = fact.time
                }
            case .aiSuppressed(let fact):
                seen.insert("miss \(fact.missBehavior.name)")
                seen.insert(texts[fact.evaluation] == nil ? "unknown evaluation" : "suppressed")
            case .formInference(let fact):
                seen.insert("status \(fact.status.name)")
                if fact.report.count > 1 { seen.insert("several fields") }
            case .catalog: seen.insert("catalog")
            case .gate: seen.insert("gate")
            case .logGap(let fact): seen.insert("cause \(fact.cause.name)")
            case .testResult: seen.insert("test result")
            }
        }
        var expected: Set = [
            "unknown type", "duplicate", "conflict", "days late", "session digest", "session id",
            "session none", "no subject", "subject", "invalid duration", "assumed time",
            "not decoded", "tie", "half an hour", "half an hour and a microsecond",
            "unknown evaluation", "suppressed", "status success", "status failure",
            "several fields", "catalog", "gate", "usage support_triage",
        ]
        expected.formUnion(Outcome.allCases.map { "outcome \($0.name)" })
        expected.formUnion(SkipReason.allCases.map { "reason \($0.name)" })
        expected.formUnion(SkipDetail.allCases.map { "detail \($0.name)" })
        expected.formUnion(ErrorClass.allCases.map { "error \($0.name)" })
        expected.formUnion(MissBehavior.allCases.map { "miss \($0.name)" })
        expected.formUnion(GapCause.allCases.map { "cause \($0.name)" })
        #expect(expected.subtracting(seen).isEmpty)
        #expect(seen.count { $0.hasPrefix("model ") } > 10)
    }

    @Test("one key is evaluated again and again for longer than a day")
    func longChain() {
        let times = Workload(seed: 5, count: 20_000).lines.compactMap { line -> Int64? in
            guard case .evaluation(let fact) = line.fact, fact.subject == "long_chain" else {
                return nil
            }
            return fact.time
        }
        let sorted = Set(times).sorted()
        #expect((sorted.last ?? 0) - (sorted.first ?? 0) > 86_400_000_000)
        #expect(zip(sorted, sorted.dropFirst()).allSatisfy { $1 - $0 <= 1_800_000_000 })
    }
}
