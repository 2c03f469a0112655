// What holds of a report whatever stands in the log, checked line by line against what was written there.

import Foundation
import TestSupport
import Testing
import VendorSink

@Suite("Reports of hostile logs") struct HostileReportTests {
    private static let seeds = FuzzSeeds.first(25)

    private func lines(_ seed: UInt64) -> [HostileLine] {
        var log = HostileLog(seed: seed)
        return log.lines(220)
    }

    /// One block for each line, and what the reader knows to be missing.
    private func blocks(_ lines: [HostileLine]) -> [Lines.Block] {
        let present = Set(lines.map { [UInt64($0.writer), $0.sequence] })
        return lines.map { line in
            let isBehindGap =
                line.sequence > 1 && !present.contains([UInt64(line.writer), line.sequence - 1])
            return Lines.Block(
                writer: line.writer, sequence: line.sequence, isBehindGap: isBehindGap,
                lines: [line.text])
        }
    }

    private func screen(_ lines: [HostileLine], reviewed: ReviewedCatalog? = nil) -> Screened {
        Lines.screen(blocks(lines), reviewed: reviewed)
    }

    private func object(_ line: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    // MARK: Forms

    private static let random =
        "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    private static let name = "[A-Za-z0-9_][A-Za-z0-9._:-]{0,127}"
    private static let head =
        #"\{"type":"(in_app_resolution|in_app_form_result)","event_id":"\#(random)","#
        + #""time":"[0-9]+\.[0-9]{2}","session_id":"\#(random)","#
    private static let suppression =
        #""message_id":"\#(name)","miss_behavior":"(cancel|skip|penalize)","#
        + #""resolution":\{"type":"ai_suppressed","display_time":"0\.00"\}\}"#
    private static let output = #"\{("topic":"(billing|delivery|praise)")?,?("urgent":true)?\}"#
    private static let inference =
        #""form":"\#(name)","field":"\#(name)","ai_inference":"#
        + #"\{"result":"(success|failed)"(,"output":\#(output))?\}\}"#

    @Test("hold nothing but what an event has, to the byte", arguments: seeds)
    func forms(seed: UInt64) throws {
        let screened = screen(lines(seed))
        let form = try Regex(Self.head + "(\(Self.suppression)|\(Self.inference))")
        for line in Lines.events(screened) {
            #expect(try form.wholeMatch(in: line) != nil, "\(line)")
        }
        let events = EventLines(screened.events)
        let summary = VendorSummary(screened.events.map { (ReportWindow(start: 0, end: 1), $0) })
        let manifest = Manifest(
            .events(limits: BatchLimits(), batches: events.batches),
            ClosedSets(of: screened, in: summary),
            files: [.events: events.bytes, .summary: summary.bytes])
        for file in [events.bytes, summary.bytes, manifest.bytes, screened.draft.bytes] {
            #expect(!String(decoding: file, as: UTF8.self).contains(HostileLog.mark))
        }
    }

    // MARK: Counts

    @Test("every event left, or was counted as withheld, once", arguments: seeds)
    func counts(seed: UInt64) throws {
        let lines = lines(seed)
        let screened = screen(lines)
        var keys: [String] = []
        for case .event(let key, _, _, _)? in lines.map(\.kind) { keys.append(key) }
        let told = try Lines.events(screened).map(object).map {
            "\($0["type"] as? String ?? "") \($0["event_id"] as? String ?? "")"
        }
        #expect(Set(told).isSubset(of: keys))
        #expect(Set(told.map { $0.split(separator: " ")[1] }).count == told.count)
        let withheld = screened.withheld
        let reasons: [WithheldReason] = [
            .gateOff, .otherUsage, .lostEvaluation, .eventID, .sessionID, .time, .messageID,
            .formField,
            .missBehavior, .unreviewedMessage, .unreviewedField, .repeatedEvents,
        ]
        #expect(told.count + reasons.reduce(0) { $0 + withheld[$1] } == Set(keys).count)
        #expect(withheld[.unreadableLines] == lines.count { $0.kind == nil })
        #expect(screened.events.count > 0 && withheld[.gateOff] > 0)
    }

    @Test("a review only takes away", arguments: seeds)
    func reviewed(seed: UInt64) throws {
        let lines = lines(seed)
        let all = screen(lines)
        let drafted = screen(lines, reviewed: try ReviewedCatalog(all.draft.bytes))
        #expect(Lines.events(drafted) == Lines.events(all))
        let none = screen(lines, reviewed: ReviewedCatalog())
        #expect(none.events.isEmpty)
        let draft = String(decoding: all.draft.bytes, as: UTF8.self)
        let less = try ReviewedCatalog(
            Array(draft.replacing("\"billing\"", with: "\"none\"").utf8))
        let reduced = Lines.events(screen(lines, reviewed: less))
        #expect(!reduced.contains { $0.contains("billing") })
        #expect(reduced.count == all.events.count)
    }

    /// What the catalog in force listed, the slow way: of lines with one id the oldest, of several of one time
    /// what all of them list, of several times the latest that is not later than the event.
    private func listed(for field: String, at second: Double, in lines: [HostileLine]) -> Set<
        String
    > {
        typealias Catalog = (field: String, second: Double, listed: Set<String>)
        var byID: [Int: [Catalog]] = [:]
        for case .catalog(let id, let field, let second, let listed)? in lines.map(\.kind) {
            byID[id, default: []].append((field, second, listed))
        }
        let oldest = byID.values.flatMap { catalogs in
            catalogs.filter { $0.second == catalogs.map(\.second).min() }
        }
        let known = oldest.filter { $0.field == field && $0.second <= second }
        let inForce = known.filter { $0.second == known.map(\.second).max() }
        guard let first = inForce.first else { return [] }
        return inForce.reduce(first.listed) { $0.intersection($1.listed) }
    }

    @Test("a value left if the catalog in force listed it, and only then", arguments: seeds)
    func values(seed: UInt64) throws {
        let lines = lines(seed)
        for event in try Lines.events(screen(lines)).map(object) {
            let inference = event["ai_inference"] as? [String: Any]
            let output = inference?["output"] as? [String: Any] ?? [:]
            let told = output.map { property, value in
                let text = (value as? String) ?? ((value as? Bool) == true ? "true" : "false")
                return "\(property)=\(text)"
            }
            let key = "\(event["type"] ?? "") \(event["event_id"] ?? "")"
            let own = lines.compactMap { line -> (Double, Set<String>?)? in
                guard case .event(key, _, let second, let reported)? = line.kind else { return nil }
                return (second, reported)
            }
            let second = try #require(own.map(\.0).min())
            let field = "\(event["form"] ?? "")/\(event["field"] ?? "")"
            let listed = listed(for: field, at: second, in: lines)
            #expect(listed.isSuperset(of: told))
            guard own.count == 1, let reported = own[0].1 else { continue }
            #expect(Set(told) == reported.intersection(listed))
        }
    }

    // MARK: The gate

    /// Whether anything in the log speaks against the gate's having been on, the slow way.
    private func mayHaveBeenOff(
        _ place: HostileLine, session: Int?, second: Double, in lines: [HostileLine]
    ) -> Bool {
        let own = lines.filter { $0.writer == place.writer }.sorted { $0.sequence < $1.sequence }
        let before = own.filter { $0.sequence < place.sequence }
        // By the order of lines, from the event back.
        var expected = place.sequence - 1
        var toldLine: UInt64?
        for line in before.reversed() {
            if line.sequence != expected || line.kind == nil || line.kind == .refusal {
                return true
            }
            if case .gate(let isOn, _)? = line.kind {
                if !isOn { return true }
                toldLine = line.sequence
                break
            }
            expected -= 1
        }
        if toldLine == nil, expected != 0 { return true }
        // By times.
        var latest: (second: Double, isOn: Bool)?
        for case .gate(let isOn, let time)? in own.map(\.kind) where time <= second {
            if latest.map({ time > $0.second || (time == $0.second && !isOn) }) ?? true {
                latest = (time, isOn)
            }
        }
        if latest?.isOn == false { return true }
        if latest == nil, othersLeaveOpen(at: second, in: lines) { return true }
        // An evaluation of the session was stopped since.
        for line in lines {
            guard case .stop(let stopped, let time)? = line.kind, stopped == session else {
                continue
            }
            if let latest, time <= second, time >= latest.second { return true }
            if let toldLine, line.writer == place.writer,
                (toldLine..<place.sequence).contains(line.sequence)
            {
                return true
            }
        }
        return false
    }

    /// Whether those who tell of the gate, and those whose lines are missing, leave it open for one
    /// who tells nothing. Blocks begin at second 0.
    private func othersLeaveOpen(at second: Double, in lines: [HostileLine]) -> Bool {
        var latest: (second: Double, isOn: Bool)?
        for line in lines {
            var told: [(Double, Bool)] = []
            if case .gate(let isOn, let time)? = line.kind { told = [(time, isOn)] }
            if line.kind == nil { told = [(0, false)] }
            for (time, isOn) in told where time <= second {
                if latest.map({ time > $0.second || (time == $0.second && !isOn) }) ?? true {
                    latest = (time, isOn)
                }
            }
        }
        return latest?.isOn == false
    }

    @Test("nothing leaves from while the gate was off, or may have been", arguments: seeds)
    func gate(seed: UInt64) throws {
        let lines = lines(seed)
        for event in try Lines.events(screen(lines)).map(object) {
            let key = "\(event["type"] ?? "") \(event["event_id"] ?? "")"
            for line in lines {
                guard case .event(key, let session, let second, _)? = line.kind else { continue }
                #expect(
                    !mayHaveBeenOff(line, session: session, second: second, in: lines),
                    "\(line.text)")
            }
        }
    }

