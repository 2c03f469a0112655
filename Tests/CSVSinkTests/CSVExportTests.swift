// The bytes of the tables: header, cells, quotes, guards and line ends.

import CSVSink
import EvalogFacts
import EvalogMetrics
import Foundation
import TestSupport
import Testing

@Suite("CSV") struct CSVExportTests {
    @Test("every table has the columns of the design, in its order, even without rows")
    func headers() {
        let headers: [CSVFile: String] = [
            .evaluations: "window_start,window_end,usage,model,os,evaluations,completed,skipped,"
                + "failed,cancelled,failure_rate,failure_rate_low,failure_rate_high,retried,"
                + "attempts,duration_count,duration_sum_us,duration_min_ms,duration_mean_ms,"
                + "duration_p50_ms,duration_p90_ms,duration_p95_ms,duration_p99_ms,duration_max_ms",
            .impressions: "window_start,window_end,usage,model,os,impressions,re_evaluations,"
                + "completed,skipped,failed,cancelled,suppressed,not_suppressed",
            .outcomes: "window_start,window_end,usage,model,os,outcome,reason,detail,evaluations",
            .inferences: "window_start,window_end,subject,status,inferences",
            .inferenceValues: "window_start,window_end,subject,field,value,inferences",
            .durations: "window_start,window_end,usage,model,os,lower_us,upper_us,evaluations",
            .testSets:
                "started,suite,task,model,os,device,run,suite_digest,cases,passing,pass_rate,"
                + "pass_rate_low,pass_rate_high,flaky,results,passed,failed,errors,failed_invalid,"
                + "failed_different,failed_wrong_class,failed_missing_fact,failed_forbidden_fact,"
                + "failed_other,duration_count,duration_p50_ms,duration_p95_ms",
            .drift: "usage,measure,subject,field,value,verdict,baseline_sessions,baseline_count,"
                + "baseline_hits,baseline_share,baseline_ms,candidate_sessions,candidate_count,"
                + "candidate_hits,candidate_share,candidate_ms,mixed_sessions,difference_share,"
                + "difference_share_low,difference_share_high,difference_ms,difference_ms_low,"
                + "difference_ms_high,effect_size,p,adjusted_p",
            .quality: "name,value",
        ]
        for file in CSVFile.allCases {
            #expect(MetricsTables.empty.text(file) == headers[file]! + "\r\n")
        }
    }

