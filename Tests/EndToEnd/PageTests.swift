// The exported page as a file, and as one that is kept up to date. What it shows: tools/browser.

import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("export --format html") struct PageTests {
    private func page(_ fixture: CommandFixture) throws -> String {
        try Files.text(fixture.path("site/evalog.html"))
    }

    @Test("is one file, which says how many facts it was computed from")
    func page() throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<7), to: fixture.path("records"))
        try fixture.evalog("import", "records")
        let run = try fixture.evalog("export", "--to", "site", "--format", "html")
        #expect(run.status == 0 && run.errors == "evalog: site: evalog.html\n")
        #expect(Files.names(in: fixture.path("site")) == ["evalog.html"])
        #expect(try page(fixture).contains(#"["records",7]"#))
        #expect(try page(fixture).contains(#""refresh":0"#))
    }

    @Test("with --watch follows the log until a signal, and leaves a whole page")
    func watch() async throws {
        let fixture = CommandFixture()
        func add(_ numbers: Range<Int>) throws {
            try Files.write(Records.text(numbers), to: fixture.path("records"))
            try fixture.evalog("import", "-q", "--source", "\(numbers)", "records")
        }
        try add(0..<3)
        let watching = try fixture.start([
            "export", "--to", "site", "--format", "html", "--watch", "1s",
        ])
        func told(_ count: Int) -> Int { count * "evalog: site: evalog.html\n".utf8.count }
        _ = watching.errors { $0.utf8.count >= told(1) }
        #expect(try page(fixture).contains(#"["records",3]"#))
        #expect(try page(fixture).contains(#""refresh":1"#))
        try add(3..<10)
        _ = watching.errors { $0.utf8.count >= told(2) }
        // An import may be seen half-way, so the last page is awaited.
        try await waitUntil { try page(fixture).contains(#"["records",10]"#) }
        watching.send(SIGTERM)
        #expect(watching.finish().status == -SIGTERM)
        #expect(Files.names(in: fixture.path("site")) == ["evalog.html"])
    }

    @Test(
        "--watch takes no length that would never or always look", arguments: ["0", "999ms", "x"])
    func length(_ text: String) throws {
        let run = try CommandFixture().evalog("export", "--to", "site", "--watch", text)
        #expect(run.status == 2 && run.errors.contains("--watch takes a length from 1s to 1d"))
    }
}
