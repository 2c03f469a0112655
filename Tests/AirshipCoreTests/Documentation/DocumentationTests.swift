import AirshipCore
import Foundation
import Testing

#if os(Linux) || os(macOS)
    @Suite("the documentation is the contract", .timeLimit(.minutes(10)))
    struct DocumentationTests {
        @Test(
            "the documentation's examples compile unchanged",
            .enabled(if: ProductDocumentation.isPresent && Toolchain.isPresent),
            arguments: [documentedCalls, documentedModel])
        func examples(app: String) throws {
            let source = try #require(ProductDocumentation.filled(app), "the documentation changed")
            #expect(try Toolchain().errors(inApp: source) == [])
            let wrong = source.replacing("AirshipAI.", with: "AirshipML.")
            #expect(try !Toolchain().errors(inApp: wrong).isEmpty)
        }

        @Test(
            "in an app isolated to the main actor its own types that examples use are nonisolated",
            .enabled(if: ProductDocumentation.isPresent && Toolchain.isPresent),
            arguments: [
                (documentedCalls, "struct Analytics"), (documentedModel, "struct OpenAICompletion"),
            ])
        func isolatedApp(app: String, own: String) throws {
            let source = try #require(ProductDocumentation.filled(app), "the documentation changed")
            let marked = source.replacing(own, with: "nonisolated " + own)
            #expect(marked != source)
            #expect(try Toolchain().errors(inApp: marked, isolation: "MainActor") == [])
            #expect(try !Toolchain().errors(inApp: source, isolation: "MainActor").isEmpty)
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
                .enabled(if: ProductDocumentation.isPresent && Toolchain.isPresent))
            func views() throws {
                let source = try #require(
                    ProductDocumentation.filled(documentedViews), "the documentation changed")
                let toolchain = try Toolchain()
                let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                    .deletingLastPathComponent().deletingLastPathComponent()
                    .deletingLastPathComponent().appending(path: "Sources")
                func files(of module: String) throws -> [String] {
                    let folder = sources.appending(path: module)
                    return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
                        .filter { $0.hasSuffix(".swift") }.map { folder.appending(path: $0).path }
                }
                #expect(try toolchain.makeModule("Combine", combineStub) == [])
                #expect(try toolchain.makeModule("SwiftUI", swiftUIStub) == [])
                for module in ["DeviceTiers", "AirshipCore"] {
                    #expect(try toolchain.makeModule(module, files: files(of: module)) == [])
                }
                #expect(try toolchain.errors(inIsolated: source) == [])
                let wrong = source.replacing("embeddedID:", with: "embeddedId:")
                #expect(try !toolchain.errors(inIsolated: wrong).isEmpty)
            }
        #endif
    }
#endif

@Suite("Airship.ai", .serialized) struct AirshipTests {
    init() {
        Airship.configure(storage: MemoryFeatureStorage())
    }

    @Test("registrations take effect at once, and clearing undoes them")
    func registrations() {
        let suppression = AirshipAI.AnyUsage(AirshipAI.InAppMessageSuppression.usage)
        let selection = AirshipAI.AnyUsage(AirshipAI.EmbeddedSelection.usage)
        let remote = ScriptedModel(ScriptedModel.fail(), label: "remote")
        Airship.ai.setModelResolver { $0 == suppression ? .custom(remote) : .defaultModel }
        #expect(Airship.ai.model(for: suppression)?.label == "remote")
        #expect(Airship.ai.model(for: selection) == nil)
        Airship.ai.setModelResolver { _ in
            Airship.ai.defaultModel == nil ? .custom(remote) : .defaultModel
        }
        #expect(Airship.ai.model(for: selection)?.label == "remote")
        Airship.ai.setModelResolver(nil)
        #expect(Airship.ai.model(for: suppression) == nil)
    }

    @Test("the privacy manager gates what hangs off the same root")
    func gate() {
        Airship.ai.setModelResolver { _ in .custom(ScriptedModel(ScriptedModel.fail())) }
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
}
