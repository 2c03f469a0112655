// Facts of every kind with every member, for tests of what must hold for any fact.

import EvalogFacts
import EvalogText
import TestSupport

/// Draws facts whose texts have their shapes.
struct RandomFacts {
    var random: SeededGenerator

    mutating func next() -> Fact {
        switch Int.random(in: 0..<9, using: &random) {
        case 0..<3: .evaluation(evaluation())
        case 3: .aiSuppressed(suppression())
        case 4: .formInference(inference())
        case 5: .catalog(catalog())
        case 6: .gate(gate())
        case 7: .testResult(testResult())
        default:
            .logGap(
                LogGapFact(
                    id: id(), time: time(), stream: pick(GapStream.allCases), since: time(),
                    refused: .random(in: 0 ... .max, using: &random),
                    cause: pick(GapCause.allCases)))
        }
    }

    private mutating func gate() -> GateFact {
        var fact = GateFact(id: id(), time: time(), isOnDeviceAIEnabled: flip())
        fact.session = maybe { $0.session() }
        return fact
    }

    private mutating func evaluation() -> EvaluationFact {
        var fact = EvaluationFact(
            id: id(), time: time(), usage: usage(), outcome: pick(Outcome.allCases),
            attempts: .random(in: 0...1_000_000, using: &random))
        fact.isTimeAssumed = flip()
        fact.subject = maybe { $0.subject() }
        fact.session = maybe { $0.session() }
        fact.model = maybe { $0.text("abzABZ019._:/@-", 1...64, .model) }
        fact.os = maybe { $0.system() }
        fact.device = maybe { $0.text("abzABZ019,._-", 1...32, .device) }
        fact.app = maybe { $0.text("abzABZ019.-", 1...32, .app) }
        fact.reason = maybe { $0.pick(SkipReason.allCases) }
        fact.detail = maybe { $0.pick(SkipDetail.allCases) }
        fact.error = maybe { $0.pick(ErrorClass.allCases) }
        fact.isDurationInvalid = flip()
        if !fact.isDurationInvalid {
            fact.duration = maybe { .random(in: 0...Decimal.durationMax, using: &$0.random) }
        }
        fact.isDecoded = flip()
        return fact
    }

    private mutating func suppression() -> SuppressionFact {
        var fact = SuppressionFact(
            id: id(), time: time(), evaluation: id(), missBehavior: pick(MissBehavior.allCases))
        fact.subject = maybe { $0.subject() }
        fact.session = maybe { $0.session() }
        return fact
    }

    private mutating func inference() -> FormInferenceFact {
        var fact = FormInferenceFact(
            id: id(), time: time(), evaluation: id(), status: pick(InferenceStatus.allCases))
        fact.subject = maybe { $0.subject() }
        fact.session = maybe { $0.session() }
        fact.report = names().map { .init(name: $0, value: value()) }
        return fact
    }

    private mutating func catalog() -> CatalogFact {
        let report = names().map { name in
            CatalogFact.Member(
                name: name,
                values: (0..<Int.random(in: 0...pick([2, 4, 64]), using: &random)).map { _ in
                    value()
                })
        }
        return CatalogFact(id: id(), time: time(), subject: maybe { $0.subject() }, report: report)
    }

    private mutating func testResult() -> TestResultFact {
        var fact = TestResultFact(
            id: id(), time: time(), evaluation: id(), suite: testName(), testCase: testName(),
            task: usage(), repetition: .random(in: 1...1_000, using: &random),
            verdict: pick(Verdict.allCases))
        fact.session = maybe { $0.session() }
        fact.suiteDigest = maybe { $0.text("0123456789abcdef", 16...16, .suiteDigest) }
        fact.failure = maybe { $0.pick(TestFailure.allCases) }
        return fact
    }

    // MARK: Values

    private mutating func id() -> UniqueID { .random(using: &random) }
    private mutating func flip() -> Bool { .random(using: &random) }

    private mutating func time() -> Int64 { .random(in: Timestamp.range, using: &random) }

    private mutating func session() -> SessionID {
        SessionID(bits: UniqueID(high: random.next(), low: random.next()), isDigest: flip())
    }

    private mutating func system() -> String {
        let version = (0...Int.random(in: 0..<4, using: &random)).map { _ in
            String(Int.random(in: 0..<100, using: &random))
        }
        return pick(["iOS", "visionOS", "Linux"]) + " " + version.joined(separator: ".")
    }

    private mutating func testName() -> String { text("abzABZ019._-", 1...63, .testName) }

    private mutating func usage() -> String { text("abz019_", 1...64, .usage) }

    private mutating func subject() -> String {
        text("abz019-/,=+'\"\\é\u{2028}\u{301}\u{1F600}", 1...32, .subject)
    }

    private mutating func names() -> [String] {
        let names = (0..<Int.random(in: 0...pick([2, 4, 32]), using: &random)).map { _ in usage() }
        return Set(names).sorted()
    }

    private mutating func value() -> ReportValue {
        flip()
            ? .flag(flip())
            : .text(text("ab \n\t\"\\é\u{0}\u{2029}\u{1F600}", 0...16, .reportValue))
    }

    private mutating func text(
        _ alphabet: String, _ length: ClosedRange<Int>, _ shape: Shape
    ) -> String {
        let scalars = Array(alphabet.unicodeScalars)
        while true {
            let drawn = (0..<Int.random(in: length, using: &random)).map { _ in pick(scalars) }
            let text = String(String.UnicodeScalarView(drawn))
            if shape.fits(text) { return text }
        }
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    private mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? {
        flip() ? make(&self) : nil
    }
}
