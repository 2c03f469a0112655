// Everything that this module throws. No case can hold a value of a user's, an app's or a model's.

/// What went wrong, where; never what was in it.
public enum AirshipCoreError: Error, Hashable, Sendable {
    /// No answer within the model's budget over all attempts together.
    case timedOut(seconds: Double)

    /// Not asked: earlier calls of this model have its threads, and none became free in time.
    case modelBusy

    /// `onDeviceAI` is off, so no model was asked.
    case aiDisabled

    /// The answer breaks the schema at this path, such as `$.scores[2].id`.
    case offSchema(path: String, rule: SchemaRule)

    /// The answer is valid but not what the feature can decode.
    case undecodableOutput

    /// The answer has more values or text than ``CoreLimits`` allows.
    case answerTooLarge

    /// Not JSON from this byte on.
    case malformedJSON(byteOffset: Int)

    /// Nested deeper than ``CoreLimits`` allows.
    case nestedTooDeep

    /// NaN and infinities have no JSON form.
    case nonFiniteNumber

    /// The value is of a type that has no JSON form.
    case notRepresentable

    /// The schema itself is wrong at this path: unknown type, array without items, a part of the
    /// wrong kind; at the root also where it is nested too deep to be asked about.
    case invalidSchema(path: String)

    /// A feature's configuration lacks this key or has something else there.
    case invalidConfiguration(key: String)

    /// What a value had to be and was not.
    public enum SchemaRule: Hashable, Sendable {
        case string, boolean, integer, number, object, array
        /// Named in `required`, absent or null.
        case required
        /// None of the strings in `enum`.
        case choice
    }
}

extension AirshipCoreError: AirshipAI.ClassifiedError {
    public var errorClass: AirshipAI.ErrorClass {
        switch self {
        case .timedOut: .timeout
        case .aiDisabled, .modelBusy: .unavailable
        case .offSchema: .schemaMismatch
        case .undecodableOutput, .answerTooLarge, .malformedJSON, .nestedTooDeep, .nonFiniteNumber:
            .badResponse
        case .notRepresentable, .invalidSchema, .invalidConfiguration: .other
        }
    }
}
