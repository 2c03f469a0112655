// SHA-256 (FIPS 180-4) and HMAC (RFC 2104), so that ids and digests need no library.

/// The SHA-256 digest of bytes that come in any pieces.
package struct SHA256: Sendable {
    package static let digestByteCount = 32
    package static let blockByteCount = 64

    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
        0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private var pending: [UInt8] = []
    private var byteCount: UInt64 = 0
    private var schedule = [UInt32](repeating: 0, count: 64)

    package init() {
        pending.reserveCapacity(Self.blockByteCount)
    }

    /// Adds bytes to what is digested.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        byteCount += UInt64(bytes.count)
        var rest = bytes[...]
        if !pending.isEmpty {
            let missing = rest.prefix(Self.blockByteCount - pending.count)
            pending.append(contentsOf: missing)
            rest = rest.dropFirst(missing.count)
            guard pending.count == Self.blockByteCount else { return }
            let block = pending
            block.withUnsafeBytes { compress($0) }
            pending.removeAll(keepingCapacity: true)
        }
        while rest.count >= Self.blockByteCount {
            compress(UnsafeRawBufferPointer(rebasing: rest.prefix(Self.blockByteCount)))
            rest = rest.dropFirst(Self.blockByteCount)
        }
        pending.append(contentsOf: rest)
    }

    /// Adds bytes to what is digested.
    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The 32 bytes of the digest of everything added so far.
    package consuming func finish() -> [UInt8] {
        let bitCount = byteCount * 8
        var padding: [UInt8] = [0x80]
        let used = (pending.count + 1 + 8) % Self.blockByteCount
        padding.append(contentsOf: repeatElement(0, count: (Self.blockByteCount - used) % 64))
        padding.append(
            contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> (56 - $0 * 8)) })
        var copy = self
        copy.update(padding)
        return copy.state.flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - $0 * 8)) }
        }
    }

    /// The digest of `bytes`.
    package static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }

    /// The digest of `bytes` as 64 hexadecimal digits.
    package static func text(of bytes: [UInt8]) -> String {
        digest(bytes).map { byte in
            String(decoding: [Hex.digit(byte >> 4), Hex.digit(byte & 0xF)], as: UTF8.self)
        }.joined()
    }

    private mutating func compress(_ block: UnsafeRawBufferPointer) {
        for index in 0..<16 {
            schedule[index] = UInt32(
                bigEndian: block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
        }
        for index in 16..<64 {
            let early = schedule[index - 15]
            let late = schedule[index - 2]
            let mixedEarly = rotate(early, 7) ^ rotate(early, 18) ^ early >> 3
            let mixedLate = rotate(late, 17) ^ rotate(late, 19) ^ late >> 10
            schedule[index] = schedule[index - 16] &+ mixedEarly &+ schedule[index - 7] &+ mixedLate
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let mixedE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
            let choice = e & f ^ ~e & g
            let first = h &+ mixedE &+ choice &+ Self.constants[index] &+ schedule[index]
            let mixedA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
            let majority = a & b ^ a & c ^ b & c
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ mixedA &+ majority)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    private func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
        0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
        0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
        0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
        0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
        0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
        0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
        0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
        0xc671_78f2,
    ]
}

/// A code over bytes in any pieces that only the holder of the key can make.
package struct HMACSHA256: Sendable {
    private var inner = SHA256()
    private var outer = SHA256()

    /// - Parameter key: Of any length; what is longer than a block is digested first.
    package init(key: [UInt8]) {
        var block = key.count > SHA256.blockByteCount ? SHA256.digest(key) : key
        block.append(contentsOf: repeatElement(0, count: SHA256.blockByteCount - block.count))
        inner.update(block.map { $0 ^ 0x36 })
        outer.update(block.map { $0 ^ 0x5C })
    }

    /// Adds bytes to what the code covers.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        inner.update(bytes)
    }

    /// Adds bytes to what the code covers.
    package mutating func update(_ bytes: [UInt8]) {
        inner.update(bytes)
    }

    /// The 32 bytes of the code.
    package consuming func finish() -> [UInt8] {
        var outer = outer
        outer.update(inner.finish())
        return outer.finish()
    }
}
