// The most memory that the built program takes for lines as long as lines may be.

#if os(Linux)
    import EvalogLog
    import TestSupport
    import Testing

    @Suite("Resident memory", .serialized) struct ResidentMemoryTests {
        /// What docs/limits.md promises for commands that stream.
        static let byteCountMax = 100_000_000

        /// Where a record is long, and what of.
        enum Shape: String, CaseIterable, Sendable {
            case output, incompressible, context, manyItems, instructions, error
        }

        @Test(
            "of importing and reading lines of 16 MiB stays below 100 MB",
            arguments: Shape.allCases)
        func longest(shape: Shape) throws {
            let fixture = CommandFixture()
            try Files.write(Self.records(shape), to: fixture.path("records"))
            try expectFew("import", "--content", "all", "records", in: fixture)
            try expectFew("tail", "--reveal", "-n", "20", in: fixture)
            try expectFew("tail", "--reveal", "-n", "1", "--json", in: fixture)
            try expectFew("verify", "--content", "--threads", "4", in: fixture)
            let shown = try fixture.shell("\"$EVALOG\" tail --reveal --json | wc -lc")
            let counts = shown.text.split(separator: " ").compactMap {
                Int($0.filter(\.isWholeNumber))
            }
            #expect(counts[0] == 4)
            #expect(counts[1] > 2 * (LogLimits.lineByteCountMax - 100))
        }

        @Test("content that would be too long is left out, said and not counted")
        func tooLong() throws {
            let fixture = CommandFixture()
            try Files.write(Self.record(.output, 0, spare: 0), to: fixture.path("records"))
            let run = try fixture.evalog("import", "--content", "all", "records")
            #expect(run.errors.contains("content of more than 16 MiB was left out"))
            #expect(run.errors.contains("1 evaluation, 0 events\n"))
            #expect(try fixture.text(of: "content").isEmpty)
        }

        @Test("of importing does not depend on how the lines come")
        func ways() throws {
            let fixture = CommandFixture()
            try Files.write(Self.records(.incompressible), to: fixture.path("records"))
            try fixture.shell("gzip -1 -k records")
            try expectFew("import", "--content", "all", "records.gz", in: fixture)
            try expectFew("import", "--content", "all", "--strict", "records", in: fixture)
            try expectFew("import", "--content", "all", "-", input: "records", in: fixture)
        }

        @Test("of rewriting segments of such lines stays below 100 MB")
        func rewriting() throws {
            let fixture = CommandFixture()
            try Files.write(Self.records(.incompressible), to: fixture.path("records"))
            try fixture.shell("split -l 1 records part-; cp part-aa part-ac; cp part-ab part-ad")
            for part in ["part-aa", "part-ab", "part-ac", "part-ad"] {
                try fixture.evalog("import", "--content", "all", part, "--source", part)
            }
            try expectFew("maintain", in: fixture)
            #expect(Files.names(in: fixture.path("log/content")).count == 2)
            try expectFew("erase", "--id", Self.id(1), "--facts", in: fixture)
            #expect(try fixture.evalog("verify", "--content").status == 0)
        }

        @Test("of reading facts as long as facts may be stays below 100 MB")
        func facts() throws {
            let fixture = CommandFixture()
            let writer = try LogWriter(fixture.directory)
            let filler = String(repeating: "what a later version knows ", count: 38_000)
            for number in 10..<60 {
                let line =
                    #"{"v":1,"type":"evaluation","id":"0193f0a0-0000-7000-8000-0000000000\#(number)","time":"2026-11-29T10:15:30Z","usage":"u","outcome":"completed","attempts":1,"later":"\#(filler)"}"#
                _ = writer.appendWaiting(Array(line.utf8), to: .facts, eventTime: 0)
            }
            try writer.close()
            try expectFew("replay", "--threads", "4", in: fixture)
            try expectFew("tail", "--json", "-n", "20", in: fixture)
            try expectFew("verify", "--threads", "4", in: fixture)
        }

        // MARK: Measuring

        /// Runs evalog, and has a small program of its own say how much memory that took: a child
        /// of this process would begin with the greatest size that this one ever had.
        private static let measuring = """
            import resource, subprocess, sys
            status = subprocess.call(sys.argv[2:], stdin=open(sys.argv[1]), stdout=subprocess.DEVNULL)
            print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
            """

        private func expectFew(
            _ words: String..., input: String = "/dev/null", in fixture: CommandFixture,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let run = try RunningProgram(
                "/usr/bin/env",
                ["python3", "-c", Self.measuring, input, BuiltProgram.evalog] + words,
                in: fixture.folder, environment: ["EVALOG_LOG": fixture.log]
            ).finish()
            let figures = run.text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
            try #require(figures.count == 2, "\(run.errors)", sourceLocation: sourceLocation)
            #expect(figures[0] == 0, "\(words): \(run.errors)", sourceLocation: sourceLocation)
            #expect(
                (10_000_000..<Self.byteCountMax).contains(figures[1]), "\(words)",
                sourceLocation: sourceLocation)
        }

        // MARK: Records

        /// Two, so that the second is read while the first is written.
        private static func records(_ shape: Shape) -> [UInt8] {
            record(shape, 0) + [0x0A] + record(shape, 1) + [0x0A]
        }

        private static func id(_ number: Int) -> String {
            "0193f0a0-0000-7000-8000-00000000000\(number)"
        }

        /// A record as long as a line may be, less what its content has besides.
        private static func record(_ shape: Shape, _ number: Int, spare: Int = 128) -> [UInt8] {
            let head =
                #"{"id":"\#(id(number))","usage":"u","session":"0b54f0ee-9c5d-4d0a-8f52-000000000000","#
            let words = String(repeating: "words, more words ", count: 20)
            let (start, unit, end) =
                switch shape {
                case .output:
                    (#""outcome":"completed","output":{"a":""#, words, #""}}"#)
                case .incompressible:
                    (#""outcome":"completed","output":{"a":""#, noise, #""}}"#)
                case .context:
                    (
                        #""outcome":"completed","request":{"context":{"items":[{"content":""#,
                        words + #"\n"#, #""}]}}}"#
                    )
                case .manyItems:
                    (
                        #""outcome":"completed","request":{"context":{"items":["#,
                        #"{"content":"\#(words)","priority":1},"#, #""}]}}}"#
                    )
                case .instructions:
                    (
                        #""outcome":"completed","request":{"instructions":""#, words + #"\""#,
                        #""}}"#
                    )
                case .error: (#""outcome":"failed","error":""#, words + #"\\"#, #""}"#)
                }
            let room = LogLimits.lineByteCountMax - spare - (head + start + end).utf8.count
            let repeated = Array(unit.utf8)
            var record = Array((head + start).utf8)
            record.reserveCapacity(LogLimits.lineByteCountMax)
            for _ in 0..<room / repeated.count { record += repeated }
            let rest = repeatElement(UInt8(ascii: "x"), count: room % repeated.count)
            return record + (shape == .manyItems ? Array(#"{"content":""#.utf8) : []) + rest
                + Array(end.utf8)
        }

        /// Text that deflate makes hardly smaller: it does not see that far back.
        private static let noise: String = {
            var random = SeededGenerator(seed: 1)
            let digits = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_")
            return String((0..<64 << 10).map { _ in digits[Int(random.next() % 64)] })
        }()
    }
#endif