    @Test("a row reads as the design says: times, rates, milliseconds, empty cells")
    func row() {
        var tables = MetricsTables.empty
        tables.groups = [[Name("embedded_selection"), .absent, Name("iOS 26.1")]]
        var outcomes = OutcomeCounts()
        outcomes.completed = 2
        outcomes.failed = 1
        var durations = Histogram()
        for value: UInt64 in [1, 2, 1_500_000] { durations.add(value) }
        tables.evaluations = [
            EvaluationRow(
                window: MetricsTables.hour, group: 0, outcomes: outcomes, retried: 1,
                attempts: 4, durations: durations, latest: MetricsTables.hour.start)
        ]
        let lines = tables.text(.evaluations).components(separatedBy: "\r\n")
        #expect(
            lines[1] == "2026-11-29T10:00:00Z,2026-11-29T11:00:00Z,embedded_selection,,iOS 26.1,"
                + "3,2,0,1,0,0.333333,0.061492,0.792340,1,4,3,1500003,0.001,500.001,0.002,"
                + "1500.000,1500.000,1500.000,1500.000")
        #expect(
            tables.text(.durations).components(separatedBy: "\r\n")[3]
                == "2026-11-29T10:00:00Z,2026-11-29T11:00:00Z,embedded_selection,,iOS 26.1,"
                + "1499136,1503232,1")
    }

    @Test("rates and durations of nothing are empty cells, counts are bare digits")
    func nothing() {
        let cells = readStrictly(MetricsTables.grouped(["m"]).bytes(.evaluations))![1]
            .map { String(decoding: $0, as: UTF8.self) }
        #expect(cells[3] == "1234567" && cells[5] == "1234567")
        #expect(cells[8...10] == ["", "", ""])
        #expect(cells[13] == "0" && cells[14...].allSatisfy { $0.isEmpty })
    }

    @Test("suppression cells are empty unless the row has such an impression")
    func suppression() {
        var tables = MetricsTables.empty
        tables.rules.by = []
        tables.groups = [[]]
        var counts = SuppressionCounts()
        counts.notSuppressed = 2
        tables.impressions = [nil, counts].map {
            ImpressionRow(
                window: MetricsTables.hour, group: 0, outcomes: OutcomeCounts(), reEvaluations: 0,
                suppression: $0)
        }
        let lines = tables.text(.impressions).components(separatedBy: "\r\n")
        #expect(lines[1].hasSuffix(",0,0,0,0,0,0,,") && lines[2].hasSuffix(",0,0,0,0,0,0,0,2"))
    }

    @Test(
        "a name gets quotes and a guard exactly where it needs them",
        arguments: [
            ("plain", "plain"), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("a\nb", "\"a\nb\""), ("a\rb", "\"a\rb\""), ("a\r\nb", "\"a\r\nb\""),
            ("a\u{2028}b", "\"a\u{2028}b\""), ("a\u{2029}", "\"a\u{2029}\""),
            ("a\u{2027}b", "a\u{2027}b"), ("=1+1", "'=1+1"), ("+49", "'+49"), ("-1+1", "'-1+1"),
            ("@cmd", "'@cmd"), ("\tx", "'\tx"), ("\rx", "\"'\rx\""), ("'x", "''x"),
            ("=a,b", "\"'=a,b\""), ("a=b", "a=b"), ("=\u{301}1", "'=\u{301}1"),
            ("a,\u{301}b", "\"a,\u{301}b\""), ("\"\u{301}", "\"\"\"\u{301}\""),
            ("20230203", "20230203"), ("007", "007"), ("1e5", "1e5"), ("NaN", "NaN"),
            ("Empfänger", "Empfänger"), ("مستخدم", "مستخدم"), (" space ", " space "),
        ])
    func names(name: String, cell: String) {
        let bytes = MetricsTables.grouped([name]).bytes(.evaluations)
        let start = "2026-11-29T10:00:00Z,2026-11-29T11:00:00Z,".utf8
        let header = bytes.firstIndex(of: 0x0A)! + 1
        let rest = bytes[(header + start.count)...]
        #expect(rest.starts(with: Array((cell + ",1234567").utf8)))
    }

    @Test("any names read back equal, as many records as rows", arguments: 0..<UInt64(50))
    func readsBack(seed: UInt64) throws {
        let alphabet: [[UInt8]] = [
            [0x2C], [0x22], [0x0D], [0x0A], [0x09], [0x3D], [0x2D], [0x27], [0x61], [0x20],
            [0xE2, 0x80, 0xA8], [0xCC, 0x81], [0xE2], [0xFF], [0x00],
        ]
        var generator = SeededGenerator(seed: seed)
        let names = (0..<100).map { _ in
            (0..<Int.random(in: 1...6, using: &generator)).flatMap { _ in
                alphabet.randomElement(using: &generator)!
            }
        }
        var tables = MetricsTables.grouped(names.map { _ in "" })
        tables.groups = names.map { [Name(bytes: $0)] }
        let records = try #require(readStrictly(tables.bytes(.evaluations)))
        #expect(records.count == names.count + 1)
        for (name, record) in zip(names, records.dropFirst()) {
            let guarded = "=+-@\t\r'".utf8.contains(name[0])
            #expect(record[2] == (guarded ? [UInt8(ascii: "'")] : []) + name)
            #expect(record.count == records[0].count)
        }
    }

    @Test("there is no byte order mark, and every line ends in CR LF")
    func frame() {
        let bytes = MetricsTables.grouped(["a", "b"]).bytes(.evaluations)
        #expect(bytes.first == UInt8(ascii: "w"))
        #expect(bytes.suffix(2) == [0x0D, 0x0A])
        #expect(bytes.filter { $0 == 0x0A }.count == 3 && bytes.filter { $0 == 0x0D }.count == 3)
    }

    @Test("a large table comes in pieces, and an error stops it at once")
    func pieces() {
        struct Full: Error {}
        let tables = MetricsTables.grouped((0..<5_000).map { "model-\($0)" })
        var sizes: [Int] = []
        CSVExport(tables).table(.evaluations).write { sizes.append($0.count) }
        #expect(sizes.count > 3 && sizes.allSatisfy { $0 < 66 << 10 })
        var calls = 0
        #expect(throws: Full.self) {
            try CSVExport(tables).table(.evaluations).write { _ in
                calls += 1
                if calls == 2 { throw Full() }
            }
        }
        #expect(calls == 2)
    }

    @Test("sums beyond 64 bits are written in full")
    func largeSums() {
        var tables = MetricsTables.grouped(["m"])
        tables.evaluations[0].attempts = UInt128(UInt64.max) + 1
        #expect(tables.text(.evaluations).contains(",18446744073709551616,"))
    }
}
