// Functions that can be left in the middle: so several processes are simulated on one thread, and what
// they do depends on the seed alone.

import CCoroutine

/// A function on a stack of its own.
final class Coroutine {
    private static let stackByteCount = 512 << 10

    private(set) var isDone = false
    private let body: () -> Void
    private let stacks: StackPool
    private var running: OpaquePointer?

    /// Nothing runs before ``resume()``.
    init(on stacks: StackPool, _ body: @escaping () -> Void) {
        self.body = body
        self.stacks = stacks
    }

    /// Runs the body until it yields or ends.
    func resume() {
        precondition(!isDone, "a coroutine ends once")
        let coroutine = running ?? stacks.take(Self.stackByteCount, Self.enter, self)
        running = coroutine
        guard ccoroutine_resume(coroutine) else { return }
        isDone = true
        running = nil
        stacks.giveBack(coroutine)
    }

    /// Leaves the body, from within.
    func yield() {
        if let running { ccoroutine_yield(running) }
    }

    private static let enter: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
        guard let context else { return }
        Unmanaged<Coroutine>.fromOpaque(context).takeUnretainedValue().body()
    }
}

/// Stacks of coroutines that have ended, for others.
final class StackPool {
    private var free: [OpaquePointer] = []

    deinit { for coroutine in free { ccoroutine_free(coroutine) } }

    fileprivate func take(
        _ byteCount: Int, _ enter: @convention(c) (UnsafeMutableRawPointer?) -> Void,
        _ owner: Coroutine
    ) -> OpaquePointer {
        let context = Unmanaged.passUnretained(owner).toOpaque()
        if let coroutine = free.popLast() {
            ccoroutine_reuse(coroutine, enter, context)
            return coroutine
        }
        guard let coroutine = ccoroutine_make(byteCount, enter, context) else {
            preconditionFailure("no memory for a stack")
        }
        return coroutine
    }

    fileprivate func giveBack(_ coroutine: OpaquePointer) { free.append(coroutine) }
}
