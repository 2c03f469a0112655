// What an app tells, and what of it stands in the log.

import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogRecording
import EvalogText
import Foundation
import TestSupport
import Testing

@Suite("EvaluationRecorder") struct EvaluationRecorderTests {
    private let fixture = RecorderFixture()

    @Test("an evaluation becomes one fact with the device's facts, and one content line")
    func whole() throws {
        let recorder = fixture.recorder()
        var observation = ObservedEvaluation.marked()
        observation.time = 42
        observation.model = "smollm2-135m"
        observation.duration = .seconds(1.005)
        recorder.record(observation)
        #expect(recorder.close())
        let fact = try #require(try fixture.evaluations().first)
        #expect(try fixture.facts().count == 1)
        #expect(fact.id.text == observation.id)
        #expect((fact.time, fact.isTimeAssumed) == (42, false))
        #expect([fact.os, fact.device, fact.app] == ["iOS 26.1", "iPhone17,1", "4.2.0"])
        #expect((fact.outcome, fact.duration, fact.attempts) == (.completed, 1_005_000, 1))
        #expect((fact.subject, fact.model) == ("home_banner", "smollm2-135m"))
        let content = try #require(try fixture.contents().first)
        #expect(try fixture.contents().count == 1)
        #expect(content.id == fact.id)
        #expect(content.instructions == "Rank for \(Planted.mark).")
        #expect(content.context == [.init(content: "likes \(Planted.mark)", priority: 0)])
        #expect(content.answer == .output(try RawJSON(Array(#"{"said":"\#(Planted.mark)"}"#.utf8))))
        #expect((recorder.status.recordedCount, recorder.status.contentCount) == (1, 1))
        #expect(recorder.status.refusedCounts.isEmpty)
    }

