// What a feature gets back from an evaluation. Only a completed one may change what it does.

import Foundation

extension AirshipAI {
    /// How an evaluation ended, as its feature sees it.
    public enum Result<Output: Sendable>: Sendable {
        /// The model's answer, valid and decoded.
        case completed(Output)

        /// No model was asked, or its answer may not be used; the reason is one of a few sentences.
        case skipped(reason: String)

        /// No usable answer came back in time, or nobody had the time to ask.
        case failed(any Error)

        /// The answer of a completed evaluation, nil otherwise.
        public var output: Output? {
            guard case .completed(let output) = self else { return nil }
            return output
        }
    }
}

extension AirshipAI.Result: Equatable where Output: Equatable {
    /// Compares by value; two failures are equal when their errors are; errors that
    /// cannot be compared, when they have one domain and code.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.completed(let left), .completed(let right)): left == right
        case (.skipped(let left), .skipped(let right)): left == right
        case (.failed(let left), .failed(let right)): areEqual(left, right)
        default: false
        }
    }
}

/// Whether two errors are equal; of those that cannot be compared, whether they have one domain and
/// code.
func areEqual(_ left: any Error, _ right: any Error) -> Bool {
    // As Any, because any error at all could be bridged to something hashable.
    if let left = left as Any as? any Hashable, let right = right as Any as? any Hashable {
        return AnyHashable(left) == AnyHashable(right)
    }
    let (left, right) = (left as NSError, right as NSError)
    return left.domain == right.domain && left.code == right.code
}
