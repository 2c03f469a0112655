// The line of a fact: keys in the order of schemas/fact-v1.schema.json, absent members absent.

import EvalogText

extension Fact {
    /// Appends the fact as one line, without its line feed.
    ///
    /// This is the only way out for a fact, so shapes are enforced here once more: a text that does
    /// not fit is written as `other`, a subject or report that does not fit is left out.
    package func encode(into buffer: inout [UInt8]) {
        JSONWriter.append(to: &buffer) { json in
            json.beginObject()
            switch self {
            case .evaluation(let fact): fact.writeMembers(to: &json)
            case .aiSuppressed(let fact): fact.writeMembers(to: &json)
            case .formInference(let fact): fact.writeMembers(to: &json)
            case .catalog(let fact): fact.writeMembers(to: &json)
            case .gate(let fact): fact.writeMembers(to: &json)
            case .logGap(let fact): fact.writeMembers(to: &json)
            case .testResult(let fact): fact.writeMembers(to: &json)
            }
            json.endObject()
        }
    }
}

extension EvaluationFact {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.head(.evaluation, id, time)
        json.member(.usage, usage, .usage)
        json.member(.subject, subject)
        json.member(.session, session)
        json.member(.model, model, .model)
        json.member(.os, os, .os)
        json.member(.device, device, .device)
        json.member(.app, app, .app)
        json.member(.outcome, outcome)
        json.member(.reason, reason)
        json.member(.detail, detail)
        json.member(.error, error)
        let isInRange = duration.map { (0...Decimal.durationMax).contains($0) } ?? true
        if isDurationInvalid || !isInRange {
            json.member(.durationInvalid, true)
        } else if let duration {
            json.member(.duration, duration)
        }
        json.member(.attempts, min(max(Int64(attempts), 0), FactLimits.attemptsMax))
        if !isDecoded { json.member(.decoded, false) }
        if isTimeAssumed {
            json.key(FactField.assumed.name)
            json.beginArray()
            json.string(FactField.time.name)
            json.endArray()
        }
    }
}

extension SuppressionFact {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.head(.aiSuppressed, id, time)
        json.member(.evaluation, evaluation)
        json.member(.subject, subject)
        json.member(.session, session)
        json.member(.missBehavior, missBehavior)
    }
}

extension FormInferenceFact {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.head(.formInference, id, time)
        json.member(.evaluation, evaluation)
        json.member(.subject, subject)
        json.member(.session, session)
        json.member(.status, status)
        guard !report.isEmpty, reportFits(report.map { ($0.name, [$0.value]) }) else { return }
        json.key(FactField.report.name)
        json.beginObject()
        for member in report {
            json.key(member.name)
            json.value(member.value)
        }
        json.endObject()
    }
}

extension CatalogFact {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.head(.catalog, id, time)
        json.member(.subject, subject)
        json.key(FactField.report.name)
        json.beginObject()
        if reportFits(report.map { ($0.name, $0.values) }) {
            for member in report {
                json.key(member.name)
                json.beginArray()
                for value in member.values { json.value(value) }
                json.endArray()
            }
        }
        json.endObject()
    }
}

extension GateFact {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.head(.gate, id, time)
        json.member(.session, session)
        json.member(.onDeviceAI, isOnDeviceAIEnabled)
    }
}

extension LogGapFact {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.head(.logGap, id, time)
        json.member(.stream, stream)
        json.key(FactField.since.name)
        json.time(since)
        json.member(.refused, max(refused, 0))
        json.member(.cause, cause)
    }
}

extension TestResultFact {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.head(.testResult, id, time)
        json.member(.evaluation, evaluation)
        json.member(.session, session)
        json.member(.suite, suite, .testName)
        if let suiteDigest, Shape.suiteDigest.fits(suiteDigest) {
            json.member(.suiteDigest, suiteDigest, .suiteDigest)
        }
        json.member(.testCase, testCase, .testName)
        json.member(.task, task, .usage)
        json.member(.repetition, min(max(Int64(repetition), 1), FactLimits.repetitionMax))
        json.member(.verdict, verdict)
        json.member(.failure, failure)
    }
}

private func reportFits(_ report: [(name: String, values: [ReportValue])]) -> Bool {
    report.count <= FactLimits.reportFieldCountMax
        && Set(report.map(\.name)).count == report.count
        && report.allSatisfy { name, values in
            Shape.usage.fits(name) && values.count <= FactLimits.catalogValueCountMax
                && values.allSatisfy { value in
                    if case .text(let text) = value { Shape.reportValue.fits(text) } else { true }
                }
        }
}

extension JSONWriter {
    fileprivate mutating func head(_ kind: FactKind, _ id: UniqueID, _ time: Int64) {
        member(.version, 1)
        member(.type, kind)
        member(.id, id)
        key(FactField.time.name)
        self.time(time)
    }

    fileprivate mutating func member(_ field: FactField, _ text: String?, _ shape: Shape) {
        guard let text else { return }
        key(field.name)
        if shape.fits(text) { string(text) } else { string(Shape.other) }
    }

    fileprivate mutating func member(_ field: FactField, _ subject: String?) {
        guard let subject, Shape.subject.fits(subject) else { return }
        key(field.name)
        string(subject)
    }

    fileprivate mutating func member(_ field: FactField, _ session: SessionID?) {
        guard let session else { return }
        key(field.name)
        string(session.text)
    }

    fileprivate mutating func member(_ field: FactField, _ value: (some ClosedList)?) {
        guard let value else { return }
        key(field.name)
        string(value.name)
    }

    fileprivate mutating func member(_ field: FactField, _ value: UniqueID) {
        key(field.name)
        id(value)
    }

    fileprivate mutating func member(_ field: FactField, _ value: Int64) {
        key(field.name)
        integer(value)
    }

    fileprivate mutating func member(_ field: FactField, _ value: Bool) {
        key(field.name)
        bool(value)
    }

    fileprivate mutating func value(_ value: ReportValue) {
        switch value {
        case .text(let text): string(text)
        case .flag(let flag): bool(flag)
        }
    }
}
