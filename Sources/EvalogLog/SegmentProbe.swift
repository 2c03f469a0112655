// A segment's last seal, for one small read: enough to know what a closed segment holds.

extension SegmentScanner {
    /// The seal at the very end of a segment that is not a merged file; nil where there is none.
    ///
    /// It says which sequences the segment was closed with, not that its blocks are undamaged.
    func closingSeal(byteCount: Int64) throws(DiskError) -> BlockHeader? {
        let start = byteCount - Int64(Member.sealByteCount)
        guard !name.isMerged, start >= 0,
            let found = try parse(at: start, byteCount),
            found.header.flags.contains(.seal), !found.isFrameDamaged,
            found.header.version == BlockHeader.currentVersion,
            found.header.stream == name.kind.rawValue,
            Int(found.header.memberByteCount) == Member.sealByteCount
        else { return nil }
        return found.header
    }
}

extension LogDirectory {
    /// When the last line of a segment was appended, as its headers say; nil where none does, or
    /// where it is gone.
    ///
    /// - Complexity: One small read for a segment that was closed, else one for each block.
    package func lastAppendTime(
        of name: SegmentName, _ stream: LogStream
    ) throws(LogError) -> Int64? {
        guard let folder = try openFolder(of: stream.kind) else { return nil }
        defer { disk.close(folder) }
        let found = try withSegment(name, in: folder) { scanner throws(DiskError) -> Int64? in
            if let seal = try scanner.closingSeal(byteCount: try scanner.status().byteCount) {
                return seal.appendTime
            }
            let scan = try scanner.scan()
            return (scan.blocks + scan.marks).map(\.header.appendTime).max()
        }
        return found ?? nil
    }
}