    // MARK: Several summaries

    @Test(
        "however often it is summed up, an event counts once, and no row is of few",
        arguments: seeds)
    func summaries(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let blocks = blocks(lines(seed))
        var (progress, readCount) = (SummaryProgress(), 0)
        var (told, windows): (Set<FactKeyText>, [ReportWindow]) = ([], [])
        var now = Lines.start
        while readCount < blocks.count {
            let known = Lines.collect(Array(blocks.prefix(readCount)))
            now += .random(in: 1...60_000_000, using: &random)
            let length = Int64.random(in: 1...90, using: &random) * 1_000_000
            let least = Int.random(in: 1...4, using: &random)
            let window = { (time: Int64) in
                ReportWindow(start: time / length * length, end: time / length * length + length)
            }
            let count = min(blocks.count, readCount + Int.random(in: 1...60, using: &random))
            guard let end = DueEvents.end(after: progress, now: now, window: window) else {
                continue
            }
            readCount = count
            let screened = Screening.screen(
                Lines.collect(Array(blocks.prefix(count))), reviewed: nil,
                past: known.events { $2 < progress.reportedUntil ?? .min })
            let due = DueEvents(of: screened, after: progress, until: end, window: window)
            for (_, event) in due.events {
                #expect(told.insert(FactKeyText(event)).inserted, "told twice")
            }
            for window in Set(due.events.map(\.window)) {
                #expect(windows.allSatisfy { $0.end <= window.start || window.end <= $0.start })
                windows.append(window)
            }
            let (summary, _) = SmallCells.summary(of: due.events, fewerThan: least)
            try expectRows(of: summary, in: due, least)
            progress.reportedUntil = end
        }
    }

