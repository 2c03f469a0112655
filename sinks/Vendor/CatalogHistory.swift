// Which values a field's reports may have, and when. A value leaves only as a member of such a set.

import EvalogFacts
import EvalogText

/// A property and a value of it, of the form that both have in a list of such values.
struct FormedValue: Hashable {
    fileprivate let property: Identifier
    fileprivate let value: Value

    fileprivate enum Value: Hashable, Sendable {
        /// UTF-8, compared byte for byte.
        case text([UInt8])
        case flag(Bool)
    }

    /// Nil for what no list can have.
    init?(_ property: UnsafeRawBufferPointer, _ value: ReportValueView) {
        guard Shape.usage.fits(property), let name = Identifier(property) else { return nil }
        self.property = name
        switch value {
        case .flag(let flag): self.value = .flag(flag)
        case .text(let text):
            guard Shape.reportValue.fits(text) else { return nil }
            self.value = .text(Array(text))
        }
    }
}

/// A property and a value of it that a list of such values has: it comes from nowhere else.
package struct ListedValue: Hashable, Sendable {
    /// Of the properties that ``Shape/usage`` lets through, as a regular expression.
    package static let propertyPattern: StaticString = "^[a-z][a-z0-9_]{0,63}$"

    package let property: Identifier
    fileprivate let value: FormedValue.Value

    /// All that a catalog lists.
    ///
    /// - Parameter catalog: A JSON object of arrays that was checked.
    static func all(in catalog: FactView.Text) -> Set<Self> {
        var values: Set<Self> = []
        FactView.forEachValue(ofReport: catalog) { property, value in
            if let formed = FormedValue(property, value) { values.insert(Self(formed)) }
        }
        return values
    }

    /// What a report has of the values of a list, by property, and how many it has besides.
    static func admit(
        _ report: EventLine.Values, from listed: Set<Self>
    ) -> (values: [Self], refusedCount: Int) {
        let values = report.formed.map { Self($0) }.filter(listed.contains)
        let refusedCount = report.otherCount + report.formed.count - values.count
        return (values.sorted(by: precedes), refusedCount)
    }

    private init(_ formed: FormedValue) {
        property = formed.property
        value = formed.value
    }

    /// Whether it is a flag or has the form of a name, so that no sentence and no address has it.
    var isName: Bool {
        switch value {
        case .text(let text): text.withUnsafeBytes { Identifier($0) } != nil
        case .flag: true
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
        key(value.property)
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

/// What the lines of one id say that a field's reports may have.
struct CatalogLines {
    fileprivate let time: Int64
    fileprivate var lists: [FormField: Set<ListedValue>]

    init(time: Int64, _ field: FormField, _ list: Set<ListedValue>) {
        self.time = time
        lists = [field: list]
    }

    /// Adds further lines: the oldest of them count, and of several of one time only what all of them
    /// list.
    mutating func formUnion(_ other: Self) {
        if other.time < time {
            self = other
        } else if other.time == time {
            lists.merge(other.lists) { $0.intersection($1) }
        }
    }
}

/// The catalogs of all fields.
///
/// In force for an event is the latest catalog that is not younger than the event. Of several of one
/// time only what all of them list is listed: more would let a second line widen what the first
/// allows.
struct CatalogHistory {
    private let timelines: [FormField: Timeline<Int64, Set<ListedValue>>]

    init(_ catalogs: some Sequence<CatalogLines>) {
        var lists: [FormField: [(point: Int64, state: Set<ListedValue>)]] = [:]
        for catalog in catalogs {
            for (field, list) in catalog.lists {
                lists[field, default: []].append((catalog.time, list))
            }
        }
        timelines = lists.mapValues { Timeline($0) { $0.intersection($1) } }
    }

    /// The values that a field may report at a time; nil where it had no catalog yet.
    func values(of field: FormField, at time: Int64) -> Set<ListedValue>? {
        timelines[field]?.state(at: time)?.state
    }

    /// All that any catalog has ever listed, by field.
    var everything: [FormField: Set<ListedValue>] {
        timelines.mapValues { $0.states.reduce(into: []) { $0.formUnion($1) } }
    }
}
