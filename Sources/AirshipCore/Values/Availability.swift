// Whether a model can be asked right now, and the closed list of reasons why not.

extension AirshipAI {
    /// A model's readiness; features fail open on anything but ``available``.
    public enum Availability: Hashable, Sendable {
        /// Worth asking.
        case available

        /// Not worth asking, for this reason.
        case unavailable(reason: UnavailableReason)
    }

    /// Why a model cannot be asked.
    public enum UnavailableReason: Hashable, Sendable {
        /// The hardware or its system will never run the model.
        case deviceNotEligible

        /// Not downloaded, still preparing, or no model registered at all.
        case missingModel

        /// Switched off by the user or by the app's privacy settings.
        case notEnabled

        /// Anything else; the text is for people and never leaves in a report.
        case other(String)
    }
}
