// docs/integrating.md: each snippet compiles, and the bridge for the vendor's SDK builds and runs.

import EvalogFacts
import EvalogLog
import Foundation
import TestSupport
import Testing

#if os(Linux) || os(macOS)
    @Suite("docs/integrating.md", .timeLimit(.minutes(10))) struct IntegratingTests {
        private static let vendorApp = "\(RepositoryRoot.path)/Tests/Integration/VendorApp"
        /// Where the build that this test belongs to put what it made.
        private static let products = URL(fileURLWithPath: CommandLine.arguments[0])
            .deletingLastPathComponent().path

        /// A fenced piece of Swift, and the word behind `swift` that says where it belongs.
        private struct Snippet: CustomTestStringConvertible, Sendable {
            let place: String
            let text: String

            var testDescription: String {
                let lines = text.split(separator: "\n")
                return String(lines.first { !$0.hasPrefix("import") } ?? "")
            }

            /// The lines without their indentation.
            var lines: [String] { Self.lines(of: text) }

            static func lines(of text: String) -> [String] {
                text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            }
        }

        private static let snippets: [Snippet] = {
            let path = "\(RepositoryRoot.path)/docs/integrating.md"
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            return text.components(separatedBy: "```swift").dropFirst().map { piece in
                let body = piece.components(separatedBy: "\n```")[0]
                let firstLine = body.prefix { $0 != "\n" }
                return Snippet(
                    place: firstLine.trimmingCharacters(in: .whitespaces),
                    text: String(body.dropFirst(firstLine.count + 1)))
            }
        }()

        private static func source(_ path: String) throws -> [String] {
            Snippet.lines(of: try String(contentsOfFile: path, encoding: .utf8))
        }

        private static let hasCompiler: Bool = {
            let module = "\(products)/Modules/AirshipCore.swiftmodule"
            if Subprocess(["swiftc", "--version"]) != nil,
                FileManager.default.fileExists(atPath: module)
            {
                return true
            }
            print("skipped: no compiler, or no module beside the tests")
            return false
        }()

        @Test(
            "each snippet for apps compiles against the modules as they are",
            .enabled(if: Self.hasCompiler))
        func snippets() throws {
            let scratch = ScratchFolder()
            #if os(Linux)
                let stub = scratch.path("UIKit.swift")
                try uiKitStub.write(toFile: stub, atomically: true, encoding: .utf8)
                let made = try #require(
                    Subprocess([
                        "swiftc", "-swift-version", "6", "-parse-as-library", "-emit-module",
                        "-module-name", "UIKit", stub, "-o", scratch.path("UIKit.swiftmodule"),
                    ]))
                #expect(made.status == 0, "\(made.output)")
            #endif
            let inApps = Self.snippets.filter { $0.place.isEmpty }
            #expect(inApps.count == 12)
            for (number, snippet) in inApps.enumerated() {
                let file = scratch.path("snippet-\(number).swift")
                try snippet.text.write(toFile: file, atomically: true, encoding: .utf8)
                let run = try #require(
                    Subprocess([
                        "swiftc", "-typecheck", "-swift-version", "6",
                        "-I", "\(Self.products)/Modules", "-I", scratch.path,
                        "-Xcc", "-fmodule-map-file=\(Self.products)/CZlib.build/module.modulemap",
                        file,
                    ]))
                #expect(run.status == 0, "\(snippet.testDescription): \(run.output)")
            }
        }

        @Test("what is shown for the vendor's SDK stands so in the app that is built below")
        func verbatim() throws {
            let manifest = try Self.source("\(Self.vendorApp)/Package.swift")
                .map { $0.replacing("package: evalog", with: #"package: "evalog""#) }
            let main = try Self.source("\(Self.vendorApp)/Sources/VendorApp/main.swift")
            let places = ["manifest": manifest, "vendor": main]
            let snippets = Self.snippets.filter { !$0.place.isEmpty }
            #expect(snippets.map(\.place) == ["manifest", "vendor"])
            for snippet in snippets {
                let lines = try #require(places[snippet.place])
                #expect(lines.contains(snippet.lines), "\(snippet.text)")
            }
        }

        private static let hasPackageManager: Bool = {
            if Subprocess(["swift", "--version"]) != nil { return true }
            print("skipped: no swift")
            return false
        }()

        @Test(
            "an app on an SDK with a module named AirshipCore builds with the bridge and records",
            .enabled(if: Self.hasPackageManager))
        func vendorApp() throws {
            let scratch = ScratchFolder()
            // Kept between runs: the first one compiles everything anew.
            let build = "\(RepositoryRoot.path)/.build/vendor-app"
            // The plan of the last build: it does not notice a file that is new in our package.
            try? FileManager.default.removeItem(atPath: "\(build)/debug.yaml")
            let words = [
                "--package-path", Self.vendorApp, "--scratch-path", build,
                "-debug-info-format", "none", "VendorApp",
            ]
            let run = try #require(Subprocess(["swift", "run"] + words + [scratch.path("log")]))
            #expect(run.status == 0, "\(run.output)")
            let directory = LogDirectory(path: scratch.path("log"))
            let facts = try evaluations(in: directory)
            #expect(facts.map(\.outcome) == [.completed, .skipped, .failed, .cancelled])
            #expect(facts.map(\.reason) == [nil, .modelUnavailable, nil, nil])
            #expect(facts.allSatisfy { $0.duration == 500_000 && $0.attempts == 1 })
            #expect(facts.allSatisfy { $0.usage == "embedded_selection" })
            let found = FolderSearch(directory.path).paths(holding: Planted.mark)
            #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix("content/") }, "\(found)")
        }
    }

    /// As much of UIKit, and of what Foundation has on Apple's systems only, as the snippets use.
    private let uiKitStub = """
        @_exported import Foundation

        @MainActor public final class UIApplication {
            public static let shared = UIApplication()
            public func beginBackgroundTask(
                expirationHandler: (@MainActor @Sendable () -> Void)? = nil
            ) -> UIBackgroundTaskIdentifier { UIBackgroundTaskIdentifier() }
            public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
        }

        public struct UIBackgroundTaskIdentifier: Sendable {
            public init() {}
        }

        public struct FileProtectionType: Sendable {
            public static let completeUntilFirstUserAuthentication = FileProtectionType()
        }

        extension FileAttributeKey {
            public static let protectionKey = FileAttributeKey(rawValue: "protection")
        }

        extension URLResourceValues {
            public var isExcludedFromBackup: Bool? {
                get { nil }
                set {}
            }
        }

        extension FileManager {
            public func containerURL(
                forSecurityApplicationGroupIdentifier group: String
            ) -> URL? { nil }
        }
        """
#endif
