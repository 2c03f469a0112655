// What keeps a long text from an answer, without any of it, and how far is gone for one.

public import AirshipCore

/// Why a text that does not fit a model's window was not answered in parts.
public enum LongInputError: Error, Hashable, Sendable {
    /// Instructions, schema and what stands around the text leave no room for any of it.
    case windowTooSmall

    /// The text has more parts than are asked about for one evaluation.
    case tooManyParts(most: Int)

    /// The texts answered about the parts are together no shorter than what they are about, so
    /// asking about them leads nowhere.
    case answersTooLong
}

extension LongInputError: AirshipAI.ClassifiedError {
    public var errorClass: AirshipAI.ErrorClass {
        switch self {
        case .windowTooSmall, .tooManyParts: .contextOverflow
        case .answersTooLong: .badResponse
        }
    }
}

/// The numbers that bound what one evaluation may ask.
package enum LongInputLimits {
    /// Parts of one evaluation, those of texts made from answers included.
    package static let partMax = 256
}
