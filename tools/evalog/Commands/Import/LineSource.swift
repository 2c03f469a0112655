// Lines of a file, a gzip file or standard input, streamed.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What reading a line gave.
enum SourceLine {
    /// ``LineSource/line`` holds it.
    case line
    /// Longer than the limit; its bytes were passed over.
    case tooLong(byteCount: Int64)
}

/// Reads lines of plain or gzip text (told apart by the first bytes), several members included.
///
/// Holds one line and two buffers of 256 KiB, whatever the size of the input.
struct LineSource: ~Copyable {
    let path: String
    /// The bytes of the line without its newline (a CR before it is left out as well), until the
    /// next one is read.
    private(set) var line: [UInt8] = []
    private let descriptor: Int32
    private let ownsDescriptor: Bool
    private var gzip: GzipReader?
    private var input: [UInt8] = []
    private var inputOffset = 0
    private var isAtEnd = false
    private var isFirstRead = true
    private let byteCountMax: Int
    /// Text that may still be handed out.
    private var textByteCountLeft: Int64
    private var isAtFirstLine = true
    /// Compressed bytes read so far, and of how many; 0 if that is not known.
    private(set) var bytesRead: Int64 = 0
    private(set) var bytesTotal: Int64 = 0

    private static let pieceByteCount = 256 << 10
    /// Where the line's memory stops growing step by step.
    private static let steppedByteCountMax = 2 << 20

    /// - Parameters:
    ///   - path: `-` is standard input.
    ///   - textByteCountMax: Where to end, if before the input does.
    init(path: String, lineByteCountMax: Int, textByteCountMax: Int64 = .max) throws {
        self.path = path
        byteCountMax = lineByteCountMax
        textByteCountLeft = textByteCountMax
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
        line.removeAll(keepingCapacity: true)
        var passedOver: Int64 = 0
        while true {
            if inputOffset == input.count {
                guard try refill() else {
                    if passedOver > 0 { return .tooLong(byteCount: passedOver) }
                    return line.isEmpty ? nil : whole()
                }
            }
            let end = Self.newline(in: input, from: inputOffset)
            let piece = inputOffset..<(end ?? input.count)
            if passedOver > 0 || line.count + piece.count > byteCountMax {
                passedOver += Int64(line.count + piece.count)
                line.removeAll(keepingCapacity: true)
            } else {
                append(piece)
            }
            inputOffset = end.map { $0 + 1 } ?? input.count
            guard end != nil else { continue }
            if passedOver > 0 { return .tooLong(byteCount: passedOver) }
            if line.last == 0x0D { line.removeLast() }
            return whole()
        }
    }

    private mutating func append(_ piece: Range<Int>) {
        let byteCount = line.count + piece.count
        if byteCount > line.capacity, byteCount > Self.steppedByteCountMax {
            // Growing keeps two copies for a moment, so it does that while the line is short. Room
            // that is never written to takes no memory.
            line.reserveCapacity(byteCountMax)
        }
        line += input[piece]
    }

    /// Some editors begin a file with a byte order mark, which is no part of its first line.
    private mutating func whole() -> SourceLine {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if isAtFirstLine, line.starts(with: mark) { line.removeFirst(mark.count) }
        isAtFirstLine = false
        return .line
    }

    private static func newline(in bytes: [UInt8], from offset: Int) -> Int? {
        bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress,
                let found = memchr(start + offset, 0x0A, buffer.count - offset)
            else { return nil }
            return UnsafeRawPointer(found) - start
        }
    }

    /// Whether the input is gzip; reads its first piece.
    mutating func isGzip() throws -> Bool {
        if inputOffset == input.count, isFirstRead { _ = try refill() }
        return gzip != nil
    }

    /// Passes over a piece of text; false at the end.
    mutating func skipPiece() throws -> Bool { try refill() }

    /// Puts the next piece of text into `input`; false at the end.
    private mutating func refill() throws -> Bool {
        inputOffset = 0
        guard textByteCountLeft > 0, try readText() else {
            input = []
            return false
        }
        if Int64(input.count) > textByteCountLeft {
            input.removeLast(input.count - Int(textByteCountLeft))
        }
        textByteCountLeft -= Int64(input.count)
        return true
    }

    private mutating func readText() throws -> Bool {
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
                if piece.starts(with: GzipReader.magic) { gzip = GzipReader() }
            }
            guard let gzip else {
                input = piece
                return true
            }
            gzip.feed(piece)
        }
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
