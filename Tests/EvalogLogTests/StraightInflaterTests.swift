import CZlib
import TestSupport
import Testing

@testable import EvalogLog

/// The straight way against zlib, which decides what is right.
@Suite struct StraightInflaterTests {
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8])
    func whatZlibDeflatesComesBack(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for round in 0..<60 {
            let text = Self.text(round, &generator)
            for level in [1, 6, 9] {
                let stream = Self.deflate(text, level)
                let (straight, zlib) = Self.inflate(stream, textByteCount: text.count)
                #expect(zlib == text)
                // Text that does not compress lies in stored blocks, which are left to zlib.
                if Self.hasStoredBlock(stream) { continue }
                #expect(straight == text, "round \(round), level \(level)")
            }
        }
    }

    @Test(arguments: [Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE, Z_FILTERED])
    func codesOfAllKindsAreRead(strategy: Int32) {
        var generator = SeededGenerator(seed: 5)
        for round in 0..<40 {
            let text = Self.text(round, &generator)
            let stream = Self.deflate(text, 6, strategy)
            if Self.hasStoredBlock(stream) { continue }
            #expect(Self.inflate(stream, textByteCount: text.count).straight == text)
        }
    }

    @Test(arguments: [1, 2, 3, 4])
    func whatItTakesFromDamagedStreamsZlibTakesToo(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var taken = 0
        for round in 0..<400 {
            let text = Self.text(round % 24, &generator)
            var stream = Self.deflate(text, 6)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: stream.indices, using: &generator)
                stream[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            }
            let (straight, zlib) = Self.inflate(stream, textByteCount: text.count)
            if let straight {
                taken += 1
                #expect(straight == zlib, "round \(round)")
            }
        }
        #expect(taken > 0, "a flipped literal still makes a stream")
    }

    @Test func aStreamThatIsCutOffIsRefusedWhereverItIsCut() {
        var generator = SeededGenerator(seed: 9)
        let text = Self.text(19, &generator)
        let stream = Self.deflate(text, 6)
        for count in 0..<stream.count {
            let cut = Array(stream[..<count])
            #expect(Self.inflate(cut, textByteCount: text.count).straight == nil)
        }
        #expect(Self.inflate(stream + [0], textByteCount: text.count).straight == nil)
    }

    @Test func aTextOfAnotherLengthIsRefused() {
        var generator = SeededGenerator(seed: 9)
        let text = Self.text(19, &generator)
        let stream = Self.deflate(text, 6)
        for count in [0, 1, text.count - 1, text.count + 1, text.count + 300] {
            #expect(Self.inflate(stream, textByteCount: count).straight == nil)
        }
    }

    /// Bytes at random, which are mostly no stream at all.
    @Test(arguments: [1, 2, 3, 4])
    func noBytesLeadItBeyondItsBuffers(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...200, using: &generator)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // Codes of the block's own, so that more than its first bits are looked at.
            if count > 0 { bytes[0] = bytes[0] & ~7 | 5 }
            let (straight, zlib) = Self.inflate(
                bytes, textByteCount: Int.random(in: 0...400, using: &generator))
            if straight != nil { #expect(straight == zlib) }
        }
    }

    // MARK: Help

    /// Texts like ours, like nothing, of one byte, of few and of many symbols, long and short.
    private static func text(_ kind: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        let count = [1, 40, 3_000, 20_000, 70_000][kind / 8 % 5]
        switch kind % 8 {
        case 0: return Array(repeating: UInt8(ascii: "a"), count: count)
        case 1: return (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        case 2: return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        case 3: return (0..<count).map { _ in UInt8.random(in: 97...104, using: &generator) }
        case 4:
            // Symbols of very different frequency have long codes.
            return (0..<count).map { _ in
                UInt8(truncatingIfNeeded: generator.next().leadingZeroBitCount * 7)
            }
        case 5:
            // Periods of all lengths up to 40 overlap with what they repeat.
            return (0..<count).map { UInt8(truncatingIfNeeded: $0 % ($0 / 300 % 40 + 1)) }
        default:
            var lines: [UInt8] = []
            while lines.count < count {
                let (id, time) = (generator.next(), generator.next() % 1_000_000)
                lines += Array(
                    #"{"id":"\#(id)","time":\#(time),"outcome":"completed"}"#.utf8)
            }
            return Array(lines[..<count])
        }
    }

    private static func deflate(
        _ text: [UInt8], _ level: Int, _ strategy: Int32 = Z_DEFAULT_STRATEGY
    ) -> [UInt8] {
        var stream = z_stream()
        czlib_deflate_init_raw(&stream, Int32(level))
        defer { deflateEnd(&stream) }
        deflateParams(&stream, Int32(level), strategy)
        var text = text
        return [UInt8](unsafeUninitializedCapacity: text.count * 2 + 200) { target, count in
            text.withUnsafeMutableBufferPointer { text in
                stream.next_in = text.baseAddress
                stream.avail_in = uInt(text.count)
                stream.next_out = target.baseAddress
                stream.avail_out = uInt(target.count)
                let status = CZlib.deflate(&stream, Z_FINISH)
                precondition(status == Z_STREAM_END)
                count = target.count - Int(stream.avail_out)
            }
        }
    }

    /// What both make of a stream; nil where they refuse it. The bytes around the buffers stay.
    private static func inflate(
        _ stream: [UInt8], textByteCount: Int
    ) -> (straight: [UInt8]?, zlib: [UInt8]?) {
        let slack = LogLimits.slackByteCount
        let source = UnsafeMutableRawBufferPointer.allocate(
            byteCount: stream.count + slack, alignment: 1)
        let guarded = 32
        let target = UnsafeMutableRawBufferPointer.allocate(
            byteCount: textByteCount + slack + guarded * 2, alignment: 1)
        defer {
            source.deallocate()
            target.deallocate()
        }
        source.copyBytes(from: stream)
        for place in target.indices { target[place] = 0xA5 }
        let bytes = UnsafeRawBufferPointer(rebasing: source[..<stream.count])
        let text = UnsafeMutableRawBufferPointer(
            rebasing: target[guarded..<(guarded + textByteCount)])
        let straight = StraightInflater().inflate(bytes, into: text) ? Array(text) : nil
        #expect(target[..<guarded].allSatisfy { $0 == 0xA5 })
        #expect(target[(guarded + textByteCount + slack)...].allSatisfy { $0 == 0xA5 })
        let zlib = Inflater().inflate(bytes, into: text) ? Array(text) : nil
        return (straight, zlib)
    }

    /// Whether a stream begins with a stored block, as those of incompressible text do.
    private static func hasStoredBlock(_ stream: [UInt8]) -> Bool { stream[0] >> 1 & 3 == 0 }
}
