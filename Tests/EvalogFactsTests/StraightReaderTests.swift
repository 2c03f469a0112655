// The reader of lines in our own key order, against the decoder that knows every form.

import EvalogText
import TestSupport
import Testing

@testable import EvalogFacts

@Suite("Lines in our own key order") struct StraightReaderTests {
    /// What a decoder says of a line, without where in memory it says so.
    private struct Reading: Equatable {
        var fact: Fact?
        var error: FactError?
        var misfitCount = 0
        var unknownKeyCount = 0
        var timeRange = 0..<0
    }

    private func reading(_ decode: () throws(FactError) -> FactView) -> Reading {
        do {
            let view = try decode()
            return Reading(
                fact: Fact(view), misfitCount: view.misfitCount,
                unknownKeyCount: view.unknownKeyCount, timeRange: view.timeRange)
        } catch {
            return Reading(error: error)
        }
    }

    /// An evaluation without what is rare in a log.
    private func plainEvaluation(_ facts: inout RandomFacts) -> EvaluationFact {
        while true {
            guard case .evaluation(var fact) = facts.next() else { continue }
            fact.isTimeAssumed = false
            fact.isDecoded = true
            fact.isDurationInvalid = false
            fact.session = SessionID(
                bits: UniqueID(high: .random(in: 0 ... .max, using: &facts.random), low: 1),
                isDigest: false)
            fact.subject = "banner_\(Int.random(in: 0..<100, using: &facts.random))"
            return fact
        }
    }

    @Test(
        "whatever is done to a line, both decoders read the same of it",
        arguments: FuzzSeeds.first(10))
    func agree(seed: UInt64) {
        var facts = RandomFacts(random: SeededGenerator(seed: seed))
        var straight = FactDecoder()
        var general = FactDecoder()
        var straightCount = 0
        for number in 0..<150 {
            var line: [UInt8] = []
            let fact = number % 3 == 0 ? facts.next() : .evaluation(plainEvaluation(&facts))
            fact.encode(into: &line)
            for change in 0..<20 {
                let mutated = change == 0 ? line : mutate(line, using: &facts.random)
                mutated.withUnsafeBytes { bytes in
                    let first = reading { () throws(FactError) in
                        let view = try straight.decode(bytes)
                        if view.combination != nil { straightCount += 1 }
                        return view
                    }
                    let second = reading { () throws(FactError) in try general.decodeAny(bytes) }
                    #expect(first == second, "\(String(decoding: mutated, as: UTF8.self))")
                }
            }
        }
        #expect(straightCount > 100)
    }

    @Test("every evaluation whose time was not assumed is read straight")
    func accepted() throws {
        var facts = RandomFacts(random: SeededGenerator(seed: 1))
        var decoder = FactDecoder()
        for _ in 0..<200 {
            var line: [UInt8] = []
            Fact.evaluation(plainEvaluation(&facts)).encode(into: &line)
            let combination = try line.withUnsafeBytes { try decoder.decode($0).combination }
            #expect(combination != nil, "\(String(decoding: line, as: UTF8.self))")
        }
    }

    @Test("lines have one combination if, and only if, their five names are equal")
    func combinations() throws {
        func line(_ usage: String, _ members: String, _ id: Int) -> [UInt8] {
            Array(
                #"{"v":1,"type":"evaluation","id":"00000000-0000-0000-0000-00000000000\#(id)","time":"2026-11-29T10:15:30.123456Z","usage":"\#(usage)"\#(members),"outcome":"completed","attempts":1}"#
                    .utf8)
        }
        let lines = [
            line("ask", #","model":"m""#, 1), line("ask", #","model":"m""#, 2),
            line("ask", "", 3), line("ask", #","os":"iOS""#, 4), line("asks", #","model":"m""#, 5),
            line("ask", #","app":"m""#, 6),
        ]
        var decoder = FactDecoder()
        var found: [UInt32?] = []
        for line in lines {
            found.append(
                try line.withUnsafeBytes { try decoder.decode($0).combination?.number })
        }
        #expect(found == [0, 0, 1, 2, 3, 4])
    }

    @Test(
        "a time is read by position only where the general reader reads the same",
        arguments: [
            "2026-11-29T10:15:30.123456Z", "2024-02-29T23:59:59.999999Z",
            "1969-12-31T23:59:59.000001Z", "0000-01-01T00:00:00.000000Z",
            "9999-12-31T23:59:59.999999Z", "2026-02-29T10:15:30.123456Z",
            "2026-11-29T24:00:00.000000Z", "2026-11-29T23:60:00.000000Z",
            "2026-11-29T23:59:60.000000Z", "2026-11-29t10:15:30.123456Z",
            "2026-11-29T10:15:30.123456z", "2026-11-29T10:15:30.1+01:00",
            "2026-11-29T10:15:3:.123456Z", "2026-11-29T10:15:30.12345/Z",
            "2026-11-29T10-15:30.123456Z", "2026-13-29T10:15:30.123456Z",
        ])
    func times(text: String) {
        var reader = TimeReader()
        Array(text.utf8).withUnsafeBytes { bytes in
            #expect(bytes.count == TimeReader.byteCount)
            guard let base = bytes.baseAddress else { return }
            let positional = reader.microseconds(base)
            #expect(positional == nil || positional == Timestamp.microseconds(bytes))
            // Once more, with the date known if it is one.
            #expect(reader.microseconds(base) == positional)
        }
    }
}
