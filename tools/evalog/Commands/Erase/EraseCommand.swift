// evalog erase: one session, subject or evaluation goes, from every copy of every line.

import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogText

extension Flag {
    static let session = Flag(
        name: "session", value: "SESSION", summary: "Erase what belongs to this session.",
        detail:
            "As the app named it, also where the log holds a digest (~…) in its place. One that no"
            + " line can hold and that the log has no digest of is refused.")
    static let subject = Flag(
        name: "subject", value: "SUBJECT", summary: "Erase what is about this subject.",
        detail:
            "As the app named it, also where the log holds a digest (~…) in its place. One that no"
            + " line can hold and that the log has no digest of is refused.")
    static let id = Flag(
        name: "id", value: "ID", summary: "Erase this evaluation, or this event.")
    static let withFacts = Flag(
        name: "facts", summary: "Erase the facts as well, not only the content.",
        detail: "Events that name an erased evaluation go with it. All numbers are computed without"
            + " them from then on.")
}

extension CommandSpec {
    static let erase = CommandSpec(
        name: "erase", summary: "content, and facts if asked for, of one session or subject",
        about: """
            Puts {"erased":true} in the place of every content line of a session, a subject or an id, in
            every copy of it, and with --facts in the place of its facts. Programs that write the log
            are asked to end their files, which takes about a second. What cannot be read may hold
            anything and goes: damaged bytes, also in aside/, and with --facts the cache; so do digests
            of the session in reveals.ndjson. What is appended later stays, as do catalogs of fields, and what
            else a report must know: that on-device AI was off, and where lines are missing.
            Status 2 if anything is left; the same command goes on then.
            """,
        flags: [.session, .subject, .id, .withFacts, .dryRun, .json, .threads],
        examples: [
            (
                "evalog erase --session 6f1c2a7e-9b3d-4c55-8a1b-2c3d4e5f6071",
                "erases what the session said and was told"
            ),
            ("evalog erase --subject home_banner --facts --dry-run", "says what would go"),
        ],
        prepare: { arguments, console in
            let command = try EraseCommand(arguments, console)
            return command.run
        })
}

struct EraseCommand {
    private let directory: LogDirectory
    private let kind: EraseTarget.Kind
    private let text: String
    private let hasFacts: Bool
    private let isDry: Bool
    private let isJSON: Bool
    private let threads: Int
    private let console: Console

    init(_ arguments: Arguments, _ console: Console) throws {
        directory = LogDirectory(path: console.logPath(arguments))
        let given: [(EraseTarget.Kind, String)] = [
            (.session, Flag.session), (.subject, .subject), (.id, .id),
        ].compactMap { kind, flag in arguments.last(flag).map { (kind, $0) } }
        guard given.count == 1, let (kind, text) = given.first, !text.isEmpty else {
            throw CommandFailure(
                "erase needs one of --session, --subject and --id",
                hint: "evalog erase -h shows an example")
        }
        (self.kind, self.text) = (kind, text)
        hasFacts = arguments.has(.withFacts)
        isDry = arguments.has(.dryRun)
        isJSON = arguments.has(.json)
        threads = try arguments.threadCount()
        self.console = console
    }

    func run() throws -> ExitStatus {
        try directory.demandExisting()
        let key = try ContentAccess.existingKey(of: directory)
        let target = EraseTarget(kind, text, key: key)
        let isGoingOn =
            try ReportRecords(existing: directory)?.isErasing(target.digest(key: key)) ?? false
        if !isGoingOn, let misfit = kind.misfit(text) {
            try demandKnown(target, hasKey: key != nil, misfit)
        }
        return isDry ? try survey(target) : try erase(target, key)
    }

    // MARK: Looking

    /// A text that no line can hold is known by what stands for it in lines. Of a slip of the keys
    /// there is nothing, and it must not pass for something that was erased.
    private func demandKnown(
        _ target: EraseTarget, hasKey: Bool, _ misfit: CommandFailure
    ) throws {
        guard hasKey else {
            throw misfit.adding("the log has no key, and so none by which it would know this one")
        }
        let ids = try ids(of: target)
        let isKnown = try [LogStream.facts, ContentAccess.stream].contains { stream in
            try look(for: target, in: stream, ids).lineCount > 0
        }
        guard isKnown else { throw misfit.adding("the log has none that stands for this one") }
    }

    private func look(
        for target: EraseTarget, in stream: LogStream, _ ids: Set<UniqueID>
    ) throws -> EraseSurvey {
        try watching("reading \(stream.kind.name)") { progress in
            try EraseSurvey.run(
                directory, stream, threads: threads, progress: progress,
                verdict: verdict(matchers(target, ids), stream))
        }
    }

    private func survey(_ target: EraseTarget) throws -> ExitStatus {
        let ids = try ids(of: target)
        var outcome = EraseOutcome(isDry: true)
        for stream in streams {
            let found = try look(for: target, in: stream, ids)
            outcome.parts.append(EraseOutcome.Part(stream.kind, found))
            outcome.asideCount += try AsideFolder(of: directory).files(of: stream.kind).count
        }
        if hasFacts {
            outcome.cacheCount = try directory.files(in: "cache").count
            outcome.summaryCount =
                try ReportRecords(existing: directory)?.hasPending == true ? 1 : 0
        }
        try show(outcome)
        return .done
    }

    /// The ids of the target's facts, whose content need not say whose it is, and of events about
    /// them.
    private func ids(of target: EraseTarget) throws -> Set<UniqueID> {
        var ids = try note(EraseIDs(), of: target)
        if !ids.named.isSubset(of: ids.own) { ids = try note(ids, of: target) }
        return ids.all
    }

