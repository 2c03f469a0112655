// Tables as one page that needs nothing else: no network, no server, no other file.

package import EvalogMetrics
import EvalogText

/// The bytes of a page: the tables as data, and what draws them.
///
/// What a reader chooses on the page is counted on the page, by the rules of docs/metrics.md, from the
/// same rows and bins that the CSV has.
package struct HTMLExport {
    /// The name of the file.
    package static let name = "evalog.html"

    private let data: PageData

    /// - Parameters:
    ///   - exportTime: When the log was read, in µs since 1970; the page says so.
    ///   - version: Of evalog; the page says so.
    ///   - refreshSeconds: How often the page loads itself again; 0 for never.
    package init(
        _ tables: MetricsTables, exportTime: Int64, version: String, refreshSeconds: Int = 0
    ) {
        data = PageData(
            tables: tables, exportTime: exportTime, version: version, refreshSeconds: refreshSeconds
        )
    }

    /// Hands the page over in pieces.
    package func write<Failure: Error>(
        to emit: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        for piece in Template.pieces {
            let bytes =
                switch piece {
                case .text(let bytes): bytes
                case .data: data.bytes
                }
            try bytes.lend(to: emit)
        }
    }
}

/// The page without its data.
private enum Template {
    enum Piece {
        case text([UInt8])
        /// Where the data stand.
        case data
    }

    /// The page with its style and scripts put in where it says `@@name@@`.
    static let pieces: [Piece] = {
        let mark = Array("@@".utf8)
        let parts: [String: [UInt8]] = [
            "page.css": PackageResources.page_css, "figures.js": PackageResources.figures_js,
            "charts.js": PackageResources.charts_js, "page.js": PackageResources.page_js,
        ]
        return PackageResources.page_html.split(separator: mark, omittingEmptySubsequences: false)
            .enumerated().map { place, text in
                if place.isMultiple(of: 2) { return .text(Array(text)) }
                let name = String(decoding: text, as: UTF8.self)
                return parts[name].map(Piece.text) ?? .data
            }
    }()
}
