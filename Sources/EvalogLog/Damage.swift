// Damage as data: where bytes are that should not be there, and why. Reading goes on behind it.

/// A stretch of a segment that does not hold what it should.
package struct Damage: Hashable, Comparable, Sendable {
    package enum Reason: String, CaseIterable, Hashable, Sendable {
        /// A file without a byte.
        case empty
        /// The file ends inside a block.
        case tornTail = "torn_tail"
        /// Nothing but zeros, as a file system leaves them after a power cut.
        case zeros
        /// Bytes that are no part of a block.
        case garbage
        /// The `EL` subfield of a block is damaged, so its lines are not known.
        case subfield
        /// The gzip header is damaged; the lines are intact and were read.
        case gzipHeader = "gzip_header"
        /// The compressed bytes do not match their checksum.
        case dataChecksum = "data_checksum"
        /// The text does not match the gzip trailer.
        case trailer
        /// The text has another number of lines than the header says.
        case lineCount = "line_count"
        /// The block does not follow the one before it: something was taken out or put in.
        case chain
        /// A whole block that does not belong to this run: old bytes of another file.
        case stale
        /// A block of another stream.
        case wrongStream = "wrong_stream"
        /// A block of a later version of the format.
        case newerVersion = "newer_version"
        /// A merged file that ends before its last seal.
        case cut
    }

    /// The segment's file name.
    package var segment: String
    package var offset: Int64
    package var byteCount: Int64
    package var reason: Reason

    package init(segment: String, offset: Int64, byteCount: Int64, reason: Reason) {
        self.segment = segment
        self.offset = offset
        self.byteCount = byteCount
        self.reason = reason
    }

    package var end: Int64 { offset + byteCount }

    package static func < (left: Self, right: Self) -> Bool {
        if left.segment != right.segment {
            return left.segment.utf8.lexicographicallyPrecedes(right.segment.utf8)
        }
        return (left.offset, left.reason.rawValue) < (right.offset, right.reason.rawValue)
    }

    /// One entry per stretch: adjoining ones of the same reason are joined, and a broken chain
    /// right behind a damaged block is that block's damage, not another one.
    static func normalized(_ damages: [Self]) -> [Self] {
        var result: [Self] = []
        for damage in Set(damages).sorted() {
            if let last = result.last, last.segment == damage.segment, last.end == damage.offset {
                if damage.reason == .chain { continue }
                if last.reason == damage.reason, damage.byteCount > 0,
                    damage.reason == .stale || damage.reason == .garbage
                {
                    result[result.count - 1].byteCount += damage.byteCount
                    continue
                }
            }
            result.append(damage)
        }
        return result
    }
}
