// The facts of features' reports: of what they tell only closed values get through.

package import EvalogFacts
package import EvalogText

/// What the inferences of one field may report, by name.
package typealias ReportCatalog = [String: [ReportValue]]

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
    ///     nothing gets through.
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
            return .catalog(
                CatalogFact(id: id, time: time, subject: subject(field), report: shaped(values)))
        case .gate(let isEnabled):
            return .gate(GateFact(id: id, time: time, isOnDeviceAIEnabled: isEnabled))
        }
    }

    private mutating func listed(
        _ values: [String: ReportedValue], in catalog: ReportCatalog
    ) -> [FormInferenceFact.Member] {
        var members: [FormInferenceFact.Member] = []
        for (name, reported) in sorted(values) {
            let value = ReportValue(reported)
            if catalog[name]?.contains(value) == true {
                members.append(.init(name: name, value: value))
            } else {
                unlistedCount += 1
            }
        }
        return members
    }

    private mutating func shaped(
        _ catalog: [String: [ReportedValue]]
    ) -> [CatalogFact.Member] {
        var members: [CatalogFact.Member] = []
        for (name, values) in sorted(catalog) {
            let values = values.map { ReportValue($0) }
            if Self.fits(name, values), members.count < FactLimits.reportFieldCountMax {
                members.append(.init(name: name, values: values))
            } else {
                unlistedCount += 1
            }
        }
        return members
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

extension CatalogFact {
    /// What is left of the catalog once it is a fact: nothing else may be reported.
    var catalog: ReportCatalog {
        Dictionary(report.map { ($0.name, $0.values) }, uniquingKeysWith: { first, _ in first })
    }
}
