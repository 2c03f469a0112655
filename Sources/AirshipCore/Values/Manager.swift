// The public face of the evaluator: what an app registers.

extension AirshipAI {
    /// Makes context for an evaluation from its subject; runs once per evaluation.
    public typealias ContextProvider<Subject: Sendable> = @Sendable (Subject) async -> Context

    /// Where an app registers what evaluations use. Every setter takes effect before it returns,
    /// for evaluations that start later.
    public protocol Manager: AnyObject, Sendable {
        /// Registers what a usage offers to its model; nil clears. It is used alone, also when it
        /// returns nothing. Held until replaced or cleared.
        ///
        /// It runs on a thread that may be blocked. Its time counts neither to the model's budget
        /// nor to the duration; after ten seconds the evaluation goes on as without context.
        func setContextProvider<Subject: Sendable>(
            for usage: Usage<Subject>, _ provider: ContextProvider<Subject>?)

        /// Registers what usages without a provider of their own offer; nil clears.
        func setDefaultContextProvider(_ provider: (@Sendable () async -> Context)?)

        /// Registers the choice of models, made anew for each evaluation; nil reverts to the
        /// default model for all.
        func setModelResolver(_ resolver: (@Sendable (AnyUsage) -> ModelSelector)?)

        /// Registers what sees every finished evaluation, off the caller's path; nil clears. An
        /// evaluation reports to the observer that was there when it started.
        ///
        /// What was registered once is called for one evaluation after the other. It is not waited
        /// for when it is replaced: one that still runs, or never returns, keeps nothing from its
        /// successor, which may be called beside it.
        func setEvaluationObserver(_ observer: (@Sendable (EvaluationRecord) -> Void)?)

        /// The registered default model; nil when there is none, or `onDeviceAI` is off.
        var defaultModel: (any ModelProtocol)? { get }

        /// The model that an evaluation of that usage would ask now; nil when there is none, or
        /// `onDeviceAI` is off.
        func model(for usage: AnyUsage) -> (any ModelProtocol)?

        /// Adds a receiver of records and events beside the observer; once, however often called. It
        /// is told after those that were attached before it, and before the observer.
        func attach(_ sink: any Sink)

        /// Removes a receiver; what was reported before still reaches it.
        func detach(_ sink: any Sink)

        /// Returns once all that was reported before the call has been received, or the caller's task
        /// is cancelled. An observer that was replaced, before or meanwhile, is waited for at most ten
        /// seconds more.
        func drained() async
    }
}
