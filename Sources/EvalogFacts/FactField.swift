// The keys of fact lines, in the order in which they are written.

/// A key of a fact line.
package enum FactField: UInt8, ClosedList {
    case version, type, id, time, usage, evaluation, subject, session, model, os, device, app
    case outcome, reason, detail, error, duration, durationInvalid, attempts, decoded, assumed
    case missBehavior, status, report, onDeviceAI, stream, since, refused, cause

    package static let names = NameTable(
        "v", "type", "id", "time", "usage", "evaluation", "subject", "session", "model", "os",
        "device", "app", "outcome", "reason", "detail", "error", "duration_us",
        "duration_invalid", "attempts", "decoded", "assumed", "miss_behavior", "status", "report",
        "on_device_ai", "stream", "since", "refused", "cause")
}

/// Keys as a set of bits.
struct FactFieldSet: OptionSet {
    let rawValue: UInt32

    static func of(_ fields: FactField...) -> Self {
        Self(rawValue: fields.reduce(0) { $0 | 1 << UInt32($1.rawValue) })
    }

    func contains(_ field: FactField) -> Bool {
        rawValue >> UInt32(field.rawValue) & 1 == 1
    }

    mutating func insert(_ field: FactField) {
        self = Self(rawValue: rawValue | 1 << UInt32(field.rawValue))
    }

    private static let common = of(.version, .type, .id, .time)

    /// The keys that a kind of line has.
    static func known(to kind: FactKind) -> Self {
        switch kind {
        case .evaluation: evaluation
        case .aiSuppressed: suppression
        case .formInference: inference
        case .catalog: catalog
        case .gate: gate
        case .logGap: logGap
        case .unknown: common
        }
    }

    private static let evaluation = common.union(
        of(
            .usage, .subject, .session, .model, .os, .device, .app, .outcome, .reason, .detail,
            .error, .duration, .durationInvalid, .attempts, .decoded, .assumed))
    private static let suppression = common.union(
        of(.evaluation, .subject, .session, .missBehavior))
    private static let inference = common.union(
        of(.evaluation, .subject, .session, .status, .report))
    private static let catalog = common.union(of(.subject, .report))
    private static let gate = common.union(of(.onDeviceAI))
    private static let logGap = common.union(of(.stream, .since, .refused, .cause))
}
