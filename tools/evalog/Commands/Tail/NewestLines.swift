// The newest lines that pass a filter, without reading more of the log than that takes.

import EvalogFacts
import EvalogLog

struct NewestLines {
    private let directory: LogDirectory
    private let filter: LineFilter

    init(_ directory: LogDirectory, _ filter: LineFilter) {
        self.directory = directory
        self.filter = filter
    }

    /// Shows the newest `count` lines, oldest first, and returns what was found besides.
    ///
    /// Where the filter or an erasing holds lines back, it looks at four times as many each time
    /// until enough have passed.
    func show(_ count: Int, on view: TailView) throws -> LastLinesReport {
        var wanted = count
        while true {
            let (lines, seenCount, report) = try read(wanted, keeping: count)
            if lines.count >= count || seenCount < wanted {
                for line in lines { try line.withUnsafeBytes(view.add) }
                try view.flush()
                return report
            }
            wanted = max(wanted, 64) * 4
        }
    }

    private func read(
        _ wanted: Int, keeping count: Int
    ) throws -> (lines: [[UInt8]], seenCount: Int, LastLinesReport) {
        var lines: [[UInt8]] = []
        var oldest = 0
        var seenCount = 0
        var decoder = FactDecoder()
        let report = try readLastLines(wanted, of: directory, .facts) { block in
            block.forEachLine { _, line in
                seenCount += 1
                guard count > 0, isWanted(line, &decoder) else { return }
                if lines.count < count {
                    lines.append(Array(line))
                } else {
                    lines[oldest] = Array(line)
                    oldest = (oldest + 1) % count
                }
            }
        }
        return (Array(lines[oldest...] + lines[..<oldest]), seenCount, report)
    }

    private func isWanted(_ line: UnsafeRawBufferPointer, _ decoder: inout FactDecoder) -> Bool {
        guard let view = try? decoder.decode(line) else { return filter.passesAll }
        if view.isErased { return false }
        return filter.passesAll || Fact(view).map(filter.passes) ?? false
    }
}
