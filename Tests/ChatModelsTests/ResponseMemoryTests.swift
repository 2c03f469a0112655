import AirshipCore
import ChatModels
import Foundation
import TestSupport
import Testing

#if os(Linux)
    /// Each in a process of its own: the most memory that a process ever had does not shrink.
    @Suite("memory for answers that are too long", .timeLimit(.minutes(10)))
    struct ResponseMemoryTests {
        /// What one answer may cost while it is refused, in answers of the greatest length: what is kept
        /// of it, and what a socket and this server hold.
        private static let ratioMax = 12

        /// Asks, and ends with status 0 where it was refused for that little memory.
        private static func expectRefused(_ reply: StubReply) async throws -> Never {
            // The first exchange brings in what every one needs.
            let small = try StubServer(always: .http(200, body: completion("true")))
            guard try await model(small).respond(letters("")) == true else { exit(2) }
            let server = try StubServer(always: reply)
            let before = try peakByteCount()
            for _ in 0..<3 {
                guard await failure(of: model(server)) == .responseTooLarge else { exit(3) }
            }
            let growth = try peakByteCount() - before
            exit(growth <= ratioMax * ChatLimits.responseByteMax ? 0 : 4)
        }

        private static func model(_ server: StubServer) -> ChatCompletionsModel {
            ChatCompletionsModel(baseURL: server.baseURL, model: "test-model")
        }

        private static func peakByteCount() throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            guard let kibibytes else { throw CocoaError(.fileReadCorruptFile) }
            return kibibytes << 10
        }

        @Test("an answer without an end costs no more than a few that are not too long")
        func endless() async {
            await #expect(processExitsWith: .exitCode(0)) {
                try await Self.expectRefused(.endless(chunk: String(repeating: " ", count: 65_536)))
            }
        }

        @Test("a hundred kilobytes that unpack to a hundred megabytes cost no more either")
        func packed() async {
            await #expect(processExitsWith: .exitCode(0)) {
                let packed = gzippedSpaces(count: 100 * ChatLimits.responseByteMax)
                try await Self.expectRefused(.packed(packed))
            }
        }
    }
#endif
