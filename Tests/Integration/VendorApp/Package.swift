// swift-tools-version: 6.2
// An app on the vendor's SDK. Both packages have a module named AirshipCore: the vendor's keeps its
// name, ours gets another one, which the app never sees.

import PackageDescription

// Packages by path are named after their folder, whatever it is called here.
let evalog = Context.packageDirectory.split(separator: "/").dropLast(3).last.map(String.init) ?? ""

let package = Package(
    name: "VendorApp",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../../.."), .package(path: "VendorSDK")],
    targets: [
        .executableTarget(
            name: "VendorApp",
            dependencies: [
                .product(name: "AirshipCore", package: "VendorSDK"),
                .product(
                    name: "AirshipRecording", package: evalog,
                    moduleAliases: ["AirshipCore": "EvalogAirshipCore"]),
                .product(name: "EvalogRecording", package: evalog),
            ])
    ],
    swiftLanguageModes: [.v6]
)
