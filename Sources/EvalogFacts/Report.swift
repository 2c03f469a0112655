// Reports: answers that an author opted in to. Their form is checked once, then they are walked.

import EvalogText

/// A value of a report, lent.
package enum ReportValueView {
    case text(FactView.Text)
    case flag(Bool)

    /// The value as text: a flag is `true` or `false`.
    package var text: FactView.Text {
        switch self {
        case .text(let text): text
        case .flag(let flag): flag ? Self.trueText : Self.falseText
        }
    }

    private static var trueText: FactView.Text { bytes(of: "true") }
    private static var falseText: FactView.Text { bytes(of: "false") }

    private static func bytes(of text: StaticString) -> FactView.Text {
        FactView.Text(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}

extension FactView {
    /// Calls `body` with each field of a ``report`` and each value of it, in the order of the line.
    ///
    /// In a `form_inference` a field has one value, in a `catalog` any number, each a call.
    package static func forEachValue(
        ofReport report: Text, _ body: (_ field: Text, _ value: ReportValueView) -> Void
    ) {
        forEachField(ofReport: report) { field, values in
            var values = values
            values.forEachScalar { body(field, $0) }
        }
    }

    /// Calls `body` with each field of a report and a scanner before its value.
    static func forEachField(
        ofReport report: Text, _ body: (_ field: Text, _ value: JSONScanner) -> Void
    ) {
        guard !report.isEmpty else { return }
        var scanner = JSONScanner(report)
        // The decoder has checked every byte of the report, so nothing is thrown here.
        try? scanner.beginObject()
        while let key = try? scanner.nextKey() {
            scanner.withValue(of: key) { body($0, scanner) }
            _ = try? scanner.skipValue()
        }
    }
}

extension JSONScanner {
    /// Takes a scalar, or an array and calls `body` with each of its scalars.
    mutating func forEachScalar(_ body: (ReportValueView) -> Void) {
        switch try? valueKind() {
        case .string:
            guard let string = try? string() else { return }
            withValue(of: string) { body(.text($0)) }
        case .bool:
            guard let flag = try? bool() else { return }
            body(.flag(flag))
        case .array:
            try? beginArray()
            while (try? nextElement()) == true { forEachScalar(body) }
        default: return
        }
    }
}

/// Tells whether a report holds nothing but names and values of their shapes.
struct ReportCheck {
    enum Verdict {
        case fits, misfits
        case repeatsField(at: Int)
    }

    private var names: [FactView.Text] = []

    /// - Parameter report: A scanner before the object, which is known to be JSON.
    mutating func check(
        _ report: JSONScanner, listsValues: Bool, in fields: LineFields<FactField>
    ) -> Verdict {
        names.removeAll(keepingCapacity: true)
        var scanner = report
        do {
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                let name = fields.text(key)
                if names.contains(where: { $0.count == name.count && $0.elementsEqual(name) }) {
                    return .repeatsField(at: key.range.lowerBound)
                }
                names.append(name)
                guard names.count <= FactLimits.reportFieldCountMax, Shape.usage.fits(name),
                    try listsValues ? listFits(&scanner) : scalarFits(&scanner)
                else { return .misfits }
            }
            return .fits
        } catch {
            return .misfits
        }
    }

    private func listFits(_ scanner: inout JSONScanner) throws(TextError) -> Bool {
        guard try scanner.valueKind() == .array else { return false }
        var count = 0
        try scanner.beginArray()
        while try scanner.nextElement() {
            count += 1
            guard count <= FactLimits.catalogValueCountMax, try scalarFits(&scanner) else {
                return false
            }
        }
        return true
    }

    private func scalarFits(_ scanner: inout JSONScanner) throws(TextError) -> Bool {
        switch try scanner.valueKind() {
        case .bool:
            _ = try scanner.bool()
            return true
        case .string:
            let string = try scanner.string()
            return scanner.withValue(of: string) { Shape.reportValue.fits($0) }
        default: return false
        }
    }
}
