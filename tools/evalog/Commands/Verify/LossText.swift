// The words for what is lost and cannot be counted.

import EvalogLog

enum LossText {
    /// What goes behind a count of lost lines.
    static func beyond(_ fileCount: Int) -> String {
        fileCount == 0 ? "" : ", an unknown number more in \(Figures.counted(fileCount, "file"))"
    }

    static func of(_ loss: UncountedLoss) -> String {
        let owner = loss.writer.map { " of writer \($0)" } ?? ""
        return "an unknown number of lines\(owner) in \(loss.segment): \(reason(loss.reason))"
    }

    private static func reason(_ reason: UncountedLoss.Reason) -> String {
        switch reason {
        case .unreadable: "nothing in it can be read"
        case .head: "its head is damaged, and nothing before it is there"
        case .tail: "its end is damaged, and nothing tells how its writer went on"
        case .successor: "its writer went on, and what followed is not there"
        }
    }
}
