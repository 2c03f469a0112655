// Memory straight from the system: what is given back is the system's again at once, whichever
// thread took it, and pages that were never written cost nothing.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

enum PageMemory {
    /// Zeroed memory. Traps if the system has none, as any allocation does.
    static func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
        let start = mmap(
            nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        guard let start, start != MAP_FAILED else { fatalError("out of memory") }
        return start
    }

    /// - Parameter byteCount: As it was allocated.
    static func release(_ start: UnsafeMutableRawPointer, byteCount: Int) {
        munmap(start, byteCount)
    }
}
