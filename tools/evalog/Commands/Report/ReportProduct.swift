// What evalog report is asked to make, and which flags go together.

import VendorSink

enum ReportProduct {
    case draft
    case events(folder: String, BatchLimits)
    case summary(folder: String, sessionCountMin: Int)
    /// Nothing: windows begin now, after a clock that ran ahead.
    case restart
    /// Nothing: windows begin now, for it is lost which were told.
    case restartWithoutLedger

    private static let sessionCountMinDefault = 5

    init(_ arguments: Arguments) throws {
        let limits = try BatchLimits(arguments)
        let sessionCountMin = try arguments.wholeNumber(.minCount, in: 1...1_000_000)
        if arguments.has(.draftCatalog) {
            try arguments.refuse(
                [.to, .catalog, .noEvents, .minCount, .maxBatch, .clockWasAhead, .ledgerWasLost],
                with: .draftCatalog, hint: "evalog report --draft-catalog > reviewed.json")
            self = .draft
            return
        }
        if let restart = try Self.restart(arguments) {
            self = restart
            return
        }
        guard let folder = arguments.last(.to) else {
            throw CommandFailure("report needs --to DIR", hint: "evalog report --to report")
        }
        if arguments.has(.noEvents) {
            try arguments.refuse([.maxBatch], with: .noEvents, hint: "leave one of them out")
            self = .summary(
                folder: folder, sessionCountMin: sessionCountMin ?? Self.sessionCountMinDefault)
            return
        }
        guard sessionCountMin == nil else {
            throw CommandFailure(
                "--min-count needs --no-events: with the events anyone can count the rows",
                hint: "evalog report --to report --no-events --min-count 10")
        }
        self = .events(folder: folder, limits)
    }

    private static func restart(_ arguments: Arguments) throws -> Self? {
        let restarts: [(Flag, Self)] = [
            (.clockWasAhead, .restart), (.ledgerWasLost, .restartWithoutLedger),
        ]
        guard let (flag, product) = restarts.first(where: { arguments.has($0.0) }) else {
            return nil
        }
        let hint = "evalog report --no-events --\(flag.name)"
        let others = restarts.map(\.0).filter { $0.name != flag.name }
        try arguments.refuse(
            [.to, .catalog, .minCount, .maxBatch] + others, with: flag, hint: hint)
        guard arguments.has(.noEvents) else {
            throw CommandFailure("--\(flag.name) needs --no-events", hint: hint)
        }
        return product
    }
}

extension BatchLimits {
    fileprivate init(_ arguments: Arguments) throws {
        self.init()
        guard let text = arguments.last(.maxBatch) else { return }
        guard let bytes = Figures.parseBytes(text).flatMap({ Int(exactly: $0) }),
            Self.byteCounts.contains(bytes)
        else {
            throw CommandFailure(
                "--max-batch takes a size from 10KiB to 500KiB", hint: "--max-batch 100KiB")
        }
        byteCountMax = bytes
    }
}

extension Arguments {
    fileprivate func refuse(_ flags: [Flag], with flag: Flag, hint: String) throws {
        for other in flags where has(other) {
            throw CommandFailure("--\(flag.name) does not go with --\(other.name)", hint: hint)
        }
    }
}
