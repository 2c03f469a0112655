// The recorder's place beside the app's observer: sees evaluations and events, in one order.

extension AirshipAI {
    /// What a sink receives.
    public enum Observation: Sendable {
        case evaluation(EvaluationRecord)
        case event(FeatureEvent)
        /// Once, before all that the sink receives: whether on-device AI is on. Later changes are
        /// events.
        case attached(onDeviceAI: Bool)
    }

    /// Receives every observation from when it was attached, one at a time.
    ///
    /// An evaluation comes before the event that names it. Evaluations come in the order in which they
    /// are reported, each before its caller has the result; the app's observer sees the same order.
    public protocol Sink: AnyObject, Sendable {
        /// Called off the caller's path, never concurrently. Delays only later observations.
        func receive(_ observation: Observation)
    }
}
