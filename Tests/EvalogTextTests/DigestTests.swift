// SHA-256 and HMAC against the published vectors (FIPS 180-4, RFC 4231).

import EvalogText
import TestSupport
import Testing

@Suite("SHA256 and HMACSHA256") struct DigestTests {
    private func hex(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.flatMap { [Hex.digit($0 >> 4), Hex.digit($0)] }, as: UTF8.self)
    }

    @Test(
        "digests equal the published ones",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func digests(text: String, expected: String) {
        #expect(hex(SHA256.digest(Array(text.utf8))) == expected)
    }

    @Test("a million times the letter a has its published digest")
    func million() {
        #expect(
            hex(SHA256.digest([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)))
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("the digest does not depend on the pieces", arguments: 0..<20 as Range<UInt64>)
    func pieces(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = (0..<Int.random(in: 0..<400, using: &random)).map {
            UInt8(truncatingIfNeeded: $0)
        }
        var hash = SHA256()
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1..<150, using: &random))
            hash.update(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        #expect(hash.finish() == SHA256.digest(bytes))
    }

    struct Vector: Sendable {
        var key: [UInt8]
        var data: [UInt8]
        var code: String
    }

    static let vectors = [
        Vector(
            key: .init(repeating: 0x0B, count: 20), data: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Vector(
            key: Array("Jefe".utf8), data: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Vector(
            key: .init(repeating: 0xAA, count: 20), data: .init(repeating: 0xDD, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Vector(
            key: (1...25).map { UInt8($0) }, data: .init(repeating: 0xCD, count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        Vector(
            key: .init(repeating: 0xAA, count: 131),
            data: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        Vector(
            key: .init(repeating: 0xAA, count: 131),
            data: Array(
                ("This is a test using a larger than block-size key and a larger than "
                    + "block-size data. The key needs to be hashed before being used by the "
                    + "HMAC algorithm.").utf8),
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
    ]

    @Test("codes equal those of RFC 4231", arguments: vectors)
    func codes(vector: Vector) {
        var code = HMACSHA256(key: vector.key)
        code.update(vector.data)
        #expect(hex(code.finish()) == vector.code)
    }
}
