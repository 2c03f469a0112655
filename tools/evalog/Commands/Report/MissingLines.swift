// Which lines of a log are not there, as far as that matters for a report: any of them may have told
// that on-device AI was off.

import EvalogLog
import EvalogReplay
import EvalogText
import VendorSink

extension VendorCollector {
    /// Tells of all that is missing.
    ///
    /// - Parameter catalog: The headers, which say when lines were written that cannot be read.
    func miss(what report: ReadReport, lacksOf catalog: LogCatalog) {
        // Also what retention deleted at the beginning: what a writer told there is not known.
        for (writer, lines) in report.position[.facts] {
            for range in lines.ranges where range.lowerBound > 1 {
                miss(linesBefore: range.lowerBound, of: UniqueID(writer))
            }
        }
        // Of the whole log retention takes no last word (`GateKeeping`), so only losses matter.
        let headers = Dictionary(grouping: catalog.headers.lazy.map(\.header), by: \.writer)
        for writer in report.writers {
            let own = headers[writer.writer] ?? []
            for range in writer.lost.ranges + writer.holes.ranges {
                let times = own.times(around: range)
                for time in times.isEmpty ? [.min] : times { miss(linesSince: time) }
            }
        }
        for loss in report.uncounted {
            let last = loss.writer.flatMap { headers[$0] }?.max { $0.first < $1.first }
            miss(linesSince: last?.greatestEventTime ?? .min)
        }
    }
}

extension [BlockHeader] {
    /// When lines of a range may have been written: the times of what is known of their blocks, of the last
    /// line before them and of the first one after.
    fileprivate func times(around range: Range<UInt64>) -> [Int64] {
        flatMap { header -> [Int64] in
            if header.sequences.overlaps(range) {
                [header.leastEventTime, header.greatestEventTime]
            } else if header.sequences.upperBound == range.lowerBound {
                [header.greatestEventTime]
            } else if header.sequences.lowerBound == range.upperBound {
                [header.leastEventTime]
            } else {
                []
            }
        }
    }
}
