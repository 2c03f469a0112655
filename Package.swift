// swift-tools-version: 6.2
// One line a module: its name, where it lives, what it may import. docs/architecture.md says why.

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func library(_ name: String, in folder: String, imports: [String] = []) -> Target {
    .target(
        name: name, dependencies: imports.map { .byName(name: $0) }, path: folder,
        swiftSettings: strict)
}

func program(_ name: String, in folder: String, imports: [String]) -> Target {
    .executableTarget(
        name: name, dependencies: imports.map { .byName(name: $0) }, path: folder,
        swiftSettings: strict)
}

func tests(_ name: String, imports: [String], exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: (imports + ["TestSupport"]).map { .byName(name: $0) },
        path: "Tests/\(name)", exclude: exclude, swiftSettings: strict)
}

let package = Package(
    name: "evalog",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "AirshipCore", targets: ["AirshipCore"]),
        .library(name: "AirshipRecording", targets: ["AirshipRecording"]),
        .library(name: "AirshipFoundationModels", targets: ["AirshipFoundationModels"]),
        .library(name: "LongInput", targets: ["LongInput"]),
        .library(name: "ModelConsent", targets: ["ModelConsent"]),
        .library(name: "ChatModels", targets: ["ChatModels"]),
        .library(name: "EvalogRecording", targets: ["EvalogRecording"]),
        .executable(name: "evalog", targets: ["evalog"]),
    ],
    targets: [
        .target(name: "CZlib", path: "Sources/CZlib", linkerSettings: [.linkedLibrary("z")]),
        library("EvalogText", in: "Sources/EvalogText"),
        library("Statistics", in: "Sources/Statistics"),
        library("EvalogFacts", in: "Sources/EvalogFacts", imports: ["EvalogText"]),
        library("EvalogLog", in: "Sources/EvalogLog", imports: ["CZlib"]),
        library(
            "EvalogContent", in: "Sources/EvalogContent",
            imports: ["EvalogText", "EvalogFacts", "EvalogLog"]),
        library(
            "EvalogRecording", in: "Sources/EvalogRecording",
            imports: ["EvalogText", "EvalogFacts", "EvalogContent", "EvalogLog"]),
        library("EvalogImporters", in: "Sources/EvalogImporters", imports: ["EvalogText"]),
        library("DeviceTiers", in: "Sources/DeviceTiers"),
        library("AirshipCore", in: "Sources/AirshipCore", imports: ["DeviceTiers"]),
        library(
            "AirshipRecording", in: "Sources/AirshipRecording",
            imports: ["AirshipCore", "EvalogRecording"]),
        library("LongInput", in: "Sources/LongInput", imports: ["AirshipCore"]),
        library("ModelConsent", in: "Sources/ModelConsent", imports: ["AirshipCore"]),
        library("ChatModels", in: "Sources/ChatModels", imports: ["AirshipCore"]),
        library(
            "AirshipFoundationModels", in: "Sources/AirshipFoundationModels",
            imports: ["AirshipCore"]),
        library(
            "TestSets", in: "Sources/TestSets",
            imports: ["EvalogText", "EvalogFacts", "Statistics", "AirshipCore"]),
        library(
            "EvalogMetrics", in: "Sources/EvalogMetrics",
            imports: ["EvalogText", "EvalogFacts", "Statistics", "DeviceTiers"]),
        library(
            "EvalogReplay", in: "Sources/EvalogReplay",
            imports: ["EvalogText", "EvalogFacts", "EvalogLog", "EvalogMetrics"]),
        library(
            "CSVSink", in: "sinks/CSV", imports: ["EvalogText", "EvalogFacts", "EvalogMetrics"]),
        library(
            "TextfileSink", in: "sinks/Textfile",
            imports: ["EvalogText", "EvalogFacts", "EvalogMetrics"]),
        library(
            "OTLPSink", in: "sinks/OTLP", imports: ["EvalogText", "EvalogFacts", "EvalogMetrics"]),
        // The page's style and scripts become a part of the program.
        .target(
            name: "HTMLSink",
            dependencies: ["EvalogText", "EvalogFacts", "EvalogMetrics"], path: "sinks/HTML",
            resources: ["page.html", "page.css", "figures.js", "charts.js", "page.js"].map {
                .embedInCode("Page/\($0)")
            }, swiftSettings: strict),
        library("VendorSink", in: "sinks/Vendor", imports: ["EvalogText", "EvalogFacts"]),

        library(
            "Commands", in: "tools/evalog/Commands",
            imports: [
                "CZlib", "EvalogText", "EvalogFacts", "EvalogContent", "EvalogLog",
                "EvalogRecording", "EvalogImporters",
                "EvalogMetrics", "EvalogReplay", "CSVSink", "TextfileSink", "OTLPSink",
                "HTMLSink", "VendorSink",
                "AirshipCore",
                "AirshipRecording", "ChatModels", "TestSets", "Statistics", "DeviceTiers",
            ]),
        program("evalog", in: "tools/evalog/evalog", imports: ["Commands"]),
        library("Workload", in: "tools/bench/Workload", imports: ["EvalogText", "EvalogFacts"]),
        program(
            "bench", in: "tools/bench/bench",
            imports: [
                "CZlib", "Workload", "AirshipCore", "AirshipRecording", "EvalogContent",
                "EvalogFacts",
                "EvalogLog", "EvalogMetrics", "EvalogRecording", "EvalogReplay", "EvalogText",
            ]),

        program(
            "canary", in: "tools/canary/canary",
            imports: [
                "EvalogText", "EvalogRecording", "AirshipCore", "AirshipRecording", "ChatModels",
            ]),

        program(
            "figures", in: "tools/statistics/figures", imports: ["EvalogText", "Statistics"]),

        library(
            "TestSupport", in: "Tests/TestSupport", imports: ["CZlib", "EvalogLog", "EvalogText"]),
        .target(name: "CCoroutine", path: "Tests/CCoroutine"),
        library(
            "Simulator", in: "Tests/Simulator",
            imports: ["CCoroutine", "CZlib", "EvalogContent", "EvalogLog", "TestSupport"]),
        program("simulate", in: "Tests/simulate", imports: ["Simulator"]),
        tests("EvalogTextTests", imports: ["EvalogText"]),
        tests("StatisticsTests", imports: ["EvalogText", "Statistics"]),
        tests("DeviceTiersTests", imports: ["DeviceTiers"]),
        tests("EvalogFactsTests", imports: ["EvalogText", "EvalogFacts"]),
        tests("EvalogContentTests", imports: ["EvalogText", "EvalogFacts", "EvalogContent"]),
        tests("EvalogLogTests", imports: ["CZlib", "EvalogLog"]),
        tests("SimulatorTests", imports: ["Simulator"]),
        tests("EvalogImportersTests", imports: ["EvalogText", "EvalogImporters"]),
        tests(
            "EvalogRecordingTests",
            imports: ["EvalogText", "EvalogFacts", "EvalogContent", "EvalogLog", "EvalogRecording"]),
        tests("AirshipCoreTests", imports: ["AirshipCore", "DeviceTiers"]),
        tests(
            "AirshipRecordingTests",
            imports: [
                "AirshipCore", "AirshipRecording", "EvalogContent", "EvalogFacts", "EvalogLog",
                "EvalogRecording", "EvalogText",
            ]),
        tests(
            "EvalogMetricsTests",
            imports: ["DeviceTiers", "EvalogText", "EvalogFacts", "EvalogMetrics", "Statistics"]),
        tests(
            "TestSetsTests",
            imports: ["AirshipCore", "EvalogFacts", "EvalogText", "Statistics", "TestSets"]),
        tests("LongInputTests", imports: ["AirshipCore", "LongInput", "ModelConsent"]),
        tests(
            "ModelConsentTests",
            imports: ["AirshipCore", "ChatModels", "EvalogFacts", "ModelConsent"]),
        tests("ChatModelsTests", imports: ["AirshipCore", "ChatModels", "LongInput"]),
        tests(
            "AirshipFoundationModelsTests", imports: ["AirshipCore", "AirshipFoundationModels"],
            exclude: ["Stubs"]),
        tests(
            "EvalogReplayTests",
            imports: [
                "DeviceTiers", "EvalogText", "EvalogFacts", "EvalogLog", "EvalogMetrics",
                "EvalogReplay", "Workload",
            ]),
        tests("CSVSinkTests", imports: ["EvalogFacts", "EvalogMetrics", "CSVSink"]),
        tests("TextfileSinkTests", imports: ["EvalogFacts", "EvalogMetrics", "TextfileSink"]),
        tests("OTLPSinkTests", imports: ["EvalogFacts", "EvalogMetrics", "OTLPSink"]),
        tests("HTMLSinkTests", imports: ["EvalogFacts", "EvalogMetrics", "HTMLSink"]),
        tests("VendorSinkTests", imports: ["EvalogText", "EvalogFacts", "VendorSink"]),
        tests(
            "CommandsTests",
            imports: [
                "Commands", "EvalogText", "EvalogFacts", "EvalogContent", "EvalogLog",
                "EvalogMetrics", "EvalogRecording", "EvalogReplay", "VendorSink",
            ]),
        tests(
            "EndToEnd",
            imports: [
                "AirshipCore", "Commands", "EvalogText", "EvalogFacts", "EvalogContent",
                "EvalogLog", "Workload",
            ], exclude: ["Golden"]),
    ],
    swiftLanguageModes: [.v6]
)

// Links with libFuzzer only, which tools/fuzz/run asks for.
if Context.environment["EVALOG_FUZZ"] != nil {
    package.targets.append(
        program(
            "fuzz", in: "Tests/Fuzz/fuzz",
            imports: [
                "Commands", "EvalogContent", "EvalogFacts", "EvalogImporters", "EvalogLog",
                "EvalogRecording", "EvalogText", "Workload",
            ]))
}
