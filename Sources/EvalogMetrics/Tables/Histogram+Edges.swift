// Our bins as the histograms of other formats: with given edges, and with exponential ones.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Histogram {
    /// Upper edges in µs as OpenTelemetry's conventions for generative AI have them
    /// (`gen_ai.client.operation.duration`): 10 ms doubled up to 81.92 s.
    package static let conventionalEdges: [UInt64] = (0..<14).map { 10_000 << UInt64($0) }

    /// How many values lie up to each edge, ascending; of a bin that an edge cuts all of them where
    /// its middle does, which errs by 0.2 % of the edge at most.
    package func counts(upTo edges: [UInt64]) -> [Int] {
        var counts: [Int] = []
        var passed = 0
        var rest = bins[...]
        for edge in edges {
            while let bin = rest.first, bin.lower + bin.width / 2 <= edge {
                passed += bin.count
                rest.removeFirst()
            }
            counts.append(passed)
        }
        return counts
    }

    /// An exponential histogram as OpenTelemetry's data model has it: bucket `i` holds what is above
    /// `2^(i / 2^scale)` and up to `2^((i + 1) / 2^scale)`, here in seconds.
    package struct Exponential: Equatable, Sendable {
        package var scale: Int
        /// Values of 0 µs.
        package var zeroCount = 0
        /// The bucket of the first count.
        package var offset = 0
        package var counts: [Int] = []
    }

    /// The bins by their middles, at a scale at which a bucket is 2.2 % wide.
    ///
    /// 24 h down to 1 µs are 1,163 such buckets.
    package var exponential: Exponential {
        let scale = 5
        var result = Exponential(scale: scale)
        for bin in bins {
            let middle = bin.lower + bin.width / 2
            guard middle > 0 else {
                result.zeroCount += bin.count
                continue
            }
            let place = Int((log2(Double(middle) / 1e6) * Double(1 << scale)).rounded(.up)) - 1
            if result.counts.isEmpty { result.offset = place }
            while result.counts.count <= place - result.offset { result.counts.append(0) }
            result.counts[place - result.offset] += bin.count
        }
        return result
    }
}
