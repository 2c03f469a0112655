// What was refused and not yet told: it becomes facts once lines are taken again.

import EvalogFacts
import EvalogLog
import EvalogText

/// Counts refused lines by stream and cause until somebody takes them to report.
struct GapLedger: Sendable {
    /// One fact to be.
    struct Gap: Hashable, Sendable {
        let stream: StreamKind
        let cause: GapCause
        var refused: Int64
        /// Wall clock of the first of them, microseconds since 1970.
        var since: Int64
    }

    private var gaps: [Gap] = []

    mutating func add(_ refusals: [Refusals]) {
        for refusal in refusals {
            add(
                Gap(
                    stream: refusal.stream, cause: GapCause(refusal.cause),
                    refused: Int64(clamping: refusal.count), since: refusal.since))
        }
    }

    mutating func add(_ gap: Gap) {
        guard
            let index = gaps.firstIndex(where: { $0.stream == gap.stream && $0.cause == gap.cause })
        else {
            gaps.append(gap)
            return
        }
        gaps[index].refused += gap.refused
        gaps[index].since = min(gaps[index].since, gap.since)
    }

    /// The gaps of a stream, of all without one; facts first, then in the order of their causes.
    mutating func take(_ stream: StreamKind? = nil) -> [Gap] {
        // The usual case, on every line.
        if gaps.isEmpty { return [] }
        let taken = gaps.filter { stream == nil || $0.stream == stream }
        gaps.removeAll { stream == nil || $0.stream == stream }
        return taken.sorted {
            ($0.stream, $0.cause.rawValue) < ($1.stream, $1.cause.rawValue)
        }
    }
}

extension LogGapFact {
    init(_ gap: GapLedger.Gap, id: UniqueID, time: Int64) {
        self.init(
            id: id, time: time, stream: gap.stream == .facts ? .facts : .content,
            since: gap.since, refused: gap.refused, cause: gap.cause)
    }
}

extension GapCause {
    init(_ cause: RefusalCause) {
        switch cause {
        case .noSpace: self = .noSpace
        case .ioError: self = .ioError
        case .bufferFull: self = .bufferFull
        case .tooLong: self = .tooLong
        case .protected: self = .protected
        case .notALine, .closed, .withdrawn: self = .other
        }
    }

    /// Why a log could not be opened.
    init(_ error: LogError) {
        if error.isNoSpace {
            self = .noSpace
        } else if case .disk(let cause) = error, cause.isProtected {
            self = .protected
        } else {
            self = .ioError
        }
    }
}
