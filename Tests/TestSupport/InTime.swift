// Waiting in tests. A time limit of a test cancels its task, which ends no wait that does not look. These
// do: the test then ends, as one that took too long, instead of keeping all others from ending.

/// What the work gives; nil where the test's time limit is over first. The work then goes on alone.
@discardableResult
package func inTime<Value: Sendable>(
    _ work: @escaping @Sendable () async -> Value
) async -> Value? {
    let (values, continuation) = AsyncStream<Value>.makeStream()
    Task {
        continuation.yield(await work())
        continuation.finish()
    }
    // A stream ends for a reader that is cancelled.
    return await values.first { _ in true }
}

/// Returns once it holds, or the test's time limit is over.
package func waitUntil(_ holds: () async throws -> Bool) async rethrows {
    while !Task.isCancelled, try await !holds() { await Task.yield() }
}

extension Task where Failure == Never {
    /// What the task gives; nil where the test's time limit is over first.
    package var inTime: Success? {
        get async { await TestSupport.inTime { await value } }
    }
}
