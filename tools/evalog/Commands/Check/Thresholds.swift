// What may not be exceeded, as `evalog check` is told: plain values, checked before any file is
// touched.

/// One thing that is measured and has a limit.
enum Measurement: Hashable, Sendable {
    case failureRate
    case skipRate
    /// A percentile of the durations.
    case duration(percent: Int)
    /// How long ago the last evaluation began.
    case age
    /// Lines that writers refused.
    case refused
    /// Lines that the log must have had and has not.
    case lost

    /// The name for people.
    var title: String {
        switch self {
        case .failureRate: "failure rate"
        case .skipRate: "skip rate"
        case .duration(let percent): "p\(percent)"
        case .age: "silence"
        case .refused: "refused lines"
        case .lost: "lost lines"
        }
    }

    /// The name for programs.
    var key: String {
        switch self {
        case .duration(let percent): "duration_p\(percent)_us"
        case .failureRate: "failure_rate_ppm"
        case .skipRate: "skip_rate_ppm"
        case .age: "age_us"
        case .refused: "refused"
        case .lost: "lost"
        }
    }
}

/// A measurement with its limit: millionths for a rate, µs for times, else a count.
struct Threshold: Hashable, Sendable {
    let measurement: Measurement
    let limit: Int64
}

extension Flag {
    static let maxFailureRate = Flag(
        name: "max-failure-rate", value: "RATE",
        summary: "Failed of completed and failed: 0.05, 5%.",
        detail:
            "Broken where the whole 95 % interval lies above, so that a few evaluations raise no"
            + " false alarm.")
    static let maxSkipRate = Flag(
        name: "max-skip-rate", value: "RATE", summary: "Skipped of all but the cancelled ones.",
        detail: "Judged by its interval like the failure rate.")
    static let maxP50 = percentile(50)
    static let maxP90 = percentile(90)
    static let maxP95 = percentile(95)
    static let maxP99 = percentile(99)
    static let maxAge = Flag(
        name: "max-age", value: "LENGTH", summary: "Silence: how old the newest evaluation may be.",
        detail: "For each group that has evaluations in the window. Without any, silence is broken."
    )
    static let maxRefused = Flag(
        name: "max-refused", value: "N", summary: "Lines that writers refused in the window.",
        detail: "A full disk or buffer refuses lines; log_gap facts say how many.")
    static let maxLost = Flag(
        name: "max-lost", value: "N", summary: "Lines that the whole log has lost.",
        detail:
            "Judged by the headers of all blocks and by the blocks of the window; verify looks at"
            + " all blocks. Holes that are known since a repair do not count. A loss that nobody can"
            + " count breaks 0, and with --strict any limit.")

    private static func percentile(_ percent: Int) -> Flag {
        Flag(
            name: "max-p\(percent)", value: "LENGTH",
            summary: "Duration that \(percent) % of the evaluations may take: 800ms, 2s.")
    }

    static let thresholds = [
        maxFailureRate, maxSkipRate, maxP50, maxP90, maxP95, maxP99, maxAge, maxRefused, maxLost,
    ]
}

extension Arguments {
    /// In the order of the help.
    ///
    /// - Throws: ``CommandFailure`` for a value that cannot be, or if there is none at all.
    func thresholds() throws -> [Threshold] {
        var found: [Threshold] = []
        func add(_ flag: Flag, _ measurement: Measurement, _ read: (Flag) throws -> Int64?) throws {
            if let limit = try read(flag) {
                found.append(Threshold(measurement: measurement, limit: limit))
            }
        }
        try add(.maxFailureRate, .failureRate, share)
        try add(.maxSkipRate, .skipRate, share)
        for (flag, percent) in [
            (Flag.maxP50, 50), (.maxP90, 90), (.maxP95, 95), (.maxP99, 99),
        ] {
            try add(flag, .duration(percent: percent), length)
        }
        try add(.maxAge, .age, length)
        let counts = 0...Int(Int32.max)
        try add(.maxRefused, .refused) { try wholeNumber($0, in: counts).map(Int64.init) }
        try add(.maxLost, .lost) { try wholeNumber($0, in: counts).map(Int64.init) }
        guard !found.isEmpty else {
            throw CommandFailure(
                "check needs a threshold", hint: "evalog check --max-failure-rate 0.05")
        }
        return found
    }

    private func share(_ flag: Flag) throws -> Int64? {
        guard let text = last(flag) else { return nil }
        guard let millionths = Figures.parseShare(text) else {
            throw CommandFailure(
                "--\(flag.name) takes a share from 0 to 1 or from 0% to 100%",
                hint: "--\(flag.name) 0.05 or --\(flag.name) 5%")
        }
        return millionths
    }

    private func length(_ flag: Flag) throws -> Int64? {
        guard let text = last(flag) else { return nil }
        guard let length = Figures.parseDuration(text), length > 0 else {
            throw CommandFailure(
                "--\(flag.name) takes a length of time",
                hint: "--\(flag.name) 800ms or --\(flag.name) 2s")
        }
        return length
    }
}