    @Test("observations, and a recorder that holds lines of them, show none of their text")
    func descriptions() {
        let recorder = fixture.recorder()
        recorder.suspend()
        let endings: [ObservedEvaluation.Ending?] = [
            nil, .skipped(reason: Planted.mark), .failed(error: Planted.mark),
        ]
        for ending in endings {
            let observation = ObservedEvaluation.marked(Planted.mark, ending)
            recorder.record(observation)
            for value in [
                observation, observation.ending, observation.request, observation.request.context,
            ] as [Any] {
                let isSilent = !shown(value).contains(Planted.mark)
                #expect(isSilent)
            }
        }
        #expect(
            "\(ObservedEvaluation.marked())"
                == "ObservedEvaluation(completed, attempts: 1, Request(context: 1))")
        #expect("\(recorder)" == "EvaluationRecorder(content: all(days: 7))")
        #expect(Mirror(reflecting: recorder).children.map(\.label) == ["content"])
    }

    @Test("folders above the log that are missing are made, for nobody else to look into")
    func missingFolders() throws {
        let folder = ScratchFolder()
        let path = folder.path("Library/Application Support/evalog")
        let recorder = EvaluationRecorder(directory: path, content: .off)
        recorder.record(.marked())
        #expect(recorder.close())
        #expect(try verifyLog(LogDirectory(path: path), .facts).lineCount == 1)
        var status = stat()
        #expect(stat(folder.path("Library"), &status) == 0 && status.st_mode & 0o777 == 0o700)
    }

    @Test("a log that cannot be opened is no success of flush, suspend or close")
    func cannotOpen() throws {
        let folder = ScratchFolder()
        try Data().write(to: URL(fileURLWithPath: folder.path("file")))
        let recorder = EvaluationRecorder(directory: folder.path("file/log"), content: .off)
        #expect(recorder.flush())
        recorder.record(.marked())
        #expect(!recorder.flush())
        #expect(!recorder.suspend())
        #expect(!recorder.close())
        #expect(recorder.status.refusedCounts == ["io_error": 1])
    }

    @Test("an answer that is no JSON is kept as a string")
    func foreignAnswer() throws {
        let recorder = fixture.recorder()
        recorder.record(.marked("m", .completed(output: "Sure! {")))
        recorder.close()
        #expect(try fixture.contents().first?.answer == .output(RawJSON(string: "Sure! {")))
    }

    @Test("without a time it began its duration ago, and an id sorts by that moment's clock")
    func drawn() throws {
        let recorder = fixture.recorder()
        var observation = ObservedEvaluation(usage: "u", ending: .cancelled, attempts: 1)
        observation.duration = .seconds(2)
        recorder.record(observation)
        recorder.record(observation)
        recorder.close()
        let facts = try fixture.evaluations()
        #expect(facts.map(\.time) == Array(repeating: SettableClock.start - 2_000_000, count: 2))
        #expect(facts.allSatisfy { !$0.isTimeAssumed })
        #expect(Set(facts.map(\.id)).count == 2)
        #expect(facts.allSatisfy { Array($0.id.text.utf8)[14] == UInt8(ascii: "7") })
    }

    @Test(
        "a duration that cannot be is marked, the rest is exact, and nothing traps",
        arguments: [
            (Double.nan, nil), (-0.5, nil), (.infinity, nil), (-.infinity, nil), (1e300, nil),
            (86_400.000_001, nil), (86_400, 86_400_000_000), (0, 0), (-0.0, 0),
            (0.000_000_5, 1), (1.005, 1_005_000), (.leastNonzeroMagnitude, 0),
        ] as [(Double, Int64?)])
    func durations(seconds: Double, expected: Int64?) throws {
        let recorder = fixture.recorder(.off)
        var observation = ObservedEvaluation.marked()
        observation.duration = .seconds(seconds)
        recorder.record(observation)
        recorder.close()
        let fact = try #require(try fixture.evaluations().first)
        #expect(fact.duration == expected)
        #expect(fact.isDurationInvalid == (expected == nil))
    }

    @Test("absurd attempts and times are brought into range", arguments: [Int.min, -1, .max])
    func extremes(count: Int) throws {
        let recorder = fixture.recorder()
        var observation = ObservedEvaluation.marked()
        observation.attempts = count
        observation.time = Int64(count)
        recorder.record(observation)
        #expect(recorder.close())
        let fact = try #require(try fixture.evaluations().first)
        #expect((0...Int64(FactLimits.attemptsMax)).contains(Int64(fact.attempts)))
        #expect(Timestamp.range.contains(fact.time))
    }

    static let endings: [ObservedEvaluation.Ending] = [
        .completed(output: "{}"), .failed(error: "boom"), .cancelled, .skipped(reason: "no_model"),
    ]

    @Test(
        "content is kept as chosen: nothing, failures, or all",
        arguments: [
            (ContentRetention.off, []), (.failures(days: 1), [1]), (.all(days: 1), [0, 1, 2, 3]),
        ] as [(ContentRetention, [Int])])
    func choice(content: ContentRetention, kept: [Int]) throws {
        let recorder = fixture.recorder(content)
        for (number, ending) in Self.endings.enumerated() {
            recorder.record(.marked("m", ending, number: number))
        }
        recorder.close()
        #expect(
            try fixture.contents().map(\.id.text) == kept.map { ObservedEvaluation.uuid($0) })
        if content == .off {
            #expect(!FileManager.default.fileExists(atPath: "\(fixture.directory.path)/content"))
        }
    }

    @Test("an answer that the feature could not decode counts as a failure for content")
    func undecoded() throws {
        let recorder = fixture.recorder(.failures(days: 7))
        var observation = ObservedEvaluation.marked()
        observation.isDecoded = false
        recorder.record(observation)
        recorder.close()
        #expect(try fixture.contents().count == 1)
        #expect(try fixture.evaluations().first?.isDecoded == false)
    }

    @Test("a question that no model was asked keeps its context to itself")
    func unasked() throws {
        let recorder = fixture.recorder()
        var observation = ObservedEvaluation.marked("m", .skipped(reason: "no_model"))
        observation.attempts = 0
        recorder.record(observation)
        recorder.close()
        #expect(try fixture.contents().first?.context == [])
    }

    @Test("no text of any field gets into the facts unless it has a closed shape")
    func markers() throws {
        let recorder = fixture.recorder()
        let words = "\(Planted.mark) in words"
        var observation = ObservedEvaluation.marked(words, .failed(error: words, class: words))
        observation.usage = words
        observation.subject = words
        observation.session = words
        observation.model = "https://host/\(Planted.mark)"
        observation.os = words
        observation.device = "\(Planted.mark)'s phone 1"
        observation.app = words
        observation.id = words
        recorder.record(observation)
        recorder.record(.marked(words, .skipped(reason: words, detail: words), number: 1))
        recorder.record(.marked(words, number: 2))
        var report = FeatureReport(
            .formInference(
                evaluation: words, field: words, isSuccess: true,
                values: [Planted.mark: .text(words)]))
        report.session = words
        report.id = words
        recorder.record(report)
        recorder.record(
            FeatureReport(.suppressed(evaluation: words, message: words, missBehavior: words)))
        recorder.record(FeatureReport(.catalog(field: words, values: [words: [.text("a")]])))
        recorder.close()
        #expect(try fixture.facts().count == 6)
        let found = FolderSearch(fixture.directory.path).paths(holding: Planted.mark)
        #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix("content/") }, "\(found)")
        #expect(recorder.status.replacedCount > 10)
    }

    @Test("content has its days, and older segments go when a log is opened; facts stay")
    func expiry() throws {
        let first = fixture.recorder(.all(days: 3))
        first.record(.marked("old"))
        first.close()
        for number in 1...2 {
            fixture.clock.advance(by: 2 * 86_400_000_000)
            let next = fixture.recorder(.all(days: 3))
            next.record(.marked("new", number: number))
            next.close()
            #expect(try fixture.contents().count == 2)
        }
        #expect(try fixture.evaluations().count == 3)
        #expect(FolderSearch(fixture.directory.path).paths(holding: "old").isEmpty)
    }

    @Test("content whose file was rewritten since gets no more days than its lines have")
    func rewrittenExpiry() throws {
        let first = fixture.recorder(.all(days: 3))
        first.record(.marked("old"))
        first.close()
        let segment = try #require(
            try fixture.directory.list(ContentAccess.stream).segments.first)
        let later = Double((SettableClock.start + 100 * 86_400_000_000) / 1_000_000)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: later)],
            ofItemAtPath: "\(fixture.directory.path)/content/\(segment.name)")
        for number in 1...2 {
            fixture.clock.advance(by: 2 * 86_400_000_000)
            let next = fixture.recorder(.all(days: 3))
            next.record(.marked("new", number: number))
            next.close()
            // The old line beside the first new one, then two new ones.
            #expect(try fixture.contents().count == 2)
        }
    }

    @Test("content that has had its days stays as long as a writer holds it")
    func liveExpiry() throws {
        let first = fixture.recorder(.all(days: 1))
        first.record(.marked("old", number: 1))
        #expect(first.flush())
        fixture.clock.advance(by: 3 * 86_400_000_000)
        let segment = try #require(
            try fixture.directory.list(ContentAccess.stream).segments.first)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 0)],
            ofItemAtPath: "\(fixture.directory.path)/content/\(segment.name)")
        let second = fixture.recorder(.all(days: 1))
        second.record(.marked("new", number: 2))
        second.close()
        first.record(.marked("new", number: 3))
        first.close()
        #expect(try fixture.contents().count == 3)
        #expect(try fixture.gaps().isEmpty)
    }

    @Test(
        "days are taken within 1 to 400, and off lets old content age for a week",
        arguments: [
            (ContentRetention.off, 7), (.all(days: 0), 1), (.all(days: .min), 1),
            (.failures(days: .max), 400), (.failures(days: 30), 30),
        ])
    func days(content: ContentRetention, expected: Int) {
        #expect(content.days == expected)
    }
}
