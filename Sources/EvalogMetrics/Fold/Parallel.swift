// Spreads the work of this module over threads; who delivers lines brings threads of its own.

import Dispatch

/// Runs `body` for 0..<`count`, on several threads when there are several, and gathers the results
/// in order. `body` must not write to anything that another of its calls reads.
func inParallel<Result>(_ count: Int, _ body: (Int) -> Result) -> [Result] {
    guard count > 1 else { return (0..<count).map(body) }
    return Array(unsafeUninitializedCapacity: count) { buffer, initializedCount in
        nonisolated(unsafe) let results = buffer
        withoutActuallyEscaping(body) { body in
            nonisolated(unsafe) let body = body
            DispatchQueue.concurrentPerform(iterations: count) { part in
                (results.baseAddress! + part).initialize(to: body(part))
            }
        }
        initializedCount = count
    }
}

/// Part `index` of `count` nearly equal parts of a range from 0.
func part(_ index: Int, of count: Int, _ total: Int) -> Range<Int> {
    total * index / count..<total * (index + 1) / count
}
