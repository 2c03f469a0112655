// Lines that name themselves, so that whoever reads one can tell what it must be.

import TestSupport

/// The text of a line, from its number.
enum LineText {
    /// Lines of one session are erased together.
    static let sessionCount = 4

    /// Of up to some 100 bytes, which hardly compress.
    static func bytes(_ number: Int, session: Int, using random: inout SeededGenerator) -> [UInt8] {
        var line = Array("{\"l\":\(number),\"s\":\(session),\"f\":\"".utf8)
        for _ in 0..<Int.random(in: 0...64, using: &random) {
            line.append(UInt8(ascii: "0") + UInt8(random.next() % 75))
        }
        // Kept clear of what JSON would escape, for whoever looks at a line.
        for index in line.indices where line[index] == UInt8(ascii: "\\") {
            line[index] = UInt8(ascii: "_")
        }
        return line + Array("\"}".utf8)
    }

    /// The number that a line begins with; nil where it begins in another way.
    static func number(of line: UnsafeRawBufferPointer) -> Int? {
        let start = 5
        var index = start
        var number = 0
        while index < line.count, index < start + 9, (0x30...0x39).contains(line[index]) {
            number = number * 10 + Int(line[index] - 0x30)
            index += 1
        }
        return index == start ? nil : number
    }
}
