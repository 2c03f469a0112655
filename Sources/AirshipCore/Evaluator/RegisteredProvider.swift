// A context provider as it was registered, and how long it is waited for.

/// Calls a provider on threads of its own, which go with the registration: whoever replaces one that
/// is stuck begins anew.
package final class RegisteredProvider: Sendable {
    /// Context for an erased subject; empty where the subject is of another type.
    package typealias Provide = @Sendable (any Sendable) async -> AirshipAI.Context

    private let provide: Provide
    private let threads: CallThreads

    package init(on threads: CallThreads, _ provide: @escaping Provide) {
        self.provide = provide
        self.threads = threads
    }

    deinit { threads.retire() }

    /// What it offers for a subject.
    ///
    /// Nothing from one that takes longer than ``CoreLimits/providerBudget``, and as long as it has
    /// not returned from such a call nothing at once: a stuck one costs its time once, not every
    /// evaluation. Nothing also for a cancelled caller.
    package func context(
        for subject: any Sendable, _ time: any TimeSource
    ) async -> AirshipAI.Context {
        if threads.hasStrays { return .empty }
        let call = TimedCall<AirshipAI.Context>(time: time, threads: threads)
        let ending = await call.run(within: CoreLimits.providerBudget) { [provide] call in
            call.mayCall() ? await provide(subject) : .empty
        }.ending
        guard case .returned(let context) = ending else { return .empty }
        return context
    }
}
