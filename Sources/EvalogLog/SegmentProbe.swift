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
