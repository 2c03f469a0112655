// From header to header through one segment, without inflating. Behind damage it goes on at the
// next valid header, wherever that is.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Scans one open segment.
struct SegmentScanner {
    let name: SegmentName
    let text: String
    let handle: DiskHandle
    let disk: any Disk
    private let window: ByteWindow

    init(_ name: SegmentName, _ handle: DiskHandle, on disk: any Disk) {
        self.name = name
        self.text = name.description
        self.handle = handle
        self.disk = disk
        window = ByteWindow(handle, on: disk)
    }

    func status() throws(DiskError) -> FileStatus { try disk.status(of: handle) }

    /// Scans the whole file.
    func scan() throws(DiskError) -> SegmentScan {
        var scan = SegmentScan()
        try advance(&scan)
        return scan
    }

    /// Goes on with a scan to the end of the file.
    ///
    /// Bytes behind the last whole block of a segment that a live writer holds are in flight:
    /// they are no damage, and a later call looks at them again.
    func advance(_ scan: inout SegmentScan) throws(DiskError) {
        var end = try status().byteCount
        while true {
            let beforeTail = try step(&scan, to: end)
            if scan.isSealed { return finish(&scan, end) }
            let isLocked = try !disk.hasNoWriter(handle)
            if isLocked {
                scan = beforeTail ?? scan
                scan.isLocked = true
                return
            }
            // The writer may have written and gone between the two looks.
            let now = try status().byteCount
            if now == end { return finish(&scan, end) }
            scan = beforeTail ?? scan
            window.invalidate()
            end = now
        }
    }

    private func finish(_ scan: inout SegmentScan, _ end: Int64) {
        if end == 0 { scan.add(text, 0..<0, .empty) }
        if name.isMerged, scan.run != nil, !scan.hasTornTail,
            scan.run?.seal?.contains(.mergedEnd) != true
        {
            scan.add(text, end..<end, .cut)
        }
    }

    /// Scans to an end, and returns what was known before the bytes, if any, that end the file
    /// without being a member.
    private func step(_ scan: inout SegmentScan, to end: Int64) throws(DiskError) -> SegmentScan? {
        var beforeTail: SegmentScan?
        scan.hasTornTail = false
        scan.isLocked = false
        while scan.offset < end {
            let start = scan.offset
            let found = try parse(at: start, end)
            if let found, start + Int64(found.header.memberByteCount) <= end {
                try accept(found, at: start, &scan)
            } else {
                let before = scan
                try skipDamage(from: start, cutOff: found, &scan, to: end)
                if scan.hasTornTail { beforeTail = before }
            }
        }
        return beforeTail
    }

    func parse(at offset: Int64, _ end: Int64) throws(DiskError) -> Member.Found? {
        // The trailer before the member comes along for the chain.
        let trailer = offset >= 8 ? 8 : 0
        let rest = Int(min(end - offset, Int64(Member.headerByteCountMax)))
        func view(_ count: Int) throws(DiskError) -> UnsafeRawBufferPointer {
            let bytes = try window.bytes(
                at: offset - Int64(trailer), count: trailer + min(rest, count))
            return UnsafeRawBufferPointer(rebasing: bytes.dropFirst(trailer))
        }
        var bytes = try view(512)
        let needed = Member.headerByteCount(asIn: bytes)
        if needed > bytes.count { bytes = try view(needed) }
        return Member.parse(bytes)
    }

    // MARK: Whole members

    private func accept(
        _ found: Member.Found, at offset: Int64, _ scan: inout SegmentScan
    ) throws(DiskError) {
        let header = found.header
        let length = Int64(header.memberByteCount)
        let range = offset..<(offset + length)
        scan.offset = range.upperBound
        let objection = scan.objection(to: found, in: name)
        if let objection {
            scan.add(text, range, objection)
        } else {
            try take(found, at: offset, &scan)
        }
        let field = try window.bytes(at: offset + Int64(found.fieldOffset), count: 68)
        let member = SegmentScan.Previous(
            isTaken: objection == nil, offset: offset, dataOffset: found.dataOffset,
            header: header, fieldChecksum: checksum(field))
        // Blocks are proven when they are read; nobody reads a seal or a hole.
        if member.isTaken, !header.isBlock { try proveEmpty(member, &scan) }
        scan.previous = member
    }

