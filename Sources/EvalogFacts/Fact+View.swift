// Copies of lent facts.

import EvalogText

extension Fact {
    /// Copies a decoded line; nil for one of an unknown type, of which nothing may be kept.
    package init?(_ view: FactView) {
        switch view.kind {
        case .evaluation: self = .evaluation(EvaluationFact(view))
        case .aiSuppressed: self = .aiSuppressed(SuppressionFact(view))
        case .formInference: self = .formInference(FormInferenceFact(view))
        case .catalog: self = .catalog(CatalogFact(view))
        case .gate:
            var fact = GateFact(
                id: view.id, time: view.time, isOnDeviceAIEnabled: view.isOnDeviceAIEnabled)
            fact.session = view.session
            self = .gate(fact)
        case .logGap:
            self = .logGap(
                LogGapFact(
                    id: view.id, time: view.time, stream: view.stream, since: view.since,
                    refused: view.refused, cause: view.cause))
        case .testResult: self = .testResult(TestResultFact(view))
        case .unknown: return nil
        }
    }
}

extension EvaluationFact {
    fileprivate init(_ view: FactView) {
        self.init(
            id: view.id, time: view.time, usage: string(view.usage) ?? "", outcome: view.outcome,
            attempts: view.attempts)
        isTimeAssumed = view.isTimeAssumed
        subject = string(view.subject)
        session = view.session
        model = string(view.model)
        os = string(view.os)
        device = string(view.device)
        app = string(view.app)
        reason = view.reason
        detail = view.detail
        error = view.error
        duration = view.duration
        isDurationInvalid = view.isDurationInvalid
        isDecoded = view.isDecoded
    }
}

extension SuppressionFact {
    fileprivate init(_ view: FactView) {
        self.init(
            id: view.id, time: view.time, evaluation: view.evaluation ?? UniqueID(high: 0, low: 0),
            missBehavior: view.missBehavior)
        subject = string(view.subject)
        session = view.session
    }
}

extension FormInferenceFact {
    fileprivate init(_ view: FactView) {
        self.init(
            id: view.id, time: view.time, evaluation: view.evaluation ?? UniqueID(high: 0, low: 0),
            status: view.status)
        subject = string(view.subject)
        session = view.session
        FactView.forEachValue(ofReport: view.report) { field, value in
            report.append(Member(name: string(field) ?? "", value: ReportValue(value)))
        }
    }
}

extension TestResultFact {
    fileprivate init(_ view: FactView) {
        self.init(
            id: view.id, time: view.time, evaluation: view.evaluation ?? UniqueID(high: 0, low: 0),
            suite: string(view.suite) ?? "", testCase: string(view.testCase) ?? "",
            task: string(view.task) ?? "", repetition: view.repetition, verdict: view.verdict)
        session = view.session
        suiteDigest = string(view.suiteDigest)
        failure = view.failure
    }
}

extension CatalogFact {
    fileprivate init(_ view: FactView) {
        self.init(id: view.id, time: view.time, subject: string(view.subject), report: [])
        FactView.forEachField(ofReport: view.report) { name, list in
            var list = list
            var values: [ReportValue] = []
            list.forEachScalar { values.append(ReportValue($0)) }
            report.append(Member(name: string(name) ?? "", values: values))
        }
    }
}

extension ReportValue {
    init(_ view: ReportValueView) {
        switch view {
        case .text(let text): self = .text(String(decoding: text, as: UTF8.self))
        case .flag(let flag): self = .flag(flag)
        }
    }
}

private func string(_ text: FactView.Text) -> String? {
    text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
}
