// Hides the rows of a summary from which somebody could learn about few sessions.

/// Rows of fewer than a number of distinct sessions, and as many beside them as subtraction asks for.
///
/// Rows add up in two ways. The values of a property, with the successes that report none of it,
/// add up to the successes of the field. Whoever knows the sum of what is hidden of these must
/// learn about enough sessions at once. So the smallest rows that are left are hidden as well, until
/// the hidden ones together have enough sessions, or none is left. And fields of one form are submitted
/// together: successes and failures of each add up to one number, which another field may show. So
/// with the one of a field the other goes, and its values, wherever its form has another field.
package struct SmallCells {
    private let sessionCountMin: Int
    private var summary: VendorSummary
    private var hiddenCount = 0

    /// - Returns: The summary of events without these rows, and how many they were.
    package static func summary(
        of events: [(window: ReportWindow, event: VendorEvent)], fewerThan sessionCountMin: Int
    ) -> (summary: VendorSummary, hiddenCount: Int) {
        var cells = Self(sessionCountMin: sessionCountMin, summary: VendorSummary(events))
        for (window, events) in Dictionary(grouping: events, by: \.window) {
            let events = events.map(\.event)
            var hidden = Set(cells.smallCells(of: window))
            let byField = Dictionary(grouping: events, by: \.body.field)
            for case (let field?, let events) in byField {
                let isAlone = !byField.keys.contains { $0 != field && $0?.form == field.form }
                if !isAlone { cells.hideResults(&hidden, of: field, in: window) }
                cells.hideBeside(&hidden, of: field, in: window, events)
            }
            cells.hiddenCount += cells.summary.hide(
                { cell, _ in hidden.contains(cell) }, in: window)
        }
        return (cells.summary, cells.hiddenCount)
    }

    private init(sessionCountMin: Int, summary: VendorSummary) {
        self.sessionCountMin = sessionCountMin
        self.summary = summary
    }

    private func smallCells(of window: ReportWindow) -> [SummaryCell] {
        (summary.rows[window] ?? [:]).filter { $0.value.sessions.count < sessionCountMin }.map(
            \.key)
    }

    /// Hides a field altogether where one of its results is hidden for its few sessions.
    private func hideResults(
        _ hidden: inout Set<SummaryCell>, of field: FormField, in window: ReportWindow
    ) {
        let rows = summary.rows[window] ?? [:]
        let results = [ResultName.success, .failed].map { SummaryCell.inference(field, $0) }
        let unseen = results.filter(hidden.contains).reduce(into: Set<RandomID>()) {
            $0.formUnion(rows[$1]?.sessions ?? [])
        }
        guard !unseen.isEmpty, unseen.count < sessionCountMin else { return }
        hidden.formUnion(results)
        hidden.formUnion(rows.keys.filter { $0.value(of: field) != nil })
    }

    private func hideBeside(
        _ hidden: inout Set<SummaryCell>, of field: FormField, in window: ReportWindow,
        _ events: [VendorEvent]
    ) {
        let rows = summary.rows[window] ?? [:]
        let cells = rows.keys.filter { $0.value(of: field) != nil }
        let byProperty = Dictionary(grouping: cells) { $0.value(of: field)?.property }
        for (property, cells) in byProperty {
            guard let property else { continue }
            var unseen = events.sessionsWithout(property)
            for cell in cells where hidden.contains(cell) {
                unseen.formUnion(rows[cell]?.sessions ?? [])
            }
            var shown = cells.filter { !hidden.contains($0) }.sorted { left, right in
                let counts = [left, right].map { rows[$0]?.sessions.count ?? 0 }
                return counts[0] != counts[1]
                    ? counts[0] < counts[1] : SummaryCell.precedes(left, right)
            }
            while !unseen.isEmpty, unseen.count < sessionCountMin, !shown.isEmpty {
                let next = shown.removeFirst()
                hidden.insert(next)
                unseen.formUnion(rows[next]?.sessions ?? [])
            }
        }
    }
}

extension SummaryCell {
    /// The value that the row counts, if it counts one of this field.
    fileprivate func value(of field: FormField) -> ListedValue? {
        guard case .value(field, let value) = self else { return nil }
        return value
    }
}

extension VendorEvent.Body {
    fileprivate var field: FormField? {
        guard case .inference(let field, _) = self else { return nil }
        return field
    }
}

extension [VendorEvent] {
    /// Sessions with a success that reports nothing of a property.
    fileprivate func sessionsWithout(_ property: Identifier) -> Set<RandomID> {
        Set(
            filter { event in
                guard case .inference(_, .success(let values)) = event.body else { return false }
                return !values.contains { $0.property == property }
            }.map(\.session))
    }
}