    /// What an event is called in the log.
    private struct FactKeyText: Hashable {
        let text: String
        init(_ event: VendorEvent) {
            let isSuppression = if case .suppression = event.body { true } else { false }
            text = "\(isSuppression) \(Lines.number(event))"
        }
    }

    /// Each row is of enough sessions, and counts what there is.
    private func expectRows(of summary: VendorSummary, in due: DueEvents, _ least: Int) throws {
        let rows = String(decoding: summary.bytes, as: UTF8.self).split(separator: "\r\n")
            .dropFirst()
        for row in rows {
            let cells = row.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            let counted = try due.events.filter { window, event in
                let line = String(decoding: EventLines([event]).bytes, as: UTF8.self)
                let object = try object(line)
                let inference = object["ai_inference"] as? [String: Any]
                let output = inference?["output"] as? [String: Any]
                let value = output?[cells[8]].map {
                    ($0 as? String) ?? (($0 as? Bool) == true ? "true" : "false")
                }
                return Lines.seconds(window.start) == cells[0]
                    && Lines.seconds(window.end) == cells[1]
                    && object["type"] as? String == cells[2]
                    && object["message_id"] as? String ?? "" == cells[3]
                    && object["miss_behavior"] as? String ?? "" == cells[4]
                    && object["form"] as? String ?? "" == cells[5]
                    && object["field"] as? String ?? "" == cells[6]
                    && inference?["result"] as? String ?? "" == cells[7]
                    && (cells[8].isEmpty || value == cells[9])
            }
            #expect(counted.count == Int(cells[10]))
            #expect(Set(counted.map(\.event.session)).count >= least)
        }
    }

    // MARK: Order

    @Test("no order of reading and no number of threads changes a byte", arguments: seeds)
    func order(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let blocks = blocks(lines(seed))
        let expected = Lines.screen(blocks)
        for count in 1...3 {
            let other = Lines.screen(blocks.shuffled(using: &random), collectors: count)
            #expect(Lines.events(other) == Lines.events(expected))
            #expect(other.withheld == expected.withheld)
            #expect(other.draft.bytes == expected.draft.bytes)
        }
    }
}
