// The small values everything rests on: sets, names, positions, policies, headers.

import TestSupport
import Testing

@testable import EvalogLog

@Suite("A sequence set")
struct SequenceSetTests {
    @Test("agrees with a plain set, whatever is inserted", arguments: 0..<60 as Range<UInt64>)
    func agrees(seed: UInt64) {
        var random = SplitMix(seed)
        var set = SequenceSet()
        var plain: Set<UInt64> = []
        func range() -> Range<UInt64> {
            let start = random.next() % 60
            return start..<(start + random.next() % 12)
        }
        for _ in 0..<40 {
            let added = range()
            set.insert(added)
            plain.formUnion(added)
            #expect(
                zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }
            )
            #expect(set.ranges.allSatisfy { !$0.isEmpty })
            #expect(set.count == UInt64(plain.count))
            let asked = range()
            #expect(Set(set.missing(in: asked).ranges.joined()) == Set(asked).subtracting(plain))
            #expect(set.contains(asked) == plain.isSuperset(of: asked))
            #expect(set.contains(asked.lowerBound) == plain.contains(asked.lowerBound))
            let count = random.next() % 20
            #expect(Array(set.suffix(count).ranges.joined()) == plain.sorted().suffix(Int(count)))
            var other = SequenceSet(range())
            other.insert(range())
            #expect(
                Set(set.subtracting(other).ranges.joined())
                    == plain.subtracting(other.ranges.joined()))
            #expect(
                Set(set.intersection(other).ranges.joined())
                    == plain.intersection(other.ranges.joined()))
            var union = set
            union.formUnion(other)
            #expect(Set(union.ranges.joined()) == plain.union(other.ranges.joined()))
        }
        let shuffled = plain.shuffled(using: &random).map { $0..<($0 + 1) }
        #expect(SequenceSet(uniting: shuffled) == set)
        #expect(set.first == plain.min() && set.last == plain.max())
    }

    @Test("is described by its ranges, the first twenty of them")
    func description() {
        var set = SequenceSet(1..<39)
        #expect(SequenceSet().description == "")
        set.insert(40..<42)
        #expect("\(set)" == "1-38,40-41")
        for place in 0..<18 as Range<UInt64> { set.insert(50 + 2 * place..<51 + 2 * place) }
        #expect(set.ranges.count == 20 && set.description.hasSuffix(",84-84"))
        set.insert(100..<200)
        #expect(set.description.hasSuffix(",84-84,…"))
    }

    @Test("goes to the end of the numbers")
    func limits() {
        var set = SequenceSet(0..<1)
        set.insert((.max - 1)..<(.max))
        #expect(set.count == 2)
        #expect(set.missing(in: 0..<(.max)).ranges == [1..<(.max - 1)])
        #expect(set.last == UInt64.max - 1)
    }
}

@Suite("A position")
struct PositionTests {
    @Test("comes back from its text as it was", arguments: 0..<40 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SplitMix(seed)
        var position = Position()
        for _ in 0..<(random.next() % 8) {
            let writer = WriterID(high: random.next(), low: random.next())
            for _ in 0..<4 {
                let start = 1 + random.next() % 1_000
                position.insert(
                    SequenceSet(start..<(start + 1 + random.next() % 50)), of: writer,
                    in: random.next() % 2 == 0 ? .facts : .content)
            }
        }
        let text = position.text
        #expect(try Position(text: text) == position)
        #expect(try Position(text: text).text == text)
    }

