// The windows of a summary.

import EvalogMetrics
import VendorSink

/// The windows of a summary, as the flags ask for them.
final class ReportWindows {
    private var grid: WindowGrid
    /// The flags that mean the same.
    let text: String

    init(_ rules: MetricsRules) throws {
        text = "--window \(rules.window.text) --timezone \(rules.timeZone)"
        grid = try WindowGrid(rules.window, timeZone: rules.timeZone)
    }

    /// The window of a time in µs since 1970.
    subscript(time: Int64) -> ReportWindow {
        let window = grid.window(of: time)
        return ReportWindow(start: window.start, end: window.end)
    }
}
