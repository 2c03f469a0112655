// From the bytes of one line to a FactView, tolerant where the design says so: the hot path.

import EvalogText

/// Decodes fact lines one after the other, allocating only for escapes longer than any before.
///
/// Keys may come in any order, unknown ones are passed over and counted, and a value that is only
/// of the wrong shape is replaced and counted. One decoder serves one thread.
package struct FactDecoder {
    private var fields = LineFields<FactField>(
        byteCountMax: FactLimits.lineByteCountMax, loneSurrogates: .refused)
    private var reports = ReportCheck()
    private var straight = StraightReader()

    package init() {}

    /// Reads one line, with or without white space around it.
    ///
    /// - Returns: A view into `line` and the decoder, valid until the next call.
    /// - Throws: ``FactError`` for the first fault; the decoder can be used on.
    package mutating func decode(
        _ line: UnsafeRawBufferPointer
    ) throws(FactError) -> FactView {
        var view = FactView()
        try decode(line, into: &view)
        return view
    }

    /// As ``decode(_:)``, into a view that may be used again and again; after an error it holds
    /// nothing of use.
    @inline(__always)
    package mutating func decode(
        _ line: UnsafeRawBufferPointer, into view: inout FactView
    ) throws(FactError) {
        view = FactView()
        if !straight.read(line, into: &view) { try decodeAny(line, into: &view) }
    }

    /// Reads a line of any form; the same view as ``decode(_:)``, but for the combination.
    package mutating func decodeAny(
        _ line: UnsafeRawBufferPointer
    ) throws(FactError) -> FactView {
        var view = FactView()
        try decodeAny(line, into: &view)
        return view
    }

    private mutating func decodeAny(
        _ line: UnsafeRawBufferPointer, into view: inout FactView
    ) throws(FactError) {
        view = FactView()
        try fields.read(line)
        guard try fields.integer(.version, in: .min ... .max) ?? 1 == 1 else {
            throw FactError(
                .unsupportedVersion, at: fields.range(of: .version)?.lowerBound ?? 0)
        }
        if fields.present.contains(.erased), (try? fields.bool(.erased)) == true {
            view.isErased = true
            view.wasUnread = (try? fields.bool(.unread)) == true
            view.unknownKeyCount =
                fields.unknownKeyCount
                + fields.present.subtracting([.version, .erased, .unread]).count
            return
        }
        guard let kind = try fields.name(.type, of: FactKind.self) else {
            throw FactError(.missing(.type), at: 0)
        }
        view.kind = kind
        view.unknownKeyCount =
            fields.unknownKeyCount + fields.present.subtracting(.known(to: kind)).count
        if kind == .unknown {
            // Nothing is known of these lines; what reads like an id and a time may still help.
            view.id = (try? fields.id(.id)) ?? view.id
            view.time = (try? fields.time(.time)) ?? view.time
            view.timeRange = fields.range(of: .time) ?? view.timeRange
            return
        }
        view.id = try required(.id, fields.id(.id))
        view.time = try required(.time, fields.time(.time))
        view.timeRange = fields.range(of: .time) ?? view.timeRange
        switch kind {
        case .evaluation: try decodeEvaluation(&view)
        case .aiSuppressed: try decodeSuppression(&view)
        case .formInference: try decodeInference(&view)
        case .catalog: try decodeCatalog(&view)
        case .gate: try decodeGate(&view)
        case .logGap: try decodeGap(&view)
        case .testResult: try decodeTestResult(&view)
        case .unknown: break
        }
    }

    // MARK: Kinds

    private func decodeEvaluation(_ view: inout FactView) throws(FactError) {
        _ = try required(.usage, fields.range(of: .usage))
        view.usage = try shaped(.usage, .usage, &view)
        view.model = try shaped(.model, .model, &view)
        view.os = try shaped(.os, .os, &view)
        view.device = try shaped(.device, .device, &view)
        view.app = try shaped(.app, .app, &view)
        try decodeSubjectAndSession(&view)
        view.outcome = try required(.outcome, fields.name(.outcome, of: Outcome.self))
        view.reason = try name(.reason, of: SkipReason.self, &view)
        view.detail = try name(.detail, of: SkipDetail.self, &view)
        view.error = try name(.error, of: ErrorClass.self, &view)
        view.isDurationInvalid = try fields.bool(.durationInvalid) ?? false
        let duration = try fields.integer(.duration, in: 0...Decimal.durationMax)
        view.duration = view.isDurationInvalid ? nil : duration
        view.attempts = Int32(
            try required(.attempts, fields.integer(.attempts, in: 0...FactLimits.attemptsMax)))
        view.isDecoded = try fields.bool(.decoded) ?? true
        try decodeAssumptions(&view)
    }

    private func decodeSuppression(_ view: inout FactView) throws(FactError) {
        view.evaluation = try required(.evaluation, fields.id(.evaluation))
        try decodeSubjectAndSession(&view)
        view.missBehavior = try fields.name(.missBehavior, of: MissBehavior.self) ?? .other
    }

    private mutating func decodeInference(_ view: inout FactView) throws(FactError) {
        view.evaluation = try required(.evaluation, fields.id(.evaluation))
        try decodeSubjectAndSession(&view)
        view.status = try required(.status, fields.name(.status, of: InferenceStatus.self))
        if fields.range(of: .report) != nil { try decodeReport(&view) }
    }

    private mutating func decodeCatalog(_ view: inout FactView) throws(FactError) {
        view.subject = try subject(&view)
        _ = try required(.report, fields.range(of: .report))
        try decodeReport(&view)
    }

    private func decodeGate(_ view: inout FactView) throws(FactError) {
        view.isOnDeviceAIEnabled = try required(.onDeviceAI, fields.bool(.onDeviceAI))
        guard let text = try fields.text(.session) else { return }
        view.session = SessionID(text)
        // Without its session the line would say it of all.
        if view.session == nil { throw fields.bad(.session) }
    }

    private func decodeGap(_ view: inout FactView) throws(FactError) {
        view.stream = try required(.stream, fields.name(.stream, of: GapStream.self))
        view.since = try required(.since, fields.time(.since))
        view.refused = try required(.refused, fields.integer(.refused, in: 0 ... .max))
        view.cause = try name(.cause, of: GapCause.self, &view) ?? .other
    }

    private func decodeTestResult(_ view: inout FactView) throws(FactError) {
        view.evaluation = try required(.evaluation, fields.id(.evaluation))
        try decodeSession(&view)
        for field in [FactField.suite, .testCase, .task] {
            _ = try required(field, fields.range(of: field))
        }
        view.suite = try shaped(.suite, .testName, &view)
        if let digest = try fields.text(.suiteDigest) {
            // None stands for one of another shape: two of them would seem to be the same.
            if Shape.suiteDigest.fits(digest) {
                view.suiteDigest = digest
            } else {
                view.misfitCount += 1
            }
        }
        view.testCase = try shaped(.testCase, .testName, &view)
        view.task = try shaped(.task, .usage, &view)
        view.repetition = Int32(
            try required(
                .repetition, fields.integer(.repetition, in: 1...FactLimits.repetitionMax)))
        view.verdict = try required(.verdict, fields.name(.verdict, of: Verdict.self))
        view.failure = try name(.failure, of: TestFailure.self, &view)
    }

    // MARK: Values

    /// A name of a closed list; another one is the list's fallback, and counted.
    private func name<List: ClosedList>(
        _ field: FactField, of list: List.Type, _ view: inout FactView
    ) throws(FactError) -> List? {
        let name = try fields.name(field, of: list)
        if let text = try fields.text(field), list.names.place(of: text) == nil {
            view.unknownNameCount += 1
        }
        return name
    }

    /// A text of its shape, `other` for one that has it not, empty for an absent one.
    private func shaped(
        _ field: FactField, _ shape: Shape, _ view: inout FactView
    ) throws(FactError) -> FactView.Text {
        guard let text = try fields.text(field) else { return FactView.Text(start: nil, count: 0) }
        guard !shape.fits(text) else { return text }
        view.misfitCount += 1
        return FactView.Text(
            start: Shape.other.utf8Start, count: Shape.other.utf8CodeUnitCount)
    }

    private func subject(_ view: inout FactView) throws(FactError) -> FactView.Text {
        if let text = try fields.text(.subject) {
            if Shape.subject.fits(text) { return text }
            view.misfitCount += 1
            view.misfitSubject = text
        }
        return FactView.Text(start: nil, count: 0)
    }

    private func decodeSubjectAndSession(_ view: inout FactView) throws(FactError) {
        view.subject = try subject(&view)
        try decodeSession(&view)
    }

    private func decodeSession(_ view: inout FactView) throws(FactError) {
        guard let text = try fields.text(.session) else { return }
        view.session = SessionID(text)
        guard view.session == nil else { return }
        view.misfitCount += 1
        view.misfitSession = text
    }

    private func decodeAssumptions(_ view: inout FactView) throws(FactError) {
        guard var scanner = try fields.container(.assumed, .array) else { return }
        do {
            try scanner.beginArray()
            while try scanner.nextElement() {
                let name = try scanner.string()
                if scanner.withValue(of: name, { $0.elementsEqual("time".utf8) }) {
                    view.isTimeAssumed = true
                } else {
                    view.unknownNameCount += 1
                }
            }
        } catch {
            throw fields.bad(.assumed)
        }
    }

    /// Keeps the report if every member of it fits; else it is absent and counts as one misfit.
    private mutating func decodeReport(_ view: inout FactView) throws(FactError) {
        guard let range = fields.range(of: .report),
            let report = try fields.container(.report, .object)
        else { return }
        switch reports.check(report, listsValues: view.kind == .catalog, in: fields) {
        case .fits: view.report = FactView.Text(rebasing: fields.line[range])
        case .misfits: view.misfitCount += 1
        case .repeatsField(let offset): throw FactError(.duplicateKey(.report), at: offset)
        }
    }
}

// Not a method: it would copy the decoder, which is being changed while the value is read.
private func required<Value>(
    _ field: FactField, _ value: Value?
) throws(FactError) -> Value {
    guard let value else { throw FactError(.missing(field), at: 0) }
    return value
}
