// Children that are really forked. Linux only: elsewhere a child of a process with threads may
// hardly do anything before it executes another program.

#if canImport(Glibc)
    import Glibc
    import TestSupport
    import Testing

    @testable import EvalogLog

    @Suite("A forked child")
    struct ForkTests {
        /// The number of a child that runs the body, which does not return.
        private func forked(_ body: () -> Never) throws -> pid_t {
            let symbol = try #require(dlsym(nil, "fork"))
            let fork = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)
            let child = fork()
            if child == 0 { body() }
            return child
        }

        /// Runs the body in forked children until one says true.
        ///
        /// Other tests run meanwhile: what they had locked in the runtime, a child finds locked for
        /// ever. Its alarm ends it then, and the next one has better luck.
        private func succeedsInChild(_ body: () -> Bool) throws -> Bool {
            for _ in 0..<6 {
                let child = try forked {
                    // The threads that run tests block signals.
                    var alarms = sigset_t()
                    sigemptyset(&alarms)
                    sigaddset(&alarms, SIGALRM)
                    pthread_sigmask(SIG_UNBLOCK, &alarms, nil)
                    signal(SIGALRM, SIG_DFL)
                    alarm(5)
                    _exit(body() ? 0 : 1)
                }
                var status: Int32 = -1
                waitpid(child, &status, 0)
                if status == 0 { return true }
            }
            return false
        }

        @Test("holds no lock that its parent gives up, and gives up none that its parent holds")
        func locks() throws {
            let scratch = ScratchFolder()
            let disk = PosixDisk()
            let folder = try disk.openFolder(scratch.path)
            defer { disk.close(folder) }
            let first = try disk.createFile("lock", in: folder)
            #expect(try disk.lock(first, exclusively: true))
            let child = try forked { while true { pause() } }
            defer {
                kill(child, SIGKILL)
                waitpid(child, nil, 0)
            }
            disk.close(first)
            let second = try disk.openFile("lock", in: folder)
            defer { disk.close(second) }
            #expect(try disk.lock(second, exclusively: true))
            #expect(
                try succeedsInChild {
                    disk.close(second)
                    return true
                })
            let third = try disk.openFile("lock", in: folder)
            defer { disk.close(third) }
            #expect(try disk.lock(third, exclusively: true) == false)
        }

        @Test("knows its own number")
        func processID() throws {
            #expect(currentProcessID() == getpid())
            #expect(try succeedsInChild { currentProcessID() == getpid() })
        }

        @Test("may wait and notify where a thread of the parent waits")
        func notifies() throws {
            let monitor = Monitor((isWaiting: false, mayEnd: false))
            /// Starts a thread and returns once it waits.
            func startWaiting() -> Thread? {
                let thread = Thread {
                    monitor.wait { state in
                        state.isWaiting = true
                        monitor.notify()
                        return state.mayEnd ? .done(()) : .wait(microseconds: nil)
                    }
                }
                monitor.wait { $0.isWaiting ? .done(()) : .wait(microseconds: nil) }
                return thread
            }
            func end(_ thread: Thread?) {
                monitor.withLock { $0.mayEnd = true }
                monitor.notify()
                thread?.join()
            }
            let thread = startWaiting()
            let succeeds = try succeedsInChild {
                monitor.withLock { state in
                    monitor.forgetWaiters()
                    state.isWaiting = false
                }
                let own = startWaiting()
                for _ in 0..<3 { monitor.notify() }
                end(own)
                return own != nil
            }
            end(thread)
            #expect(succeeds)
        }

        @Test("writes lines of its own with the parent's writer")
        func writes() throws {
            let log = LogFixture()
            let writer = try LogWriter(log.directory)
            func append(_ numbers: ClosedRange<UInt64>) {
                for number in numbers {
                    _ = writer.append(LogFixture.line(1, number), to: .facts, eventTime: 0)
                }
            }
            append(1...10)
            try writer.flush()
            let succeeds = try succeedsInChild {
                for number: UInt64 in 1...5 {
                    append(number...number)
                    if (try? writer.flush()) == nil { return false }
                }
                return (try? writer.close()) != nil
            }
            #expect(succeeds)
            append(11...15)
            try writer.close()
            let report = try readLog(log.directory, .facts) { _, _ in }
            #expect(report.writers.map(\.readCount).contains(15))
            #expect(report.writers.map(\.readCount).contains(5))
        }
    }
#endif
