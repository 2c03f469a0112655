// How many seeds a randomised test tries: few by default, as many as `make mutations` asks for.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Seeds for the arguments of a test, so that a failure names the one to try again.
package enum FuzzSeeds {
    /// `count` seeds from 0, or the range that EVALOG_FUZZ_SEED and EVALOG_FUZZ_COUNT name.
    package static func first(_ count: UInt64) -> Range<UInt64> {
        guard let start = variable("EVALOG_FUZZ_SEED") else { return 0..<count }
        return start..<start + (variable("EVALOG_FUZZ_COUNT") ?? 1)
    }

    private static func variable(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }
}
