// Cuts events into what the vendor takes at a time.

import EvalogText

/// What one upload may hold.
package struct BatchLimits: Sendable {
    /// The vendor's own limit.
    package static let eventCountMax = 500
    /// The least and the greatest limit that the vendor sets; the greatest holds unless it says
    /// otherwise.
    package static let byteCounts = 10 << 10...500 << 10

    package var eventCountMax = Self.eventCountMax
    package var byteCountMax = Self.byteCounts.upperBound

    package init() {}
}

/// Events that are sent together: neighbouring lines of `events.ndjson`, as one JSON array.
package struct EventBatch: Equatable, Sendable {
    /// Counted from 1.
    package var firstLine: Int
    package var eventCount: Int
    /// Of the JSON array: a comma takes the place of a line feed, and there are two brackets.
    package var byteCount: Int
}

/// The events of a report as lines, cut into batches.
package struct EventLines: Sendable {
    package private(set) var bytes: [UInt8] = []
    package private(set) var batches: [EventBatch] = []

    /// Encodes the events in their order. An event that is larger than a batch has one of its own:
    /// else nothing behind it would ever be sent.
    package init(_ events: [VendorEvent], _ limits: BatchLimits = BatchLimits()) {
        for (index, event) in events.enumerated() {
            let start = bytes.count
            event.encode(into: &bytes)
            let byteCount = bytes.count - start
            if let last = batches.last, last.eventCount < limits.eventCountMax,
                last.byteCount + byteCount <= limits.byteCountMax
            {
                batches[batches.count - 1].eventCount += 1
                batches[batches.count - 1].byteCount += byteCount
            } else {
                // The last line feed is no comma, so one bracket is paid for.
                batches.append(
                    EventBatch(firstLine: index + 1, eventCount: 1, byteCount: byteCount + 1))
            }
        }
    }
}
