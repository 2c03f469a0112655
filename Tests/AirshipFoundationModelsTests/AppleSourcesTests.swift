// What is under `#if canImport(FoundationModels)` is compiled here against stubs of our own, linked
// into a small app, and run. What Apple's own framework does with it is not known here.

import Foundation
import Testing

struct AppleSourcesTests {
    private static let stubs = Compiler.root
        .appending(path: "Tests/AirshipFoundationModelsTests/Stubs")

    private static func sources(_ module: String) throws -> [URL] {
        try Compiler.files(in: Compiler.root.appending(path: "Sources/\(module)"), ending: "swift")
    }

    private static func stub(_ module: String) -> [URL] {
        [stubs.appending(path: module + ".swift")]
    }

    @Test(
        "with the SDK of iOS 26 the module compiles; with 27 an app that links it has every model")
    func sdks() throws {
        guard Compiler.isPresent else {
            print("skipped: no swiftc, so the sources for Apple's framework were not compiled")
            return
        }
        let compiler = try Compiler()
        try compiler.module("DeviceTiers", Self.sources("DeviceTiers"))
        try compiler.module("AirshipCore", Self.sources("AirshipCore"))
        try compiler.module("FoundationModels", Self.stub("FoundationModels"))
        try compiler.module("AirshipFoundationModels", Self.sources("AirshipFoundationModels"))

        compiler.conditions = ["FOUNDATION_MODELS_27"]
        for module in ["FoundationModels", "ClaudeForFoundationModels", "FirebaseAILogic"] {
            try compiler.module(module, Self.stub(module))
        }
        try compiler.module("AirshipFoundationModels", Self.sources("AirshipFoundationModels"))
        let app = try Compiler.files(in: Self.stubs.appending(path: "LinkedApp"), ending: "swift")
        let lines = try compiler.output(ofProgram: app).split(separator: "\n").map(String.init)
        let expected = try String(
            contentsOf: Self.stubs.appending(path: "LinkedApp/expected.txt"), encoding: .utf8)
        #expect(lines == expected.split(separator: "\n").map(String.init))
    }
}
