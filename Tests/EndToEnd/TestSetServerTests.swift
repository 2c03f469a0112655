// evalog testset run against servers that fail: what is the server's is asked again, what is a case's is
// its result.

import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("evalog testset and failing servers", .timeLimit(.minutes(10)))
struct TestSetServerTests {
    /// Answers every case right, but for those that it is told to fail.
    private final class Server: Sendable {
        private let replies = Mutex<@Sendable (Int) -> StubReply?>({ _ in nil })
        private let asked = Mutex<[Int]>([])
        private let stub = Mutex<StubServer?>(nil)

        init() throws {
            let server = try StubServer { [self] request, _ in
                let number = TestSetFiles.number(in: request.body) ?? -1
                asked.withLock { $0.append(number) }
                return replies.withLock { $0 }(number) ?? Self.answer(to: number)
            }
            stub.withLock { $0 = server }
        }

        var url: String { stub.withLock { $0?.baseURL.absoluteString ?? "" } }
        /// Cases by number, in the order in which they were asked about.
        var questions: [Int] { asked.withLock { $0 } }

        /// Nil: the right answer.
        func reply(_ reply: @escaping @Sendable (Int) -> StubReply?) {
            replies.withLock { $0 = reply }
        }

        func stop() { stub.withLock { $0?.stop() } }

        private static func answer(to number: Int) -> StubReply {
            let text = TestSetFiles.answer(number).replacing("\"", with: "\\\"")
            return .http(
                200,
                body:
                    #"{"choices":[{"message":{"content":"\#(text)"},"finish_reason":"stop"}]}"#)
        }
    }

    private let server: Server
    private let fixture = CommandFixture()

    init() throws {
        server = try Server()
        try TestSetFiles.write(to: fixture)
    }

    private func run(_ words: String = "") throws -> Finished {
        try fixture.start(
            ["testset", "run", "cases", "--model-url", server.url, "--model", "m"]
                + words.split(separator: " ").map(String.init)
        ).finish()
    }

    /// The verdicts of the log by case.
    private func verdicts() throws -> [String: String] {
        var verdicts: [String: String] = [:]
        for line in try fixture.factLines() where line.contains("\"test_result\"") {
            let fact = try #require(
                JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            verdicts[try #require(fact["case"] as? String)] = fact["verdict"] as? String
        }
        return verdicts
    }

    private func evaluationCount() throws -> Int {
        try fixture.factLines().count { $0.contains("\"evaluation\",") }
    }

    @Test(
        "what a dying server says is no result; the rest is asked when it is back",
        arguments: [500, 429, 503, 404, 0], [1, 4])
    func dying(status: Int, parallel: Int) throws {
        let death = Death(after: 8, status: status)
        server.reply { death.reply($0) }
        let failed = try run("--parallel \(parallel)")
        #expect(failed.status == 2, "\(failed.errors)")
        let judged = try verdicts()
        #expect(judged.count == 8 && Set(judged.values) == ["pass"])
        #expect(failed.errors.contains("16 of 24 are still to be asked"), "\(failed.errors)")
        // Those in a row, what is asked meanwhile and the case that had got an answer, each three times.
        #expect(server.questions.count <= 8 + 3 * (3 + 2 * parallel))
        server.reply { _ in nil }
        let second = try run("--parallel \(parallel)")
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.errors.contains("8 of 24 were done"))
        #expect(
            try verdicts() == Dictionary(uniqueKeysWithValues: (0..<24).map { ("c\($0)", "pass") }))
    }

    /// A server's end after so many answers.
    private final class Death: Sendable {
        private let left: Mutex<Int>
        private let status: Int

        init(after count: Int, status: Int) {
            left = Mutex(count)
            self.status = status
        }

        func reply(_: Int) -> StubReply? {
            let isAlive = left.withLock { left in
                left -= 1
                return left >= 0
            }
            return isAlive ? nil : status == 0 ? .bytes("") : .http(status, body: "{}")
        }
    }

    @Test("a case that gets no answer twice while others do is an error, and the run is complete")
    func badCase() throws {
        server.reply { $0 == 5 ? .http(500, body: "{}") : nil }
        let finished = try run()
        #expect(finished.status == 0, "\(finished.errors)")
        let verdicts = try verdicts()
        #expect(verdicts.count == 24 && verdicts["c5"] == "error")
        #expect(verdicts.values.count { $0 == "pass" } == 23)
        // What the server was asked to tell whether it lives is not in the log.
        #expect(try evaluationCount() == 25)
        #expect(server.questions.count == 23 + 2 * 3 + 1)
    }

    @Test("bad cases at the start stop a run once, not each time")
    func badStart() throws {
        server.reply { $0 < 3 ? .http(500, body: "{}") : nil }
        let first = try run()
        #expect(first.status == 2)
        #expect(first.errors.contains("24 of 24 are still to be asked"), "\(first.errors)")
        #expect(try verdicts().isEmpty)
        let second = try run()
        #expect(second.status == 0, "\(second.errors)")
        let verdicts = try verdicts()
        #expect(verdicts.filter { $0.value == "error" }.keys.sorted() == ["c0", "c1", "c2"])
        #expect(verdicts.count == 24)
    }

    @Test("a server that answers nobody has no results, however often it is tried")
    func silence() throws {
        server.reply { _ in .http(500, body: "{}") }
        for count in 1...3 {
            let failed = try run()
            #expect(failed.status == 2)
            #expect(failed.errors.contains("the model does not answer: server_error"))
            #expect(server.questions.count == count * 9)
        }
        #expect(try verdicts().isEmpty)
    }

    @Test("a server that wants a key or has no quota left is asked once", arguments: [401, 402])
    func access(status: Int) throws {
        server.reply { _ in .http(status, body: "{}") }
        #expect(try run().status == 2)
        #expect(Set(server.questions) == [0])
        #expect(try verdicts().isEmpty)
    }

    @Test("a server that is gone is not reached, and nothing is judged")
    func gone() throws {
        server.stop()
        let failed = try run()
        #expect(failed.status == 2)
        #expect(failed.errors.contains("24 of 24 are still to be asked"))
        #expect(try verdicts().isEmpty)
    }
}
