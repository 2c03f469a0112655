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
        // Of the whole log retention takes no last word (`RetentionNotes`), so only losses matter.
        for times in catalog.lossTimes(in: report) { miss(linesFrom: times) }
    }
}