    private func take(
        _ found: Member.Found, at offset: Int64, _ scan: inout SegmentScan
    ) throws(DiskError) {
        let header = found.header
        if scan.run == nil, offset > 0 { scan.hasDamagedHead = true }
        try checkChain(header, at: offset, &scan)
        if found.isFrameDamaged {
            scan.add(text, offset..<(offset + Int64(found.dataOffset)), .gzipHeader)
        }
        scan.take(found, at: offset)
    }

    private func proveEmpty(
        _ member: SegmentScan.Previous, _ scan: inout SegmentScan
    ) throws(DiskError) {
        let trailer = try window.bytes(at: scan.offset - 8, count: 8)
        if !trailer.allSatisfy({ $0 == 0 }) {
            scan.add(text, member.offset..<scan.offset, .trailer)
        } else if try !hasIntactData(member) {
            scan.add(text, member.offset..<scan.offset, .dataChecksum)
        }
    }

    private func checkChain(
        _ header: BlockHeader, at offset: Int64, _ scan: inout SegmentScan
    ) throws(DiskError) {
        var expected: UInt32 = 0
        if let previous = scan.previous, previous.isTaken {
            if scan.run?.seal == nil {
                let trailer = try window.bytes(at: offset - 8, count: 8)
                expected = checksum(trailer, from: previous.fieldChecksum)
            }
        } else if offset > 0 {
            return  // What came before is not known.
        }
        if header.chain != expected {
            scan.add(text, offset..<offset, .chain)
        } else if let last = scan.blocks.indices.last, expected != 0,
            scan.blocks[last].offset == scan.previous?.offset
        {
            scan.blocks[last].isTrailerProven = true
        }
    }

    // MARK: Damage

    private func skipDamage(
        from start: Int64, cutOff torn: Member.Found?, _ scan: inout SegmentScan, to end: Int64
    ) throws(DiskError) {
        var from = start
        if let torn {
            from = start + Int64(torn.dataOffset)
        } else if let previous = scan.previous {
            // The member before may be shorter than its header says, and the next one begin in
            // its trailer, or in its body unless that is proven.
            from =
                try hasIntactData(previous)
                ? start - Int64(Member.trailerByteCount)
                : previous.offset + Int64(previous.dataOffset)
        }
        let next = try findMember(from: from, to: end)
        if let torn, scan.objection(to: torn, in: name) == nil {
            // A cut block proves its sequences; only a whole one says whose file this is.
            for header in torn.blocks {
                if scan.run != nil { scan.take(header) }
                scan.marks.append(
                    BlockEntry(header: header, offset: start, dataOffset: torn.dataOffset))
            }
        }
        let stop = next ?? end
        if stop < start {
            scan.trimDamage(to: stop)
        } else if stop > start {
            scan.add(text, start..<stop, try reason(start..<stop, end, isBlock: torn != nil))
        }
        scan.hasTornTail = next == nil
        scan.previous = nil
        scan.offset = stop
    }

    private func hasIntactData(_ member: SegmentScan.Previous) throws(DiskError) -> Bool {
        var offset = member.offset + Int64(member.dataOffset)
        let end = member.offset + Int64(member.header.memberByteCount) - 8
        var sum: UInt32 = 0
        while offset < end {
            let piece = try window.bytes(
                at: offset, count: Int(min(end - offset, Int64(LogLimits.resyncByteCount))))
            if piece.isEmpty { return false }
            sum = checksum(piece, from: sum)
            offset += Int64(piece.count)
        }
        return sum == member.header.dataChecksum
    }

