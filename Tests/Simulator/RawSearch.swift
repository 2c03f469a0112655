// Looks for lines in the bytes of all files, wherever a gzip member may begin, as somebody would who
// looks for what was to be erased.

import CZlib
import EvalogLog

/// Every text that the files of the log hold, whether the log's readers find it or not.
struct RawSearch {
    private var texts: [(file: String, text: [UInt8])] = []
    private let truth: Truth

    init(_ world: World) {
        truth = world.truth
        for (name, bytes) in world.disk.files(below: World.path) {
            for start in Self.starts(in: bytes) {
                texts.append((name, Self.inflated(bytes, from: start)))
            }
        }
    }

    /// Says which of some lines are still there.
    func problems(_ numbers: [Int]) -> [String] {
        let sought = Set(numbers)
        var found: [String] = []
        for (file, text) in texts {
            for number in Self.lines(of: text, truth) where sought.contains(number) {
                found.append("line \(number) was erased and is in \(file)")
            }
        }
        return found
    }

    /// The lines that the bytes of a file hold.
    static func lines(in bytes: [UInt8], of truth: Truth) -> Set<Int> {
        Set(starts(in: bytes).flatMap { lines(of: inflated(bytes, from: $0), truth) })
    }

    private static func lines(of text: [UInt8], _ truth: Truth) -> [Int] {
        text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard let number = line.withUnsafeBytes({ LineText.number(of: $0) }),
                number < truth.lines.count, truth.lines[number].bytes == Array(line)
            else { return nil }
            return number
        }
    }

    private static func starts(in bytes: [UInt8]) -> [Int] {
        guard bytes.count > 10 else { return [] }
        return (0..<bytes.count - 10).filter {
            bytes[$0] == 0x1F && bytes[$0 + 1] == 0x8B && bytes[$0 + 2] == 8
        }
    }

    /// As much as zlib makes of one member.
    private static func inflated(_ bytes: [UInt8], from start: Int) -> [UInt8] {
        var input = Array(bytes[start...])
        var output = [UInt8](repeating: 0, count: 1 << 16)
        var stream = z_stream()
        guard czlib_inflate_init_gzip(&stream) == Z_OK else { return [] }
        defer { inflateEnd(&stream) }
        let count = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                _ = inflate(&stream, Z_FINISH)
                return target.count - Int(stream.avail_out)
            }
        }
        return Array(output.prefix(count))
    }
}
