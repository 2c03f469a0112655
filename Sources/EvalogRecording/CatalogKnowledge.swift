// What a recorder knows of the catalogs of form fields, and which of them its lines tell.

/// What inferences of each field may report, as its catalog said last.
struct CatalogKnowledge: Sendable {
    private var known = Self.none
    /// Those that the writer took; in a suspension those that wait.
    private var written = Self.none

    private static var none: Recent<String, ReportCatalog> {
        Recent(countMax: RecordingLimits.rememberedCatalogCount)
    }

    /// Nil for a field whose catalog never came, or not lately.
    subscript(field: String) -> ReportCatalog? { known[field] }

    mutating func learn(_ catalog: ReportCatalog, of field: String) {
        known.remember(field, catalog)
    }

    /// Whether a line says so already.
    func isWritten(_ catalog: ReportCatalog, of field: String) -> Bool { written[field] == catalog }

    /// The log took a line that says so.
    mutating func wrote(_ catalog: ReportCatalog, of field: String) {
        written.remember(field, catalog)
    }

    /// The lines that told them may be gone, or are another writer's.
    mutating func forgetWritten() { written = Self.none }
}
