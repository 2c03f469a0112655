import TestSupport
import Testing

@testable import LongInput

@Suite("where a text is cut") struct TextSplitterTests {
    private func pieces(
        _ text: String, _ capacity: Int, _ unit: TextSplitter.Unit = .bytes
    ) -> [String] {
        TextSplitter(text, capacity: capacity, unit: unit).pieces()
    }

    @Test("a text that fits is one piece, none has no piece")
    func fits() {
        #expect(pieces("", 5) == [])
        #expect(pieces("words", 5) == ["words"])
        #expect(pieces("words", .max, .scalars) == ["words"])
    }

    @Test("after a paragraph before a line, a line before a sentence, a sentence before a word")
    func strongest() {
        #expect(pieces("one two\n\nthree. four\nfive six", 24).first == "one two\n\nthree. four\n")
        #expect(pieces("one two three\n\nfour. five six", 24).first == "one two three\n\n")
        #expect(pieces("one two three. four five six", 24).first == "one two three. ")
        #expect(pieces("one two three four five six", 24).first == "one two three four five ")
        #expect(
            pieces("one two (three.\u{201D}) four five", 28).first == "one two (three.\u{201D}) ")
        #expect(pieces("3.5 and 3.14 and 2.718 and", 24).first == "3.5 and 3.14 and 2.718 ")
        #expect(pieces("一二三四。五六七", 20).first == "一二三四。")
    }

    @Test("line ends of every system, of which a pair is one")
    func lineEnds() {
        for end in ["\n", "\r\n", "\r", "\u{2028}"] {
            let text = "one two three" + end + "four. five six seven"
            #expect(pieces(text, 24).first == "one two three" + end)
            let paragraphs = "one two three" + end + end + "four" + end + "five six"
            #expect(pieces(paragraphs, 26).first == "one two three" + end + end)
        }
    }

    @Test("a pair of return and line feed, a mark, a family of emoji and a flag stay whole")
    func characters() {
        #expect(pieces("abcd\r\nef", 5) == ["abcd", "\r\nef"])
        let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}"
        let flags = "\u{1F1E9}\u{1F1EA}\u{1F1EB}\u{1F1F7}"
        for text in ["ae\u{301}e\u{301}", "a \u{301}b \u{301}", family + family, flags] {
            for capacity in 1...text.utf8.count {
                for unit in [TextSplitter.Unit.bytes, .scalars] {
                    let pieces = pieces(text, capacity, unit)
                    #expect(pieces.map(Array.init).flatMap(\.self) == Array(text))
                    #expect(pieces.joined().utf8.elementsEqual(text.utf8))
                }
            }
        }
    }

    @Test("a long run without boundaries is cut all the same, at the capacity")
    func noBoundary() {
        let text = String(repeating: "x", count: 1_000)
        #expect(pieces(text, 300).map(\.utf8.count) == [300, 300, 300, 100])
        let marks = "e" + String(repeating: "\u{301}", count: 1_000)
        #expect(pieces(marks, 10) == [marks])
    }

    @Test("whatever the text, the pieces are the text, no character is cut, and none is too long")
    func random() {
        var generator = SeededGenerator(seed: 6)
        let parts = [
            "a", "word", " ", "  ", "\n", "\r\n", "\n\n", "\r", ". ", "! ", "\u{2029}", "\u{2028}",
            "é", "e\u{301}", "\u{301}", "。", "\u{3000}", "漢", "\u{1F468}\u{200D}\u{1F469}",
            "\u{1F1E9}",
            "\u{200D}", "\u{A0}", "3.5", "\u{0}", "\u{FE0F}",
        ]
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 1...60, using: &generator))
                .map { _ in parts.randomElement(using: &generator)! }.joined()
            let capacity = Int.random(in: 1...40, using: &generator)
            let unit = Bool.random(using: &generator) ? TextSplitter.Unit.bytes : .scalars
            let pieces = pieces(text, capacity, unit)
            #expect(pieces.joined().utf8.elementsEqual(text.utf8))
            #expect(pieces.reduce(0) { $0 + $1.count } == text.count)
            for piece in pieces where piece.count > 1 {
                let length = unit == .bytes ? piece.utf8.count : piece.unicodeScalars.count
                #expect(length <= capacity)
            }
        }
    }
}
