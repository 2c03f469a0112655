// When lines become a block and blocks a new segment: decided in pure values, so that it is
// tested without files, threads or waiting.

/// Decides when pending lines become a block. Knows counts and times only.
package struct BlockPolicy: Hashable, Sendable {
    /// What to do with a line that comes next.
    package enum Admission: Hashable, Sendable {
        /// It joins the pending lines.
        case joins
        /// The pending lines become a block first.
        case closesFirst
        /// Longer than any line may be.
        case tooLong
    }

    package private(set) var byteCount = 0
    /// Monotonic time of the oldest pending line.
    private var openedAt: Int64?
    private let byteCountMax: Int
    private let age: Int64

    package init(
        byteCountMax: Int = LogLimits.blockTextByteCount, age: Int64 = LogLimits.blockAge
    ) {
        self.byteCountMax = byteCountMax
        self.age = age
    }

    /// Where a line of this many bytes, newline excluded, would go.
    package func admission(of lineByteCount: Int) -> Admission {
        if lineByteCount > LogLimits.lineByteCountMax { return .tooLong }
        return byteCount > 0 && byteCount + lineByteCount + 1 > byteCountMax
            ? .closesFirst : .joins
    }

    /// Counts a line in; true where the block is to be closed at once.
    package mutating func add(lineByteCount: Int, at monotonicTime: Int64) -> Bool {
        byteCount += lineByteCount + 1
        openedAt = openedAt ?? monotonicTime
        return byteCount >= byteCountMax
    }

    /// The monotonic time at which the pending lines are due; nil where none are pending.
    package var deadline: Int64? { openedAt.map { $0 + age } }

    /// The pending lines became a block.
    package mutating func close() {
        byteCount = 0
        openedAt = nil
    }
}

/// Decides when a segment is full.
package struct SegmentPolicy: Hashable, Sendable {
    package var byteCountMax: Int
    package var age: Int64

    /// - Parameter cap: The size to which the whole log is kept, where there is one.
    package init(cap: Int? = nil, age: Int64 = LogLimits.segmentAge) {
        let share = cap.map { $0 / LogLimits.segmentsUnderCap } ?? LogLimits.segmentByteCount
        byteCountMax = min(LogLimits.segmentByteCount, max(LogLimits.segmentByteCountMin, share))
        self.age = age
    }

    /// Whether the next block belongs into a new segment.
    package func rolls(byteCount: Int64, lineCount: Int, age: Int64) -> Bool {
        byteCount >= Int64(byteCountMax) || lineCount >= LogLimits.segmentLineCount
            || age >= self.age
    }
}
