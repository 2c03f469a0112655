// What a user is asked to allow, word for word.

import Foundation

/// Who gets what, as the question says it. A change of any part is another question, which nobody has
/// answered yet.
public struct ConsentTerms: Hashable, Codable, Sendable {
    /// Whose model it is, such as `OpenAI`; records name it.
    public let provider: String

    /// Of whatever else counts, such as the provider's own terms.
    public let version: String

    /// What leaves the device, in the words that the user reads.
    public let sentData: String

    public init(provider: String, version: String, sentData: String) {
        self.provider = provider
        self.version = version
        self.sentData = sentData
    }
}

/// What a user has said to terms.
public enum ConsentAnswer: String, Codable, CaseIterable, Sendable {
    case notAsked = "not_asked"
    case allowed
    case declined
}

/// Why an answer does not outlive the process.
public enum ConsentStoreError: Error, Hashable, Sendable {
    /// The file could not be replaced. A yes does not count then. A no counts, until the process ends;
    /// it is told where an earlier yes is still in the file because that could not be removed either.
    case notStored
}

/// The numbers that bound what is read and named.
package enum ConsentLimits {
    /// Bytes of the file. A longer one is none of ours, and is unreadable.
    package static let fileByteMax = 1 << 20

    /// Of a label in records: what is longer has no name there.
    package static let labelByteMax = 64
}
