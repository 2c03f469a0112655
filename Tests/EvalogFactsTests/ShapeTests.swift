// The closed shapes, at their edges.

import EvalogFacts
import EvalogText
import Testing

@Suite("Shape") struct ShapeTests {
    struct Case: Sendable {
        var shape: Shape
        var fitting: [String]
        var misfitting: [String]
    }

    private static func repeated(_ text: String, _ count: Int) -> String {
        String(repeating: text, count: count)
    }

    static let cases = [
        Case(
            shape: .usage, fitting: ["a", "embedded_selection", "a1_", repeated("a", 64)],
            misfitting: [
                "", "A", "1a", "_a", "a-b", "a b", "aé", "a\n", "a\u{0}", repeated("a", 65),
            ]),
        Case(
            shape: .model,
            fitting: [
                "smollm2-135m", "qwen2.5:0.5b", "org/name@v1", "A", "a:/b", "a//b", "::/",
                repeated("9", 64),
            ],
            misfitting: [
                "", "http://h", "x://", "a b", "a?b", "a=b", "é", "a%20", repeated("a", 65),
            ]),
        Case(
            shape: .subject,
            fitting: [
                "home_banner", "form/field", "é", "\u{1F600}", "=1+1", "a,b\"c", "~0", "\u{2028}",
                "\u{A0}", repeated("é", 64),
            ],
            misfitting: [
                "", "a b", "a@b", "a\tb", "a\u{0}", "a\u{7F}", "a\u{80}", "\u{9F}",
                repeated("é", 64) + "a", repeated("a", 129),
            ]),
        Case(
            shape: .os,
            fitting: [
                "iOS 26.1", "iOS", "iPadOS 26", "macOS 15.1.2.3", "Windows 10.0.22631.4460",
                "Linux 6.12", "Android 16", "tvOS 1", "watchOS 11.0", "visionOS 2.0",
            ],
            misfitting: [
                "", "ios 26", "iOS ", "iOS 26.", "iOS .1", "iOS 1.2.3.4.5", "iOS  26", "iOS 26b",
                "iOS26", "TempleOS 5", "Linux 6.12-generic", " iOS 26", "iOS 26 ", "iOS 26..1",
                "iOS " + repeated("1", 29),
            ]),
        Case(
            shape: .device,
            fitting: ["iPhone17,1", "Mac16,10", "SM-S931B", "a1", "x" + repeated("1", 31)],
            misfitting: [
                "", "iPhone", "1", "Anna's iPhone 17", "iPhone 17", "é1", "x" + repeated("1", 32),
            ]),
        Case(
            shape: .app, fitting: ["4.2.0", "1", "4.2.1-beta.3", repeated("1", 32)],
            misfitting: ["", "4.2 (7)", "4_2", "é", "4.2+1", repeated("1", 33)]),
        Case(
            shape: .testName, fitting: ["a", "Mail.v2_x-1", "0007", repeated("1", 63)],
            misfitting: ["", "a b", "a/b", "é", "a\n", repeated("1", 64)]),
        Case(
            shape: .suiteDigest, fitting: ["0123456789abcdef"],
            misfitting: [
                "", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF",
                "0123456789abcdeg", "secret parcel 17", "01234567-9abcdef",
            ]),
        Case(
            shape: .reportValue,
            fitting: [
                "", "billing", "two words", repeated("é", 32), "می\u{200C}خواهم",
                "\u{1F469}\u{200D}\u{1F4BB}",
            ],
            misfitting: [
                "two\nlines", "\u{7F}", "\u{80}", "a\u{9F}", "\u{AD}", "\u{61C}", "\u{200B}",
                "\u{200E}", "\u{200F}", "\u{2028}", "\u{2029}", "\u{202A}", "\u{202E}", "\u{2060}",
                "\u{2066}", "\u{2069}", "\u{FEFF}", "\u{FFF9}", "\u{E0020}", repeated("a", 65),
                repeated("é", 33),
            ]),
    ]

