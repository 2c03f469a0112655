// swift-tools-version: 6.2
// A stand-in for the vendor's SDK: a module of the same name with what its documentation promises.

import PackageDescription

let package = Package(
    name: "VendorSDK",
    products: [.library(name: "AirshipCore", targets: ["AirshipCore"])],
    targets: [.target(name: "AirshipCore")],
    swiftLanguageModes: [.v6]
)
