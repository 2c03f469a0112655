// Which values a field's reports may have, and when. A value leaves only as a member of such a set.

import EvalogFacts
import EvalogText

/// A property and a value of it that a list of such values has: it comes from nowhere else.
package struct ListedValue: Hashable, Sendable {
    package let property: Identifier
    fileprivate let value: Value

    fileprivate enum Value: Hashable, Sendable {
        /// UTF-8, compared byte for byte.
        case text([UInt8])
        case flag(Bool)
    }

    /// All that a catalog lists.
    ///
    /// - Parameter catalog: A JSON object of arrays that was checked.
    static func all(in catalog: FactView.Text) -> Set<Self> {
        var values: Set<Self> = []
        FactView.forEachValue(ofReport: catalog) { property, value in
            if let listed = Self(naming: property, value) { values.insert(listed) }
        }
        return values
    }

    /// What a report has of the values of a list, by property, and how many it has besides.
    static func admit(
        _ report: FactView.Text, from listed: Set<Self>
    ) -> (values: [Self], refusedCount: Int) {
        var values: [Self] = []
        var refusedCount = 0
        FactView.forEachValue(ofReport: report) { property, value in
            if let named = Self(naming: property, value), listed.contains(named) {
                values.append(named)
            } else {
                refusedCount += 1
            }
        }
        return (values.sorted(by: precedes), refusedCount)
    }

    /// Names a value; whether a list has it is for the caller to find out.
    fileprivate init?(naming property: UnsafeRawBufferPointer, _ value: ReportValueView) {
        guard Shape.usage.fits(property), let name = Identifier(property) else { return nil }
        self.property = name
        switch value {
        case .flag(let flag): self.value = .flag(flag)
        case .text(let text):
            guard Shape.reportValue.fits(text) else { return nil }
            self.value = .text(Array(text))
        }
    }

    /// The value as UTF-8: a flag is `true` or `false`.
    var text: [UInt8] {
        switch value {
        case .text(let text): text
        case .flag(let flag): Array(ReportValueView.flag(flag).text)
        }
    }

    /// By property, then texts by their bytes, then flags.
    static func precedes(_ left: Self, _ right: Self) -> Bool {
        guard left.property == right.property else { return left.property < right.property }
        switch (left.value, right.value) {
        case (.text(let left), .text(let right)): return left.lexicographicallyPrecedes(right)
        case (.text, .flag): return true
        case (.flag, .text): return false
        case (.flag(let left), .flag(let right)): return left && !right
        }
    }
}

extension JSONWriter {
    /// A member of an object: the property and its value.
    mutating func listed(_ value: ListedValue) {
        value.property.withText { name in key(String(decoding: name, as: UTF8.self)) }
        member(value)
    }

    /// The value alone.
    mutating func member(_ value: ListedValue) {
        switch value.value {
        case .text(let text): text.withUnsafeBytes { string($0) }
        case .flag(let flag): bool(flag)
        }
    }
}

/// The catalogs of all fields in the order of their times.
///
/// In force for an event is the latest catalog that is not younger than the event. Of several of one
/// time only what all of them list is listed: which was written first nobody knows, and more would
/// let a second line widen what the first allows.
struct CatalogHistory {
    private struct Entry {
        var time: Int64
        var values: Set<ListedValue>
    }

    /// Sorted by time once ``sort()`` was called.
    private var entries: [FormField: [Entry]] = [:]

    /// - Parameter view: A `catalog` fact; one of no field is passed over.
    mutating func add(_ view: borrowing FactView) {
        guard let place = FormField(view.subject) else { return }
        let entry = Entry(time: view.time, values: ListedValue.all(in: view.report))
        entries[place, default: []].append(entry)
    }

    /// Call it after the last ``add(_:)``.
    mutating func sort() {
        entries = entries.mapValues { list in
            var sorted: [Entry] = []
            for entry in list.sorted(by: { $0.time < $1.time }) {
                if let last = sorted.last, last.time == entry.time {
                    sorted[sorted.count - 1].values = last.values.intersection(entry.values)
                } else {
                    sorted.append(entry)
                }
            }
            return sorted
        }
    }

    /// The values that a field may report at a time; nil where it had no catalog yet.
    func values(of place: FormField, at time: Int64) -> Set<ListedValue>? {
        guard let list = entries[place] else { return nil }
        var low = 0
        var high = list.count
        while low < high {
            let middle = (low + high) / 2
            if list[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : list[low - 1].values
    }

    /// All that any catalog has ever listed, by field.
    var everything: [FormField: Set<ListedValue>] {
        entries.mapValues { $0.reduce(into: []) { $0.formUnion($1.values) } }
    }
}
