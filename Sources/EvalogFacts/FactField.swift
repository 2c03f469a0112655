// The keys of fact lines, in the order in which they are written.

/// A key of a fact line.
package enum FactField: UInt8, ClosedList {
    case version, type, id, time, usage, evaluation, subject, session, model, os, device, app
    case outcome, reason, detail, error, duration, durationInvalid, attempts, decoded, assumed
    case missBehavior, status, report, onDeviceAI, stream, since, refused, cause
    case suite, suiteDigest, testCase, task, repetition, verdict, failure
    case erased, unread

    package static let names = NameTable(
        "v", "type", "id", "time", "usage", "evaluation", "subject", "session", "model", "os",
        "device", "app", "outcome", "reason", "detail", "error", "duration_us",
        "duration_invalid", "attempts", "decoded", "assumed", "miss_behavior", "status", "report",
        "on_device_ai", "stream", "since", "refused", "cause", "suite",
        "suite_digest", "case", "task", "repetition", "verdict", "failure", "erased",
        "unread")
}

extension FieldSet<FactField> {
    /// The keys that a kind of line has.
    static func known(to kind: FactKind) -> Self {
        switch kind {
        case .evaluation: evaluation
        case .aiSuppressed: suppression
        case .formInference: inference
        case .catalog: catalog
        case .gate: gate
        case .logGap: logGap
        case .testResult: testResult
        case .unknown: common
        }
    }

    private static let common: Self = [.version, .type, .id, .time]
    private static let evaluation = common.union([
        .usage, .subject, .session, .model, .os, .device, .app, .outcome, .reason, .detail, .error,
        .duration, .durationInvalid, .attempts, .decoded, .assumed,
    ])
    private static let suppression = common.union([
        .evaluation, .subject, .session, .missBehavior,
    ])
    private static let inference = common.union([
        .evaluation, .subject, .session, .status, .report,
    ])
    private static let catalog = common.union([.subject, .report])
    private static let gate = common.union([.session, .onDeviceAI])
    private static let logGap = common.union([.stream, .since, .refused, .cause])
    private static let testResult = common.union([
        .evaluation, .session, .suite, .suiteDigest, .testCase, .task, .repetition, .verdict,
        .failure,
    ])
}
