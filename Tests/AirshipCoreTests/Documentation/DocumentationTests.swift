import AirshipCore
import Foundation
import Testing

#if os(Linux) || os(macOS)
    @Suite("the documentation is the contract", .timeLimit(.minutes(1)))
    struct DocumentationTests {
        /// The product documentation, if it lies where it does during development.
        private static let documentation: [String]? = {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            let environment = ProcessInfo.processInfo.environment["EVALOG_SHARED"]
            let shared =
                environment.map { URL(fileURLWithPath: $0) }
                ?? root.deletingLastPathComponent().appending(path: "shared")
            let folder = shared.appending(path: "reference/product-docs")
            let files = try? FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil)
            if files == nil { print("skipped: the documentation is not at hand") }
            return files?.flatMap { lines((try? String(contentsOf: $0, encoding: .utf8)) ?? "") }
        }()

        /// The lines that hold something, without indentation.
        private static func lines(_ text: String) -> [String] {
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { !$0.isEmpty }
        }

        /// What stands between the markers.
        private static func snippets(in text: String) -> [[String]] {
            lines(text).split(separator: "// BEGIN documentation").dropFirst().map {
                Array($0.prefix { $0 != "// END documentation" })
            }
        }

        @Test(
            "the snippets compiled here are the documentation's to the letter",
            .enabled(if: Self.documentation != nil))
        func verbatim() throws {
            let documentation = try #require(Self.documentation)
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            var count = 0
            for name in ["DocumentedSnippets", "DocumentedOpenAIModel", "DocumentedViews"] {
                let file = folder.appending(path: name + ".swift")
                for snippet in Self.snippets(in: try String(contentsOf: file, encoding: .utf8)) {
                    #expect(documentation.contains(snippet), "\(snippet.first ?? "")")
                    count += 1
                }
            }
            #expect(count == 17)
        }

        @Test(
            "a provider of the wrong subject does not compile, one of the right does",
            .enabled(if: Toolchain.isPresent))
        func wrongSubject() throws {
            let toolchain = try Toolchain()
            func source(_ usage: String) -> String {
                """
                import AirshipCore
                func register(
                    _ provider: @escaping
                        AirshipAI.ContextProvider<AirshipAI.TextInputInference.Subject>
                ) {
                    Airship.ai.setContextProvider(for: AirshipAI.\(usage).usage, provider)
                }
                """
            }
            #expect(try toolchain.errors(inApp: source("TextInputInference")).isEmpty)
            let errors = try toolchain.errors(inApp: source("InAppMessageSuppression"))
            #expect(errors.contains { $0.contains("Subject") }, "\(errors)")
        }

        @Test(
            "an app cannot make a request, so the context of one can only shrink",
            .enabled(if: Toolchain.isPresent))
        func requestInitializer() throws {
            let toolchain = try Toolchain()
            let errors = try toolchain.errors(
                inApp: """
                    import AirshipCore
                    func change(_ request: inout AirshipAI.Request) {
                        request.context = .empty
                    }
                    """)
            #expect(errors.contains { $0.contains("setter is inaccessible") }, "\(errors)")
        }

        #if os(Linux)
            @Test(
                "our views and the documentation's compile against a stub of SwiftUI",
                .enabled(if: Toolchain.isPresent))
            func views() throws {
                let toolchain = try Toolchain()
                let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                    .deletingLastPathComponent().deletingLastPathComponent()
                    .deletingLastPathComponent().appending(path: "Sources/AirshipCore")
                let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
                    .filter { $0.hasSuffix(".swift") }.map { sources.appending(path: $0).path }
                #expect(try toolchain.makeModule("Combine", combineStub) == [])
                #expect(try toolchain.makeModule("SwiftUI", swiftUIStub) == [])
                #expect(try toolchain.makeModule("AirshipCore", files: files) == [])
                #expect(try toolchain.errors(inIsolated: documentedViews) == [])
                let wrong = documentedViews.replacing("embeddedID:", with: "embeddedId:")
                #expect(try !toolchain.errors(inIsolated: wrong).isEmpty)
            }
        #endif
    }
#endif

@Suite("Airship.ai", .serialized) struct AirshipTests {
    init() {
        Airship.configure(storage: MemoryFeatureStorage())
    }

    @Test("the documentation's registrations take effect at once, and clearing undoes them")
    func registrations() async {
        let suppression = AirshipAI.AnyUsage(AirshipAI.InAppMessageSuppression.usage)
        let selection = AirshipAI.AnyUsage(AirshipAI.EmbeddedSelection.usage)
        DocumentedSnippets.provideSuppressionContext()
        DocumentedSnippets.provideSelectionContext()
        DocumentedSnippets.observe()
        DocumentedSnippets.route()
        #expect(Airship.ai.model(for: suppression)?.label == "private-compute")
        #expect(Airship.ai.model(for: selection) == nil)
        await DocumentedSnippets.fallBack()
        #expect(Airship.ai.model(for: selection)?.label == "fallback")
        DocumentedSnippets.clear()
        #expect(Airship.ai.model(for: suppression) == nil)
    }

    @Test("the privacy manager gates what hangs off the same root")
    func gate() {
        Airship.ai.setModelResolver { _ in .custom(myFallbackModel) }
        let usage = AirshipAI.AnyUsage(AirshipAI.EmbeddedSelection.usage)
        #expect(Airship.ai.model(for: usage) != nil)
        Airship.privacyManager.disableFeatures(.onDeviceAI)
        #expect(Airship.ai.model(for: usage) == nil)
        Airship.privacyManager.enabledFeatures = .all
        #expect(Airship.ai.model(for: usage) != nil)
    }

    @Test("a session stays until another begins, and records carry it")
    func session() async {
        let first = Airship.sessionID
        #expect(Airship.sessionID == first)
        Airship.startSession()
        #expect(Airship.sessionID != first)
        let collector = Collector()
        Airship.ai.attach(collector)
        _ = await Airship.evaluator.evaluate(TestEvaluation())
        await Airship.ai.drained()
        #expect(collector.records.map(\.sessionID) == [Airship.sessionID])
    }

    @Test("an app that comes back to the foreground begins a session")
    func foreground() {
        _ = Airship.ai
        let before = Airship.sessionID
        NotificationCenter.default.post(
            name: Notification.Name("UIApplicationWillEnterForegroundNotification"), object: nil)
        #expect(Airship.sessionID != before)
    }

    @Test("the documentation's model is a model, with the defaults")
    func openAIModel() async {
        // It has no seam for a server of ours; that it conforms and has the defaults is enough.
        let model: any AirshipAI.ModelProtocol = OpenAIModel(apiKey: "none")
        #expect(model.availability == .available)
        #expect((model.maxAttempts, model.responseTimeout) == (3, 30))
    }
}
