// When lines were lost that nobody can read any more, from the headers around them.

extension BlockHeader {
    /// When what the lines tell happened, whatever a header says that somebody made up.
    package var eventTimes: ClosedRange<Int64> {
        min(leastEventTime, greatestEventTime)...max(leastEventTime, greatestEventTime)
    }
}

extension LogCatalog {
    /// When what lost lines told may have happened, in µs since 1970. The least number stands for a time that
    /// nobody knows.
    ///
    /// - Parameter limit: Only losses that nothing would tell of if the blocks appended before were deleted.
    package func lossTimes(
        in report: ReadReport, before limit: Int64 = .max
    ) -> [ClosedRange<Int64>] {
        let known = Dictionary(grouping: headers.map(\.header) + lineless, by: \.writer)
        var times: [ClosedRange<Int64>] = []
        for writer in report.writers {
            let own = known[writer.writer] ?? []
            let end = own.filter { $0.appendTime < limit }.map(\.sequences.upperBound).max()
            for range in writer.lost.ranges + writer.holes.ranges
            where end.map({ range.lowerBound <= $0 }) ?? own.isEmpty {
                times += own.times(around: range)
            }
        }
        for loss in report.uncounted {
            let own = loss.writer.flatMap { known[$0] } ?? []
            guard own.isEmpty || own.contains(where: { $0.appendTime < limit }) else { continue }
            times += own.times(of: loss.reason)
        }
        return times
    }
}

extension [BlockHeader] {
    private static var unknown: ClosedRange<Int64> { .min ... .min }

    /// For lines of a range: from what is known of their blocks, else from the last line before them and the
    /// first one after, and where that is nothing from what ends their run.
    fileprivate func times(around range: Range<UInt64>) -> [ClosedRange<Int64>] {
        let own = filter { !$0.flags.contains(.seal) && $0.sequences.overlaps(range) }
        var times = own.flatMap { [$0.leastEventTime, $0.greatestEventTime] }
        if !SequenceSet(uniting: own.map(\.sequences)).missing(in: range).isEmpty {
            for header in self where !header.flags.contains(.seal) {
                if header.sequences.upperBound == range.lowerBound {
                    times.append(header.greatestEventTime)
                } else if header.sequences.lowerBound == range.upperBound {
                    times.append(header.leastEventTime)
                }
            }
        }
        if let least = times.min(), let greatest = times.max() { return [least...greatest] }
        let runs = filter { $0.flags.contains(.seal) && $0.sequences.overlaps(range) }
        return [Self.unknown] + runs.map { $0.greatestEventTime...$0.greatestEventTime }
    }

    /// For lines that nobody can count.
    fileprivate func times(of reason: UncountedLoss.Reason) -> [ClosedRange<Int64>] {
        let last = self.max { $0.sequences.upperBound < $1.sequences.upperBound }
        guard let latest = last?.greatestEventTime else { return [Self.unknown] }
        switch reason {
        case .tail, .successor: return [latest...latest]
        // Others may have followed them, or not.
        case .head, .unreadable: return [Self.unknown, latest...latest]
        }
    }
}
