// What evalog report is asked to make, and which flags go together.

import VendorSink

enum ReportProduct {
    case draft
    case events(folder: String, BatchLimits)
    case summary(folder: String, sessionCountMin: Int)
    case restart

    private static let sessionCountMinDefault = 5

    init(_ arguments: Arguments) throws {
        let limits = try BatchLimits(arguments)
        let sessionCountMin = try arguments.wholeNumber(.minCount, in: 1...1_000_000)
        if arguments.has(.draftCatalog) {
            try arguments.refuse(
                [.to, .catalog, .noEvents, .minCount, .maxBatch, .clockWasAhead],
                with: .draftCatalog, hint: "evalog report --draft-catalog > reviewed.json")
            self = .draft
            return
        }
        if arguments.has(.clockWasAhead) {
            let hint = "evalog report --no-events --clock-was-ahead"
            try arguments.refuse(
                [.to, .catalog, .minCount, .maxBatch], with: .clockWasAhead, hint: hint)
            guard arguments.has(.noEvents) else {
                throw CommandFailure("--clock-was-ahead needs --no-events", hint: hint)
            }
            self = .restart
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
