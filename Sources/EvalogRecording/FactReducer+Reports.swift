// The facts of features' reports: of what they tell only closed values get through.

package import EvalogFacts
package import EvalogText

/// What the inferences of one field may report, by the property's path in the schema.
package typealias ReportCatalog = [String: CatalogFact.Member]

extension FactReducer {
    /// Stands for the evaluation of an inference that had none: the nil UUID, which names nothing.
    package static let noEvaluation = UniqueID(high: 0, low: 0)

    /// Whether the fact of this report holds a digest.
    package static func needsKey(for report: FeatureReport) -> Bool {
        if report.session.map({ parsed($0) == nil }) ?? false { return true }
        if report.id.map({ UniqueID(text: $0) == nil }) ?? false { return true }
        switch report.kind {
        case .suppressed(let evaluation, let message, _):
            return UniqueID(text: evaluation) == nil || !Shape.subject.fits(message)
        case .formInference(let evaluation, let field, _, _):
            return evaluation.map { UniqueID(text: $0) == nil } ?? false
                || !Shape.subject.fits(field)
        case .catalog(let field, _): return !Shape.subject.fits(field)
        case .gate: return false
        }
    }

    /// The fact of a report.
    ///
    /// - Parameters:
    ///   - id: Taken where the report has none.
    ///   - time: Taken where the report has none. µs since 1970.
    ///   - catalog: What the field's inferences may report; nil where nobody said, and then
    ///     nothing of an inference gets through. Of a catalog: what was made of it, if it was.
    package mutating func fact(
        of report: FeatureReport, id: @autoclosure () -> UniqueID, time: Int64,
        catalog: ReportCatalog?
    ) -> Fact {
        let id = report.id.flatMap { identified($0) } ?? id()
        let time = report.time ?? time
        switch report.kind {
        case .suppressed(let evaluation, let message, let missBehavior):
            var fact = SuppressionFact(
                id: id, time: time, evaluation: identified(evaluation) ?? Self.noEvaluation,
                missBehavior: MissBehavior(words: missBehavior) ?? .other)
            fact.subject = subject(message)
            fact.session = report.session.flatMap { session($0) }
            return .aiSuppressed(fact)
        case .formInference(let evaluation, let field, let isSuccess, let values):
            var fact = FormInferenceFact(
                id: id, time: time,
                evaluation: evaluation.flatMap { identified($0) } ?? Self.noEvaluation,
                status: isSuccess ? .success : .failure)
            fact.subject = subject(field)
            fact.session = report.session.flatMap { session($0) }
            fact.report = listed(values, in: catalog ?? [:])
            return .formInference(fact)
        case .catalog(let field, let values):
            let members = (catalog ?? reportable(values)).map { ($0.value.name, $0.value) }
            return .catalog(
                CatalogFact(
                    id: id, time: time, subject: subject(field),
                    report: sorted(Dictionary(uniqueKeysWithValues: members)).map(\.value)))
        case .gate(let isEnabled):
            return .gate(GateFact(id: id, time: time, isOnDeviceAIEnabled: isEnabled))
        }
    }

    /// What a catalog lets through. Of two properties that would have one name in facts neither
    /// gets it: nobody could tell whose the value is.
    package mutating func reportable(_ values: [String: [ReportedValue]]) -> ReportCatalog {
        let paths = Dictionary(grouping: values.keys) { FactName.of(path: $0) ?? "" }
        var catalog: ReportCatalog = [:]
        for (name, paths) in sorted(paths) {
            guard paths.count == 1, let listed = values[paths[0]]?.map({ ReportValue($0) }),
                Self.fits(name, listed), catalog.count < FactLimits.reportFieldCountMax
            else {
                unlistedCount += paths.count
                continue
            }
            catalog[paths[0]] = CatalogFact.Member(name: name, values: listed)
        }
        return catalog
    }

    private mutating func listed(
        _ values: [String: ReportedValue], in catalog: ReportCatalog
    ) -> [FormInferenceFact.Member] {
        var members: [String: ReportValue] = [:]
        for (path, reported) in values {
            let value = ReportValue(reported)
            if let member = catalog[path], member.values.contains(value) {
                members[member.name] = value
            } else {
                unlistedCount += 1
            }
        }
        return sorted(members).map { .init(name: $0.key, value: $0.value) }
    }

    private static func fits(_ name: String, _ values: [ReportValue]) -> Bool {
        Shape.usage.fits(name) && values.count <= FactLimits.catalogValueCountMax
            && values.allSatisfy { value in
                if case .text(let text) = value { Shape.reportValue.fits(text) } else { true }
            }
    }

    /// By the bytes of the names: a dictionary's own order changes from run to run.
    private func sorted<Value>(_ members: [String: Value]) -> [(key: String, value: Value)] {
        members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}

extension ReportValue {
    fileprivate init(_ value: ReportedValue) {
        switch value {
        case .text(let text): self = .text(text)
        case .flag(let flag): self = .flag(flag)
        }
    }
}
