// One call of a model, waited for no longer than the deadline, whatever the model does meanwhile.

/// Calls a model on a thread of its own and returns at whatever comes first.
struct ModelCall {
    enum Ending: Sendable {
        case answered(AirshipJSON)
        case threw(any Error)
        case timedOut
        /// The caller's task was cancelled.
        case cancelled
    }

    let model: any AirshipAI.ModelProtocol
    let time: any TimeSource
    let threads: CallThreads

    /// Asks once.
    ///
    /// The model's task is cancelled when it is no longer waited for. A model that ignores that
    /// keeps its thread until it returns, and its late answer goes nowhere.
    func respond(to request: AirshipAI.Request, within limit: Duration) async -> Ending {
        let ending = Rendezvous<Ending>()
        let task = Task(executorPreference: threads) { [model] in
            // When all threads were taken, the deadline may have passed before this began.
            guard !Task.isCancelled else { return }
            do {
                ending.settle(.answered(try await model.respond(request)))
            } catch {
                ending.settle(.threw(error))
            }
        }
        let alarm = time.schedule(after: limit) { ending.settle(.timedOut) }
        let first = await withTaskCancellationHandler {
            await ending.value
        } onCancel: {
            ending.settle(.cancelled)
        }
        alarm.cancel()
        task.cancel()
        return first
    }
}
