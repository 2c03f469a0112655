// What lies in a stream's folder and is read by nobody, because of its name: most of it has nothing
// to do with the log, but some may be a segment that somebody renamed, moved or unpacked.

/// A file that readers pass over, and what it is.
package struct ForeignFile: Hashable, Sendable {
    package enum Meaning: Hashable, Sendable {
        /// Left by a process that was killed, or about to get its name.
        case temporary
        case link
        case notAFile
        /// A link, a folder or a device in the place of a segment, whose lines nobody reads.
        case standIn(isLink: Bool)
        /// By its first bytes no segment, or not to be read.
        case other
        /// A segment of this stream, of which so many lines are nowhere else; and a name under which
        /// it would be read.
        case segment(as: SegmentName, lineCount: UInt64, missingCount: UInt64)
        /// A segment of the other stream, and a name that it could have there; and how many of its
        /// lines are nowhere in that stream, where somebody has looked.
        case otherStream(as: SegmentName, missingCount: UInt64?)
        /// By its name the text of a segment that is not there any more.
        case unpacked
    }

    package var name: String
    package var meaning: Meaning

    /// Whether it has lines that belong to the log and that no reader sees, as far as is known.
    package var hidesLines: Bool {
        switch meaning {
        case .segment(_, _, let missingCount): missingCount > 0
        case .otherStream(_, let missingCount): missingCount ?? 0 > 0
        case .unpacked, .standIn: true
        case .temporary, .link, .notAFile, .other: false
        }
    }
}

extension LogDirectory {
    /// What a reading of the facts has passed over although lines of the log are in it.
    ///
    /// - Parameter ignored: By the reading; where there is nothing, nothing is looked at.
    /// - Complexity: A scan of headers where there is something.
    package func filesHidingFacts(_ ignored: [Ignored]) throws(LogError) -> [ForeignFile] {
        if ignored.allSatisfy({ $0.reason == .temporary }) { return [] }
        let catalog = try LogCatalog.scan(self, .facts)
        return try explain(
            catalog.ignored, among: catalog.segments, of: .facts,
            present: [.facts: catalog.present]
        ).filter(\.hidesLines)
    }

    /// Looks into what a listing has passed over.
    ///
    /// - Parameters:
    ///   - segments: What the listing has not passed over.
    ///   - present: Lines that are there, of the stream and of others that were looked at.
    /// - Complexity: One small read for each file, and the headers of those that are segments.
    package func explain(
        _ ignored: [Ignored], among segments: [LogCatalog.Segment], of stream: LogStream,
        present: [StreamKind: [WriterID: SequenceSet]]
    ) throws(LogError) -> [ForeignFile] {
        let kind = stream.kind
        guard !ignored.isEmpty, let folder = try openFolder(of: kind) else { return [] }
        defer { disk.close(folder) }
        // Names that are proposed are taken as well: who follows two proposals must not lose a file.
        var taken = Set(segments.map(\.name.description))
        return ignored.map { entry in
            let meaning: ForeignFile.Meaning =
                switch entry.reason {
                case .temporary: .temporary
                case .link: .standIn(isLink: true)
                case .notAFile: .standIn(isLink: false)
                case .foreignName:
                    if let packed = SegmentName(entry.name + ".gz"), packed.kind == kind,
                        !taken.contains(packed.description)
                    {
                        .unpacked
                    } else {
                        // What cannot be read says nothing of the log.
                        (try? look(at: entry.name, in: folder, kind, present, &taken)) ?? .other
                    }
                }
            return ForeignFile(name: entry.name, meaning: meaning)
        }
    }

    private func look(
        at name: String, in folder: DiskHandle, _ kind: StreamKind,
        _ present: [StreamKind: [WriterID: SequenceSet]], _ taken: inout Set<String>
    ) throws(DiskError) -> ForeignFile.Meaning {
        switch try disk.status(of: name, in: folder).kind {
        case .link: return .link
        case .folder, .other: return .notAFile
        case .file: break
        }
        let handle = try disk.openFile(name, in: folder)
        defer { disk.close(handle) }
        guard let head = try Self.header(of: handle, on: disk),
            let own = StreamKind(rawValue: head.stream)
        else { return .other }
        // As a merged file: then whatever has a valid header is taken.
        var proper = SegmentName(
            wallTime: head.appendTime, writer: head.writer, number: 0, kind: own)
        let scan = try SegmentScanner(proper, handle, on: disk).scan()
        var lines: [WriterID: SequenceSet] = [:]
        for block in scan.blocks {
            lines[block.header.writer, default: .init()].insert(block.header.sequences)
        }
        let isMerged = lines.count > 1 || scan.run?.seal?.contains(.mergedEnd) == true
        if !isMerged { proper.number = head.first == 1 ? 1 : 2 }
        while taken.contains(proper.description) {
            // A merged file stays number 0; the id in its name means nothing.
            if isMerged {
                proper = SegmentName(
                    wallTime: head.appendTime, writer: .random(), number: 0, kind: own)
            } else {
                proper.number += 1
            }
        }
        taken.insert(proper.description)
        let missingCount = present[own].map { present in
            lines.reduce(UInt64(0)) { count, entry in
                count + entry.value.subtracting(present[entry.key] ?? .init()).count
            }
        }
        guard own == kind else { return .otherStream(as: proper, missingCount: missingCount) }
        let lineCount = lines.values.reduce(0) { $0 + $1.count }
        return .segment(
            as: proper, lineCount: lineCount, missingCount: missingCount ?? lineCount)
    }

    /// The header that a file begins with, if it does with a member of this version.
    private static func header(
        of handle: DiskHandle, on disk: any Disk
    ) throws(DiskError) -> BlockHeader? {
        let nameless = SegmentName(
            wallTime: 0, writer: WriterID(high: 0, low: 0), number: 0, kind: .facts)
        let scanner = SegmentScanner(nameless, handle, on: disk)
        let found = try scanner.parse(at: 0, try scanner.status().byteCount)
        return found.flatMap {
            $0.header.version == BlockHeader.currentVersion ? $0.header : nil
        }
    }
}
