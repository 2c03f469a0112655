// What must hold for any fact, and for any line however mangled.

import EvalogFacts
import EvalogText
import TestSupport
import Testing

@Suite("Fact lines") struct FactRoundTripTests {
    private func encoded(_ fact: Fact) -> [UInt8] {
        var buffer: [UInt8] = []
        fact.encode(into: &buffer)
        return buffer
    }

    private func decode(_ line: [UInt8], _ decoder: inout FactDecoder) throws -> Fact? {
        try line.withUnsafeBytes { Fact(try decoder.decode($0)) }
    }

    @Test("any fact comes back equal, with nothing replaced", arguments: 0..<20 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var facts = RandomFacts(random: SeededGenerator(seed: seed))
        var decoder = FactDecoder()
        for _ in 0..<200 {
            let fact = facts.next()
            let line = encoded(fact)
            #expect(line.count <= FactLimits.lineByteCountMax)
            #expect(!line.contains(0x0A))
            try line.withUnsafeBytes { bytes in
                let view = try decoder.decode(bytes)
                #expect(Fact(view) == fact)
                #expect(view.misfitCount == 0)
                #expect(view.unknownKeyCount == 0)
            }
        }
    }

    @Test("keys in any order give the same fact", arguments: 0..<20 as Range<UInt64>)
    func shuffled(seed: UInt64) throws {
        var facts = RandomFacts(random: SeededGenerator(seed: seed))
        var decoder = FactDecoder()
        for _ in 0..<50 {
            let fact = facts.next()
            var members = try members(of: encoded(fact))
            members.append(Array(#""unknown":[{"v":[]}]"#.utf8))
            members.shuffle(using: &facts.random)
            let line =
                Array(" { ".utf8) + members.joined(separator: Array(" ,\t".utf8))
                + Array("}\r".utf8)
            #expect(try decode(line, &decoder) == fact)
        }
    }

    @Test(
        "no mutation of a line traps, and what can still be read is stable",
        arguments: FuzzSeeds.first(10))
    func mutations(seed: UInt64) throws {
        var facts = RandomFacts(random: SeededGenerator(seed: seed))
        var decoder = FactDecoder()
        var readCount = 0
        for _ in 0..<500 {
            let line = encoded(facts.next())
            for _ in 0..<20 {
                let mutated = mutate(line, using: &facts.random)
                guard let fact = try? decode(mutated, &decoder) else { continue }
                readCount += 1
                let canonical = encoded(fact)
                let again = try decode(canonical, &decoder)
                #expect(again == fact)
                #expect(again.map(encoded) == canonical)
            }
        }
        #expect(readCount > 0)
    }

    @Test("no mutation with tokens of JSON traps", arguments: FuzzSeeds.first(5))
    func grammar(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var decoder = FactDecoder()
        let tokens = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "d800", "null", "true", "-", "1e9",
            "\"type\"", "\"gate\"", "\"v\"", "1", " ", "\u{0}", "é",
        ].map { Array($0.utf8) }
        for _ in 0..<5_000 {
            let line = (0..<Int.random(in: 0..<24, using: &random)).flatMap { _ in
                tokens[Int.random(in: 0..<tokens.count, using: &random)]
            }
            _ = try? decode(line, &decoder)
        }
    }

    @Test("a text without its shape is never written")
    func enforced() {
        var fact = EvaluationFact(
            id: UniqueID(high: 1, low: 2), time: 0, usage: "Marker usage", outcome: .failed,
            attempts: -1)
        fact.subject = "marker subject"
        fact.model = "https://marker/model"
        fact.os = "Marker 1"
        fact.device = "Marker's phone"
        fact.app = "marker app"
        fact.duration = Decimal.durationMax + 1
        #expect(
            String(decoding: encoded(.evaluation(fact)), as: UTF8.self)
                == #"{"v":1,"type":"evaluation","id":"00000000-0000-0001-0000-000000000002","time":"1970-01-01T00:00:00.000000Z","usage":"other","model":"other","os":"other","device":"other","app":"other","outcome":"failed","duration_invalid":true,"attempts":0}"#
        )
        var inference = FormInferenceFact(
            id: fact.id, time: 0, evaluation: fact.id, status: .success)
        inference.report = [
            .init(name: "good", value: .flag(true)),
            .init(name: "free", value: .text(String(repeating: "marker ", count: 10))),
        ]
        #expect(
            !String(decoding: encoded(.formInference(inference)), as: UTF8.self).contains("report"))
        inference.report[1] = inference.report[0]
        #expect(
            !String(decoding: encoded(.formInference(inference)), as: UTF8.self).contains("report"))
    }

    @Test("the longest fact that fits its shapes is not too long to read")
    func longest() throws {
        let text = String(repeating: "\"", count: FactLimits.reportValueByteCountMax)
        let report = (0..<FactLimits.reportFieldCountMax).map { index in
            CatalogFact.Member(
                name: "f\(index)" + String(repeating: "x", count: 61),
                values: Array(repeating: .text(text), count: FactLimits.catalogValueCountMax))
        }
        let fact = Fact.catalog(
            CatalogFact(id: UniqueID(high: 0, low: 0), time: 0, subject: nil, report: report))
        var decoder = FactDecoder()
        #expect(try decode(encoded(fact), &decoder) == fact)
    }

    /// The members of an object as they stand.
    private func members(of line: [UInt8]) throws -> [[UInt8]] {
        try line.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes)
            var members: [[UInt8]] = []
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                let value = try scanner.skipValue()
                members.append(Array(bytes[key.range.lowerBound - 1..<value.upperBound]))
            }
            return members
        }
    }
}

/// A line with one or two bytes changed, taken out, put in, or a piece cut out of it.
func mutate(_ line: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
    var line = line
    for _ in 0...Int.random(in: 0..<2, using: &random) where !line.isEmpty {
        let place = Int.random(in: 0..<line.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: line[place] = UInt8.random(in: 0...255, using: &random)
        case 1: line[place] = UInt8.random(in: 0x20...0x7E, using: &random)
        case 2: line.remove(at: place)
        case 3: line.insert(line[Int.random(in: 0..<line.count, using: &random)], at: place)
        default: line.removeSubrange(place..<min(line.count, place + 12))
        }
    }
    return line
}
