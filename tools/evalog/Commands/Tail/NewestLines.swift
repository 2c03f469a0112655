// The newest lines that pass a filter, without reading more of the log than that takes.

import EvalogFacts
import EvalogLog

/// The last lines of those that were added.
struct NewestLines {
    private let countMax: Int
    private var lines: [[UInt8]] = []
    private var oldest = 0

    init(_ countMax: Int) { self.countMax = countMax }

    var isFull: Bool { lines.count >= countMax }

    mutating func add(_ line: UnsafeRawBufferPointer) {
        guard countMax > 0 else { return }
        guard isFull else { return lines.append(Array(line)) }
        lines[oldest] = Array(line)
        oldest = (oldest + 1) % countMax
    }

    /// Oldest first.
    func forEach(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        for line in lines[oldest...] + lines[..<oldest] { try line.withUnsafeBytes(body) }
    }

    /// Finds the newest lines of a log, and what reading them came across.
    ///
    /// Where the filter or an erasing holds lines back, it looks at four times as many each time
    /// until enough have passed.
    static func find(
        _ count: Int, in directory: LogDirectory, _ filter: LineFilter
    ) throws -> (lines: Self, report: LastLinesReport) {
        var decoder = FactDecoder()
        var wanted = count
        while true {
            var found = Self(count)
            var seenCount = 0
            let report = try readLastLines(wanted, of: directory, .facts) { block in
                block.forEachLine { _, line in
                    seenCount += 1
                    if filter.mayShow(line, &decoder) { found.add(line) }
                }
            }
            if found.isFull || seenCount < wanted { return (found, report) }
            wanted = max(wanted, 64) * 4
        }
    }
}

extension LineFilter {
    /// Whether a line counts as one of the newest; one that cannot be read does where all pass.
    func mayShow(_ line: UnsafeRawBufferPointer, _ decoder: inout FactDecoder) -> Bool {
        guard let view = try? decoder.decode(line) else { return passesAll }
        if view.isErased { return false }
        return passesAll || Fact(view).map(passes) ?? false
    }
}
