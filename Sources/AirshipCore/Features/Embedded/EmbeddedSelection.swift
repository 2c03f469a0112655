// Embedded selection: what it is called and what its provider receives.

extension AirshipAI {
    /// Ranks the pending instances of one embedded id.
    public enum EmbeddedSelection {
        /// What to register a provider or a model under for ranking embedded content.
        public static let usage = Usage<Subject>(rawValue: "embedded_selection")

        /// The choice in question.
        public struct Subject: Hashable, Sendable {
            public let embeddedID: String
            /// What is being ranked, in order of arrival.
            public let pending: [AirshipEmbeddedInfo]
            /// The app's words to its provider; no model sees them.
            public let hints: [String: String]

            public init(
                embeddedID: String, pending: [AirshipEmbeddedInfo], hints: [String: String] = [:]
            ) {
                self.embeddedID = embeddedID
                self.pending = pending
                self.hints = hints
            }
        }
    }
}
