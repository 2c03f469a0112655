// Lines of a file, a gzip file or standard input, streamed.

import CZlib

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What reading a line gave.
enum SourceLine {
    /// The bytes without the newline (a CR before it is left out as well).
    case line([UInt8])
    /// Longer than the limit; its bytes were passed over.
    case tooLong(byteCount: Int64)
}

/// Reads lines of plain or gzip text (told apart by the first bytes), several members included.
///
/// Holds one line and two buffers of 256 KiB, whatever the size of the input.
struct LineSource: ~Copyable {
    let path: String
    private let descriptor: Int32
    private let ownsDescriptor: Bool
    private var gzip: GzipReader?
    private var input: [UInt8] = []
    private var inputOffset = 0
    private var isAtEnd = false
    private var isFirstRead = true
    private let byteCountMax: Int
    /// Compressed bytes read so far, and of how many; 0 if that is not known.
    private(set) var bytesRead: Int64 = 0
    private(set) var bytesTotal: Int64 = 0

    private static let pieceByteCount = 256 << 10

    /// - Parameter path: `-` is standard input.
    init(path: String, lineByteCountMax: Int) throws {
        self.path = path
        byteCountMax = lineByteCountMax
        ownsDescriptor = path != "-"
        descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure("cannot open \(path): \(SystemError.text(errno))")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw CommandFailure("cannot read \(path): \(SystemError.text(errno))")
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw CommandFailure("\(path) is a folder", hint: "name the files in it")
        }
        if status.st_mode & S_IFMT == S_IFREG { bytesTotal = Int64(status.st_size) }
    }

    deinit {
        if ownsDescriptor { close(descriptor) }
    }

    /// The next line, or nil at the end. The last line may lack its newline.
    mutating func next() throws -> SourceLine? {
        var line: [UInt8] = []
        var passedOver: Int64 = 0
        while true {
            if inputOffset == input.count {
                guard try refill() else {
                    if passedOver > 0 { return .tooLong(byteCount: passedOver) }
                    return line.isEmpty ? nil : .line(line)
                }
            }
            let end = Self.newline(in: input, from: inputOffset)
            let piece = input[inputOffset..<(end ?? input.count)]
            if passedOver > 0 || line.count + piece.count > byteCountMax {
                passedOver += Int64(line.count + piece.count)
                line.removeAll()
            } else {
                line += piece
            }
            inputOffset = end.map { $0 + 1 } ?? input.count
            guard end != nil else { continue }
            if passedOver > 0 { return .tooLong(byteCount: passedOver) }
            if line.last == 0x0D { line.removeLast() }
            return .line(line)
        }
    }

    private static func newline(in bytes: [UInt8], from offset: Int) -> Int? {
        bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress,
                let found = memchr(start + offset, 0x0A, buffer.count - offset)
            else { return nil }
            return UnsafeRawPointer(found) - start
        }
    }

    /// Puts the next piece of text into `input`; false at the end.
    private mutating func refill() throws -> Bool {
        inputOffset = 0
        while !isAtEnd {
            if let gzip {
                input = try gzip.nextText()
                if !input.isEmpty { return true }
            }
            let piece = try readPiece()
            if piece.isEmpty {
                isAtEnd = true
                try gzip?.finish()
                break
            }
            if isFirstRead {
                isFirstRead = false
                if piece.starts(with: [0x1F, 0x8B]) { gzip = GzipReader(path: path) }
            }
            guard let gzip else {
                input = piece
                return true
            }
            gzip.feed(piece)
        }
        input = []
        return false
    }

    private mutating func readPiece() throws -> [UInt8] {
        var piece: [UInt8] = []
        // Two bytes at least at first, so that gzip can be told from text on a slow pipe.
        repeat {
            let wanted = Self.pieceByteCount - piece.count
            let more = try [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
                var result = 0
                repeat {
                    result = read(descriptor, buffer.baseAddress, wanted)
                } while result < 0 && errno == EINTR
                guard result >= 0 else {
                    throw CommandFailure("cannot read \(path): \(SystemError.text(errno))")
                }
                count = result
            }
            bytesRead += Int64(more.count)
            piece += more
            if more.isEmpty { break }
        } while isFirstRead && piece.count < 2
        return piece
    }
}

/// Inflates a gzip file of any number of members, piece by piece.
final class GzipReader {
    private let path: String
    private var stream = z_stream()
    private var pending: [UInt8] = []
    private var pendingOffset = 0
    private var isInsideMember = true

    init(path: String) {
        self.path = path
        czlib_inflate_init_gzip(&stream)
    }

    deinit { inflateEnd(&stream) }

    /// Takes compressed bytes; call ``nextText()`` until it is empty before the next call.
    func feed(_ bytes: [UInt8]) {
        pending = bytes
        pendingOffset = 0
    }

    /// The next text, or nothing when more compressed bytes are needed.
    func nextText() throws -> [UInt8] {
        while pendingOffset < pending.count {
            if !isInsideMember {
                inflateReset(&stream)
                isInsideMember = true
            }
            let text = try inflateSome()
            if !text.isEmpty { return text }
        }
        return []
    }

    private func inflateSome() throws -> [UInt8] {
        var status = Z_OK
        let capacity = 256 << 10
        let text = pending.withUnsafeMutableBytes { input in
            [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
                let left = input.count - pendingOffset
                stream.next_in = input.baseAddress?.advanced(by: pendingOffset)
                    .assumingMemoryBound(to: UInt8.self)
                stream.avail_in = UInt32(left)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(capacity)
                status = inflate(&stream, Z_NO_FLUSH)
                pendingOffset += left - Int(stream.avail_in)
                count = capacity - Int(stream.avail_out)
            }
        }
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isInsideMember = false
        default:
            throw CommandFailure(
                "\(path) is damaged: not gzip after \(Figures.bytes(Int64(stream.total_out))) of text",
                hint:
                    "gzip -t \(path) shows the same; import what is whole with: zcat \(path) | evalog import -"
            )
        }
        return text
    }

    /// - Throws: ``CommandFailure`` if the last member is cut.
    func finish() throws {
        guard !isInsideMember else {
            throw CommandFailure(
                "\(path) ends inside a gzip member", hint: "what came before it was read")
        }
    }
}
