// A folder that `evalog export` wrote, read back.

import CSVSink
import EvalogMetrics

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

struct ExportFolder {
    let path: String

    /// The rules that its tables were computed by.
    ///
    /// - Throws: ``CommandFailure`` where they cannot be read.
    func rules() throws -> MetricsRules {
        let file = "\(path)/\(DataPackage.name)"
        guard let bytes = try FileSystem.contents(of: file),
            let rules = DataPackage.rules(in: bytes)
        else {
            throw CommandFailure(
                "\(file) does not say by which rules the tables were made",
                hint: "export them again")
        }
        return rules
    }

    /// The bytes of a table, 64 KiB at a time.
    ///
    /// - Throws: ``CommandFailure`` where the file is missing or cannot be read.
    func pieces(_ file: CSVFile) throws -> CSVPieces {
        let file = try OpenFile("\(path)/\(file.name)")
        return { try file.nextPiece() }
    }
}

/// A file open for reading as long as the value lives.
private final class OpenFile {
    private static let pieceByteCount = 64 << 10
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(
                "cannot open \(path): \(SystemError.text(errno))",
                hint: errno == ENOENT ? "export it again" : nil)
        }
    }

    deinit { close(descriptor) }

    func nextPiece() throws -> [UInt8]? {
        let piece = try [UInt8](unsafeUninitializedCapacity: Self.pieceByteCount) { buffer, count in
            var result = 0
            repeat {
                result = read(descriptor, buffer.baseAddress, buffer.count)
            } while result < 0 && errno == EINTR
            guard result >= 0 else {
                throw CommandFailure("cannot read \(path): \(SystemError.text(errno))")
            }
            count = result
        }
        return piece.isEmpty ? nil : piece
    }
}
