// What a feature hands to the evaluator, and what it gets back.

package import Foundation

extension AirshipAI {
    /// One question to a model: what it is about, how it is put, and how its answer is read.
    package protocol Evaluation: Sendable {
        associatedtype Output: Sendable
        associatedtype Subject: Sendable

        var usage: Usage<Subject> { get }

        /// What the context provider receives.
        var subject: Subject { get }

        /// Names the subject in records; nil when it has no name.
        var subjectID: String? { get }

        /// What the answer must conform to.
        var schema: AirshipJSONSchema { get }

        /// Whether there is nothing to ask without context.
        var requiresContext: Bool { get }

        func instructions() -> String

        /// The prompt for that much context; called again whenever a model dropped some.
        func prompt(context: Context) -> String

        /// The text that the prompt is about, where parts of it can be asked about one by one; nil
        /// where all of the prompt has to be in view at once.
        var passage: String? { get }

        /// The prompt about another text in the passage's place.
        func prompt(passage: String, context: Context) -> String

        /// Reads a valid answer. Whatever it throws, nobody gets to see: it can hold the answer.
        func decode(_ output: AirshipJSON) throws -> Output
    }

    /// A result, the id of the record that tells of it, and the consent under which it was asked for.
    package struct Evaluated<Output: Sendable>: Sendable {
        package let id: UUID
        /// As it was when the evaluation began. Whoever uses the result looks there and then whether
        /// it holds since: it may have been withdrawn on the way.
        package let consent: Consent
        package let result: Result<Output>

        package init(id: UUID, consent: Consent, result: Result<Output>) {
            self.id = id
            self.consent = consent
            self.result = result
        }
    }

    /// What features need of a manager; tests hand them another one.
    package protocol FeatureHost: Sendable {
        /// Asks, and reports one record whatever happens.
        ///
        /// Never throws: features fail open. A cancelled caller gets a failed result at once.
        func evaluate<Asked: Evaluation>(
            _ evaluation: Asked, additionalContext: Context
        ) async -> Evaluated<Asked.Output>

        /// Whether the user lets models be asked, now, and how often that was withdrawn before.
        var consent: Consent { get }

        /// The model for that usage as seen through the gate, also while the gate is off; nil
        /// when none resolves. Runs the app's resolver.
        func gatedModel(for usage: AnyUsage) -> GatedModel?

        /// An element now, and one whenever a model for that usage may have become available or
        /// ceased to be: by itself, by the gate, or because another one was registered. What holds
        /// is ``availability(for:)`` then. Ends with its reader only.
        func availabilityHints(for usage: AnyUsage) -> AsyncStream<Void>

        /// Reports an event after all that was reported before.
        func report(_ kind: FeatureEvent.Kind)

        /// Reports what follows from an answer that was asked for under that consent; nothing, and
        /// false, where it does not hold any more. Nobody can withdraw it in between.
        func report(_ kind: FeatureEvent.Kind, under consent: Consent) -> Bool
    }
}

extension AirshipAI.Evaluation {
    package var subjectID: String? { nil }
    package var requiresContext: Bool { false }
    package var passage: String? { nil }

    package func prompt(passage: String, context: AirshipAI.Context) -> String {
        prompt(context: context)
    }
}

extension AirshipAI.FeatureHost {
    package var isOnDeviceAIEnabled: Bool { consent.isGiven }

    /// What features may expect of a model for that usage. While the gate is off nothing of the app's
    /// runs for it.
    package func availability(for usage: AirshipAI.AnyUsage) -> AirshipAI.Availability {
        guard isOnDeviceAIEnabled else { return .unavailable(reason: .notEnabled) }
        return gatedModel(for: usage)?.availability ?? .unavailable(reason: .missingModel)
    }
}
