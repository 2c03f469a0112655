// Memory straight from the system: what is given back is the system's again at once, whichever
// thread took it, and pages that were never written cost nothing.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

enum PageMemory {
    /// What large pages are made of, where the system has them.
    static let largePageByteCount = 2 << 20

    /// Zeroed memory. Traps if the system has none, as any allocation does.
    ///
    /// - Parameter isLarge: Whether it will be written all over: large pages then spare most of the
    ///   processor's search for a page. Whole ones are taken as soon as one byte is written.
    static func allocate(byteCount: Int, isLarge: Bool = false) -> UnsafeMutableRawPointer {
        guard isLarge, byteCount % largePageByteCount == 0 else { return map(byteCount) }
        // A large page begins at a multiple of its size: what is left over on both sides goes.
        let start = map(byteCount + largePageByteCount)
        let lead = -Int(bitPattern: start) & (largePageByteCount - 1)
        if lead > 0 { release(start, byteCount: lead) }
        let memory = start + lead
        release(memory + byteCount, byteCount: largePageByteCount - lead)
        #if os(Linux)
            madvise(memory, byteCount, Int32(MADV_HUGEPAGE))
        #endif
        return memory
    }

    private static func map(_ byteCount: Int) -> UnsafeMutableRawPointer {
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