    /// What facts tell of ids, besides what is known.
    private func note(_ known: EraseIDs, of target: EraseTarget) throws -> EraseIDs {
        let matchers = matchers(target, known.named)
        _ = try watching("reading facts") { progress in
            try EraseSurvey.run(directory, .facts, threads: threads, progress: progress) {
                worker, line in
                matchers[worker].note(line)
                return .keep
            }
        }
        return matchers.reduce(into: known) { $0.formUnion($1.found) }
    }

    /// Content first: its lines may be known by their facts only.
    private var streams: [LogStream] {
        hasFacts ? [ContentAccess.stream, .facts] : [ContentAccess.stream]
    }

    /// One for each thread.
    private func matchers(_ target: EraseTarget, _ ids: Set<UniqueID>) -> [EraseMatcher] {
        (0..<threads).map { _ in EraseMatcher(target, ids: ids) }
    }

    private func verdict(
        _ matchers: [EraseMatcher], _ stream: LogStream
    ) -> @Sendable (Int, UnsafeRawBufferPointer) -> LineVerdict {
        if stream == .facts { return { worker, line in matchers[worker].fact(line) } }
        return { worker, line in matchers[worker].content(line) }
    }

    private func watching<Result>(
        _ verb: String, _ body: (@escaping @Sendable (ReadProgress) -> Void) throws -> Result
    ) throws -> Result {
        let progress = Progress(verb, console: console)
        defer { progress.end() }
        return try body { progress.update($0) }
    }

    // MARK: Erasing

    private func erase(_ target: EraseTarget, _ key: [UInt8]?) throws -> ExitStatus {
        guard let lock = try MaintenanceLock.wait(directory) else {
            throw CommandFailure(
                "\(directory.path) is being maintained by another command, so nothing was erased",
                hint: "run it again when that one has ended")
        }
        var outcome = EraseOutcome(isDry: false)
        do {
            let ids = try ids(of: target)
            // Facts last: by them alone an interrupted run knows the ids again.
            try erase(target, ids, from: ContentAccess.stream, lock, &outcome)
            if let key {
                outcome.revealCount = try Interrupts.whole {
                    try RevealJournal(directory, console).forget(target.filters(ids), key: key)
                }
            }
            if hasFacts {
                if outcome.isComplete { try eraseFacts(target, ids, lock, key, &outcome) }
                outcome.cacheCount = try emptyCache()
            }
        } catch {
            let failure = ErrorText.of(error)
            throw CommandFailure(
                "not everything is erased: \(failure.what)",
                hint:
                    "what was erased stays so; \(failure.hint.map { "\($0), and" } ?? "then") run it"
                    + " again")
        }
        return try console.show {
            try show(outcome)
        } then: {
            try finish(outcome)
        }
    }

    /// With the facts goes a summary on its way that counts them: no report is made meanwhile, nor after a kill
    /// before all of them are gone.
    private func eraseFacts(
        _ target: EraseTarget, _ ids: Set<UniqueID>, _ lock: MaintenanceLock,
        _ key: [UInt8]?, _ outcome: inout EraseOutcome
    ) throws {
        let records = try ReportRecords(blocking: directory)
        let turn = try records.lock(waits: true)
        defer { turn.end() }
        let digest = target.digest(key: key)
        try records.beginErase(digest)
        outcome.summaryCount = try records.forgetPending() ? 1 : 0
        let standIns = EraseStandIns(for: target, ids: ids, in: directory)
        try erase(target, ids, from: .facts, lock, &outcome) { try standIns.append(for: $0) }
        if outcome.isComplete {
            try records.endErase(digest)
            records.removeIfEmpty()
        }
        if standIns.keptCount > 0 {
            console.note(
                "what tells of the gate or of a gap stays: it is of nobody, and events would leave without it"
            )
        }
        if standIns.catalogCount > 0 {
            console.note("a catalog that lists nothing stands in the place of one that is erased")
        }
    }

    private func erase(
        _ target: EraseTarget, _ ids: Set<UniqueID>, from stream: LogStream,
        _ lock: MaintenanceLock, _ outcome: inout EraseOutcome,
        prepare: (SequencesByWriter) throws -> Void = { _ in }
    ) throws {
        let matchers = matchers(target, ids)
        let report = try watching("erasing \(stream.kind.name)") { progress in
            try Interrupts.stoppable { shouldStop in
                try LineEraser(lock, stream, threads: threads).run(
                    shouldStop: shouldStop, progress: progress, prepare: prepare,
                    tombstone: { stream == .facts ? matchers[$0].tombstone($1) : .plain },
                    verdict: verdict(matchers, stream))
            }
        }
        outcome.parts.append(EraseOutcome.Part(stream.kind, report))
        outcome.asideCount += report.asideCount
    }

    private func emptyCache() throws -> Int {
        let files = try directory.files(in: "cache")
        try directory.delete(files, in: "cache")
        return files.count
    }

    /// The status, and what a person has to know besides the counts.
    private func finish(_ outcome: EraseOutcome) throws -> ExitStatus {
        for part in outcome.parts where !part.leftNames.isEmpty {
            for name in part.leftNames { console.warn("not rewritten: \(part.kind.name)/\(name)") }
        }
        guard outcome.isComplete else {
            throw CommandFailure(
                "not everything is erased: files are held by programs that did not end them, or"
                    + " were written by a later version",
                hint: "end those programs and run it again; what was erased stays so")
        }
        return .done
    }

    private func show(_ outcome: EraseOutcome) throws {
        if isJSON {
            try console.output.write(json: outcome.json())
        } else {
            try console.output.write(outcome.text)
        }
        try console.output.flush()
    }
}