    @Test("is refused where its text was cut, changed or comes from another version")
    func damaged() throws {
        var position = Position()
        position.insert(SequenceSet(1..<251), of: WriterID(high: 1, low: 2), in: .facts)
        let text = position.text
        let bytes = Array(text.utf8)
        for length in 0..<bytes.count {
            let cut = String(decoding: bytes.prefix(length), as: UTF8.self)
            #expect(throws: LogError.self) { try Position(text: cut) }
        }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            let other = String(decoding: changed, as: UTF8.self)
            #expect(throws: LogError.self) { try Position(text: other) }
        }
        #expect(throws: LogError.self) { try Position(text: text + "x") }
    }

    @Test(
        "is refused where a right checksum covers wrong lines",
        arguments: [
            "facts 00 1-2", "facts \(WriterID(high: 0, low: 1)) 0-2",
            "facts \(WriterID(high: 0, low: 1)) 5-2", "facts \(WriterID(high: 0, low: 1)) 1-5,6-7",
            "facts \(WriterID(high: 0, low: 1)) 1-18446744073709551615",
            "facts \(WriterID(high: 0, low: 1)) 1-99999999999999999999",
            "facts \(WriterID(high: 0, low: 1)) +1-2", "facts \(WriterID(high: 0, low: 1)) ",
            "other \(WriterID(high: 0, low: 1)) 1-2", "",
        ])
    func wrong(line: String) {
        let body = "evalog-position 1\n\(line)\n"
        let sum = Array(body.utf8).withUnsafeBytes { checksum($0) }
        let digits = String(sum, radix: 16)
        let text =
            body + "end " + String(repeating: "0", count: 8 - digits.utf8.count) + digits + "\n"
        #expect(throws: LogError.position(line: 2)) { try Position(text: text) }
    }
}

@Suite("A segment's name")
struct SegmentNameTests {
    @Test(
        "holds the time in UTC",
        arguments: [
            (1_795_947_330_123_456, "20261129T101530Z"), (0, "19700101T000000Z"),
            (-1, "19691231T235959Z"), (951_782_399_000_000, "20000228T235959Z"),
            (951_868_799_999_999, "20000229T235959Z"), (.min, "00000101T000000Z"),
            (.max, "99991231T235959Z"), (-62_135_596_800_000_000, "00010101T000000Z"),
            (4_107_542_400_000_000, "21000301T000000Z"),
        ] as [(Int64, String)])
    func time(wallTime: Int64, text: String) {
        let name = SegmentName(
            wallTime: wallTime, writer: WriterID(high: 0, low: 1), number: 1, kind: .facts)
        #expect(name.time == text)
    }

    @Test("is read back as it was written", arguments: [0, 1, 42, 9_999, 10_000, 1_234_567_890])
    func roundTrip(number: Int) {
        for kind in StreamKind.allCases {
            let name = SegmentName(
                wallTime: 0, writer: WriterID(high: .max, low: 7), number: number, kind: kind)
            #expect(SegmentName(name.description) == name)
        }
    }

    @Test(
        "is no other name",
        arguments: [
            "", "x", "20261129T101530Z-6f1c2a7e9b3d4c550a1b2c3d4e5f6071-0001.facts.ndjson",
            "20261129T101530Z-6f1c2a7e9b3d4c550a1b2c3d4e5f6071-0001.facts.ndjson.gz~",
            "20261129T101530Z-6f1c2a7e9b3d4c550a1b2c3d4e5f6071-001.facts.ndjson.gz",
            "20261129T101530Z-6f1c2a7e9b3d4c550a1b2c3d4e5f6071-00001.facts.ndjson.gz",
            "20261129T101530Z-6f1c2a7e9b3d4c550a1b2c3d4e5f6071-99999999999.facts.ndjson.gz",
            "20261129T101530Z-6F1c2a7e9b3d4c550a1b2c3d4e5f6071-0001.facts.ndjson.gz",
            "20261129T101530Z-6f1c2a7e9b3d4c550a1b2c3d4e5f6071-0001.other.ndjson.gz",
            "20261129T101530Z-6f1c2a7e9b3d4c550a1b2c3d4e5f607é-0001.facts.ndjson.gz",
            "2026112xT101530Z-6f1c2a7e9b3d4c550a1b2c3d4e5f6071-0001.facts.ndjson.gz",
            "copy-of-20261129T101530Z-6f1c2a7e9b3d4c550a1b2c3d4e5f6071-0001.facts.ndjson.gz",
        ])
    func refused(name: String) {
        #expect(SegmentName(name) == nil)
    }
}

