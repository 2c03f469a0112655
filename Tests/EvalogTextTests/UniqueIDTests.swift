// Ids: their text, their order, and the three ways to make one.

import EvalogText
import TestSupport
import Testing

@Suite("UniqueID") struct UniqueIDTests {
    private func parse(_ text: String) -> UniqueID? {
        Array(text.utf8).withUnsafeBytes { UniqueID($0) }
    }

    @Test("either case is read and lowercase is written")
    func text() {
        let id = parse("0193ABCD-ef01-7234-8567-89aBcDeF0123")
        #expect(id == UniqueID(high: 0x0193_ABCD_EF01_7234, low: 0x8567_89AB_CDEF_0123))
        #expect(id?.text == "0193abcd-ef01-7234-8567-89abcdef0123")
    }

    @Test(
        "what is no UUID is refused",
        arguments: [
            "", "0193abcd-ef01-7234-8567-89abcdef012", "0193abcd-ef01-7234-8567-89abcdef01234",
            "0193abcdef01-7234-8567-89abcdef0123-", "0193abcd-ef01-7234-8567-89abcdef012g",
            "{0193abcd-ef01-7234-8567-89abcdef012}", "0193abcd_ef01_7234_8567_89abcdef0123",
            "0193abcdef0172348567-89abcdef0123---",
        ])
    func refused(text: String) {
        #expect(parse(text) == nil)
    }

    @Test("32 digits are read in lowercase only")
    func hex() {
        let digits = "0193abcdef017234856789abcdef0123"
        let id = Array(digits.utf8).withUnsafeBytes { UniqueID(hex: $0) }
        var buffer: [UInt8] = []
        id?.appendHex(to: &buffer)
        #expect(String(decoding: buffer, as: UTF8.self) == digits)
        #expect(Array(digits.uppercased().utf8).withUnsafeBytes { UniqueID(hex: $0) } == nil)
        #expect(Array(digits.dropLast().utf8).withUnsafeBytes { UniqueID(hex: $0) } == nil)
    }

    @Test("version and variant are where RFC 9562 puts them", arguments: 0..<50 as Range<UInt64>)
    func versions(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let time = Int64.random(in: 0...Timestamp.range.upperBound, using: &random)
        let digest = SHA256.digest([UInt8(seed)])
        let made: [(UniqueID, UInt64)] = [
            (.random(using: &random), 4), (.timeOrdered(microseconds: time, using: &random), 7),
            (.derived(fromDigest: digest), 8),
        ]
        for (id, version) in made {
            #expect(id.high >> 12 & 15 == version)
            #expect(id.low >> 62 == 0b10)
            #expect(parse(id.text) == id)
        }
        #expect(made[1].0.high >> 16 == UInt64(time / 1_000))
    }

    @Test("ids are ordered as their texts are", arguments: 0..<50 as Range<UInt64>)
    func order(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let first = UniqueID.random(using: &random)
        var second = UniqueID.random(using: &random)
        if seed % 2 == 0 { second.high = first.high }
        #expect(
            (first < second) == (Array(first.text.utf8).lexicographicallyPrecedes(second.text.utf8))
        )
    }

    @Test("a time before 1970 makes an id of 1970")
    func early() {
        var random = SeededGenerator(seed: 1)
        #expect(UniqueID.timeOrdered(microseconds: -5, using: &random).high >> 16 == 0)
    }
}
