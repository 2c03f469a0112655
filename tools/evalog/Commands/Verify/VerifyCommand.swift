// evalog verify: what is damaged, what is lost, exactly.

import EvalogContent
import EvalogLog
import EvalogText

extension Flag {
    static let withContent = Flag(
        name: "content", summary: "Verify the content stream as well.",
        detail: "Without it, nothing under content/ is touched.")
}

extension CommandSpec {
    static let verify = CommandSpec(
        name: "verify", summary: "damage and loss, exactly; status 1 if there is any",
        about: """
            Reads and checks every block: checksums, sequences, chains, seals. Names each damaged
            place with its segment, offset and length, and how many lines of which writer are lost.
            A segment that its writer did not seal but that ends on a block is no damage; it is named.
            So is what lies among the segments and is none; where that holds lines which are nowhere
            else, the log is not whole either.
            """,
        flags: [.withContent, .json, .threads],
        examples: [
            ("evalog verify", "checks the facts"),
            ("evalog verify --content --json", "checks both streams, for a program"),
        ],
        prepare: { arguments, console in
            let command = VerifyCommand(
                directory: LogDirectory(path: console.logPath(arguments)),
                streams: arguments.has(.withContent) ? [.facts, ContentAccess.stream] : [.facts],
                isJSON: arguments.has(.json), threads: try arguments.threadCount(), console: console
            )
            return command.run
        })
}

struct VerifyCommand {
    let directory: LogDirectory
    let streams: [LogStream]
    let isJSON: Bool
    let threads: Int
    let console: Console

    func run() throws -> ExitStatus {
        try directory.demandExisting()
        let reads = try streams.map(verify)
        // A file in the one folder may belong into the other.
        let present = Dictionary(
            uniqueKeysWithValues: zip(streams, reads).map { ($0.kind, $1.position[$0.kind]) })
        let reports = try zip(streams, reads).map {
            try StreamReport(directory, $0, $1, present: present)
        }
        return try console.show {
            for report in reports {
                if isJSON {
                    try console.output.write(json: report.json())
                } else {
                    try console.output.write(report.text(in: directory.path))
                }
            }
        } then: {
            reports.allSatisfy(\.isWhole) ? .done : .no
        }
    }

    private func verify(_ stream: LogStream) throws -> ReadReport {
        let progress = Progress("verifying \(stream.kind.name)", console: console)
        defer { progress.end() }
        return try verifyLog(directory, stream, threads: threads) { progress.update($0) }
    }
}

extension JSONWriter {
    /// Members that are whole numbers.
    mutating func counts(_ members: [(StaticString, Int)]) {
        for (name, value) in members {
            key(name)
            integer(Int64(value))
        }
    }

    /// A member that is an array of what `write` writes.
    mutating func array<Item>(
        _ name: StaticString, _ items: [Item], _ write: (Item, inout JSONWriter) -> Void
    ) {
        key(name)
        beginArray()
        for item in items { write(item, &self) }
        endArray()
    }
}