    /// The start of the next member with a valid header at or behind an offset.
    private func findMember(from start: Int64, to end: Int64) throws(DiskError) -> Int64? {
        let fieldByteCount = Member.mark.count + BlockHeader.byteCount
        var offset = start
        while offset + Int64(fieldByteCount) <= end {
            let count = Int(min(end - offset, Int64(LogLimits.resyncByteCount)))
            let piece = try window.bytes(at: offset, count: count)
            if piece.count < fieldByteCount { return nil }
            let fields = Self.fields(in: piece)
            let scanned = piece.count - fieldByteCount + 1
            for field in fields {
                let start = try memberStart(
                    ofFieldAt: offset + Int64(field), notBefore: start, end)
                if let start { return start }
            }
            offset += Int64(scanned)
        }
        return nil
    }

    /// Offsets of valid subfields, their four bytes of identifier and length included.
    private static func fields(in piece: UnsafeRawBufferPointer) -> [Int] {
        var result: [Int] = []
        let end = piece.count - Member.mark.count - BlockHeader.byteCount + 1
        var index = 0
        while index < end, let base = piece.baseAddress,
            let hit = memchr(base + index, Int32(Member.mark[0]), end - index)
        {
            index = UnsafeRawPointer(hit) - base
            let start = index + Member.mark.count
            if piece[index..<start].elementsEqual(Member.mark),
                BlockHeader(decoding: UnsafeRawBufferPointer(rebasing: piece[start...])) != nil
            {
                result.append(index)
            }
            index += 1
        }
        return result
    }

    /// Where the member begins whose valid subfield was found: where we would have begun it, or,
    /// with other subfields before ours, at the nearest gzip header that leads to it.
    private func memberStart(
        ofFieldAt field: Int64, notBefore start: Int64, _ end: Int64
    ) throws(DiskError) -> Int64? {
        let usual = field - 12
        if usual >= start, let found = try parse(at: usual, end), !found.isFrameDamaged {
            return usual
        }
        let least = max(start, field - Int64(Member.headerByteCountMax))
        var candidates: [Int64] = []
        let before = try window.bytes(at: least, count: Int(field - least))
        if before.count >= 12 {
            for index in stride(from: before.count - 12, through: 0, by: -1)
            where before[index] == Member.fixed[0]
                && before[index...].starts(with: Member.fixed)
            {
                candidates.append(least + Int64(index))
            }
        }
        for candidate in candidates {
            if let found = try parse(at: candidate, end), !found.isFrameDamaged,
                candidate + Int64(found.fieldOffset) == field + 4
            {
                return candidate
            }
        }
        guard usual >= start, try parse(at: usual, end) != nil else { return nil }
        return usual
    }

    private func reason(
        _ range: Range<Int64>, _ end: Int64, isBlock: Bool
    ) throws(DiskError) -> Damage.Reason {
        if isBlock { return range.upperBound == end ? .tornTail : .dataChecksum }
        let length = range.upperBound - range.lowerBound
        let head = try window.bytes(at: range.lowerBound, count: Int(min(length, 12)))
        let common = min(head.count, Member.fixed.count)
        if head[..<common].elementsEqual(Member.fixed[..<common]) {
            let isCut = range.upperBound == end && length < Int64(Member.headerByteCount)
            return isCut ? .tornTail : .subfield
        }
        return try isZero(range) ? .zeros : .garbage
    }

    private func isZero(_ range: Range<Int64>) throws(DiskError) -> Bool {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let rest = Int(min(range.upperBound - offset, Int64(LogLimits.resyncByteCount)))
            let piece = try window.bytes(at: offset, count: rest)
            // All bytes equal their neighbour, and the first is zero.
            guard let base = piece.baseAddress, piece[0] == 0,
                memcmp(base, base + 1, piece.count - 1) == 0
            else { return false }
            offset += Int64(piece.count)
        }
        return true
    }
}