@Suite("When lines become blocks and blocks segments")
struct BlockPolicyTests {
    @Test("a block is closed at its size, by its oldest line's age, and before a line too many")
    func policy() {
        var policy = BlockPolicy(byteCountMax: 100, age: 1_000)
        #expect(policy.deadline == nil)
        let isFirstFull = policy.add(lineByteCount: 49, at: 10)
        #expect(!isFirstFull && policy.deadline == 1_010)
        let isSecondFull = policy.add(lineByteCount: 39, at: 500)
        #expect(!isSecondFull)
        #expect(policy.deadline == 1_010)
        #expect(policy.admission(of: 9) == .joins)
        #expect(policy.admission(of: 10) == .closesFirst)
        let isThirdFull = policy.add(lineByteCount: 9, at: 600)
        #expect(isThirdFull)
        policy.close()
        #expect(policy.deadline == nil && policy.byteCount == 0)
        #expect(policy.admission(of: 5_000) == .joins)
        let isLongFull = policy.add(lineByteCount: 5_000, at: 0)
        #expect(isLongFull)
        #expect(policy.admission(of: LogLimits.lineByteCountMax) == .closesFirst)
        #expect(policy.admission(of: LogLimits.lineByteCountMax + 1) == .tooLong)
    }

    @Test(
        "a segment is smaller under a small cap, within bounds",
        arguments: [(nil, 64 << 20), (0, 256 << 10), (16 << 20, 1 << 20), (.max, 64 << 20)]
            as [(Int?, Int)])
    func cap(cap: Int?, byteCount: Int) {
        #expect(SegmentPolicy(cap: cap).byteCountMax == byteCount)
    }

    @Test("a segment rolls by size, lines or age")
    func segment() {
        let policy = SegmentPolicy()
        #expect(!policy.rolls(byteCount: 64 << 20 - 1, lineCount: 1, age: 0))
        #expect(policy.rolls(byteCount: 64 << 20, lineCount: 1, age: 0))
        #expect(policy.rolls(byteCount: 1, lineCount: 1 << 31, age: 0))
        #expect(policy.rolls(byteCount: 1, lineCount: 1, age: 86_400_000_000))
    }
}

@Suite("A block header")
struct BlockHeaderTests {
    @Test(
        "comes back from its bytes, and not from any changed ones",
        arguments: 0..<20 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SplitMix(seed)
        var header = BlockHeader(
            flags: .init(rawValue: UInt8(random.next() % 16)), stream: UInt8(random.next() % 2),
            generation: UInt8(truncatingIfNeeded: random.next()),
            writer: WriterID(high: random.next(), low: random.next()),
            first: 1 + random.next() % (.max / 2), count: UInt32(truncatingIfNeeded: random.next()),
            leastEventTime: Int64(bitPattern: random.next()),
            greatestEventTime: Int64(bitPattern: random.next()),
            appendTime: Int64(bitPattern: random.next()))
        header.chain = UInt32(truncatingIfNeeded: random.next())
        header.memberByteCount = UInt32(truncatingIfNeeded: random.next())
        var bytes = [UInt8](repeating: 0, count: 72)
        bytes.withUnsafeMutableBytes { header.encode(into: $0) }
        #expect(bytes.withUnsafeBytes { BlockHeader(decoding: $0) } == header)
        for bit in 0..<(72 * 8) {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(changed.withUnsafeBytes { BlockHeader(decoding: $0) } == nil)
        }
        #expect(bytes.dropLast().withUnsafeBytes { BlockHeader(decoding: $0) } == nil)
    }

    @Test(
        "a range that overflows, or begins at 0, is not a header",
        arguments: [0, .max - 1, .max] as [UInt64])
    func overflow(first: UInt64) {
        let header = BlockHeader(
            stream: 0, writer: WriterID(high: 0, low: 0), first: first, count: 5, leastEventTime: 0,
            greatestEventTime: 0, appendTime: 0)
        var bytes = [UInt8](repeating: 0, count: 72)
        bytes.withUnsafeMutableBytes { header.encode(into: $0) }
        #expect(bytes.withUnsafeBytes { BlockHeader(decoding: $0) } == nil)
    }
}