    @Test("what fits is told from what does not", arguments: cases)
    func fits(shapeCase: Case) {
        for text in shapeCase.fitting {
            #expect(shapeCase.shape.fits(text), "\(shapeCase.shape) \(text)")
        }
        for text in shapeCase.misfitting {
            #expect(!shapeCase.shape.fits(text), "\(shapeCase.shape) \(text)")
        }
    }

    @Test("other fits every shape that it stands in for, and bytes that are no UTF-8 fit none")
    func other() {
        for shape in [Shape.usage, .model, .app] { #expect(shape.fits("other")) }
        let bytes: [UInt8] = [0x61, 0xFF]
        for shape in [Shape.usage, .model, .subject, .os, .device, .app] {
            #expect(!bytes.withUnsafeBytes { shape.fits($0) })
        }
    }

    @Test("a session is a UUID or a digest, and is written in lowercase")
    func sessions() {
        func read(_ text: String) -> String? {
            Array(text.utf8).withUnsafeBytes { SessionID($0)?.text }
        }
        let id = "6f1c2a7e-9b3d-4c55-8a1b-2c3d4e5f6071"
        let digest = "~0123456789abcdef0123456789abcdef"
        #expect(read(id) == id)
        #expect(read(id.uppercased()) == id)
        #expect(read(digest) == digest)
        for misfit in [
            "", "~", "anna", digest.uppercased(), String(digest.dropLast()), digest + "0",
        ] {
            #expect(read(misfit) == nil)
        }
    }
}

@Suite("Shaper") struct ShaperTests {
    private let key = [UInt8](repeating: 7, count: 32)

    @Test("what fits stays and is not counted")
    func fitting() {
        var shaper = Shaper(key: key)
        #expect(shaper.usage("embedded_selection") == "embedded_selection")
        #expect(shaper.model("smollm2-135m") == "smollm2-135m")
        #expect(shaper.os("iOS 26.1") == "iOS 26.1")
        #expect(shaper.device("iPhone17,1") == "iPhone17,1")
        #expect(shaper.app("4.2.0") == "4.2.0")
        #expect(shaper.subject("home_banner") == "home_banner")
        let id = "6f1c2a7e-9b3d-4c55-8a1b-2c3d4e5f6071"
        #expect(shaper.session(id).text == id)
        #expect(shaper.replacedCount == 0)
    }

    @Test("what does not fit becomes other or a digest, and is counted")
    func misfitting() {
        var shaper = Shaper(key: key)
        #expect(shaper.usage("Free text") == "other")
        #expect(shaper.model("https://host/model?key=1") == "other")
        #expect(shaper.os("TempleOS") == "other")
        #expect(shaper.device("Anna's phone") == "other")
        #expect(shaper.app("4.2 beta") == "other")
        let subject = shaper.subject("anna@example.org")
        #expect(subject.hasPrefix("~"))
        #expect(subject.utf8.count == 33)
        #expect(Shape.subject.fits(subject))
        #expect(shaper.session("anna").isDigest)
        #expect(shaper.replacedCount == 7)
    }

    @Test("a digest is the same for the same text and key only")
    func digests() {
        var shaper = Shaper(key: key)
        var other = Shaper(key: [UInt8](repeating: 8, count: 32))
        #expect(shaper.subject("a b") == shaper.subject("a b"))
        #expect(shaper.subject("a b") != shaper.subject("a c"))
        #expect(shaper.subject("a b") != other.subject("a b"))
        #expect(
            shaper.subject(usage: "ab", instructions: "c")
                != shaper.subject(usage: "a", instructions: "bc"))
    }

    @Test("a digest is the first 16 bytes of the HMAC of RFC 2104")
    func vector() {
        var shaper = Shaper(key: Array("Jefe".utf8))
        #expect(
            shaper.subject("what do ya want for nothing?") == "~5bdcc146bf60754e6a042426089575c7")
    }
}
