// What is under `#if canImport(FoundationModels)` is compiled here against stubs of our own, linked
// into a small app, and run. What Apple's own framework does with it is not known here.

import Foundation
import Testing

@Suite(.serialized)
struct AppleSourcesTests {
    private static let stubs = Compiler.root
        .appending(path: "Tests/AirshipFoundationModelsTests/Stubs")

    private static func sources(_ module: String) throws -> [URL] {
        try Compiler.files(in: Compiler.root.appending(path: "Sources/\(module)"), ending: "swift")
    }

    private static func stub(_ module: String) -> [URL] {
        [stubs.appending(path: module + ".swift")]
    }

    @Test("an app that links the module has the on-device model as default, and every model works")
    func linkedApp() throws {
        guard Compiler.isPresent else {
            print("skipped: no swiftc, so the sources for Apple's framework were not compiled")
            return
        }
        let compiler = try Compiler(conditions: ["FOUNDATION_MODELS_27"])
        for module in ["FoundationModels", "ClaudeForFoundationModels", "FirebaseAILogic"] {
            try compiler.module(module, Self.stub(module))
        }
        for module in ["AirshipCore", "AirshipFoundationModels"] {
            try compiler.module(module, Self.sources(module))
        }
        let app = try Compiler.files(in: Self.stubs.appending(path: "LinkedApp"), ending: "swift")
        let lines = try compiler.output(ofProgram: app).split(separator: "\n").map(String.init)
        let expected = try String(
            contentsOf: Self.stubs.appending(path: "LinkedApp/expected.txt"), encoding: .utf8)
        #expect(lines == expected.split(separator: "\n").map(String.init))
    }

    @Test("the module compiles with the SDK of iOS 26, which knows no LanguageModel protocol")
    func olderSDK() throws {
        guard Compiler.isPresent else {
            print("skipped: no swiftc, so the sources for Apple's framework were not compiled")
            return
        }
        let compiler = try Compiler()
        try compiler.module("FoundationModels", Self.stub("FoundationModels"))
        try compiler.module("AirshipCore", Self.sources("AirshipCore"))
        try compiler.module("AirshipFoundationModels", Self.sources("AirshipFoundationModels"))
    }
}
