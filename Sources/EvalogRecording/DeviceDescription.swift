// What a fact says of the device: the system, the hardware model, the app. Never a given name.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
    import Foundation
#endif

/// The device on which evaluations run, as facts name it.
///
/// A text that has not its shape in facts is replaced there: so a name that a person gave to a
/// device does not get into the log this way.
public struct DeviceDescription: Hashable, Sendable {
    /// A system and its version, such as `iOS 26.1`.
    public var os: String?
    /// The hardware model, such as `iPhone17,1`.
    public var device: String?
    /// The app's version, such as `4.2.0`.
    public var app: String?

    public init(os: String? = nil, device: String? = nil, app: String? = nil) {
        self.os = os
        self.device = device
        self.app = app
    }

    /// This device and this app, asked of the system once.
    public static let current = DeviceDescription.read()

    /// - Parameters:
    ///   - system: `uname`'s name of the system or Apple's of the platform.
    ///   - version: Read up to its fourth number, as far as it is digits and dots.
    ///   - machine: `uname`'s name of the hardware.
    package init(system: String, version: String, machine: String, app: String?) {
        let isPad = system == "iOS" && machine.hasPrefix("iPad")
        let numbers = version.prefix { $0 == "." || ($0.isASCII && $0.isNumber) }
            .split(separator: ".").prefix(4).joined(separator: ".")
        let name = isPad ? "iPadOS" : system
        self.init(os: numbers.isEmpty ? name : "\(name) \(numbers)", device: machine, app: app)
    }

    private static func read() -> Self {
        var names = utsname()
        guard uname(&names) == 0 else { return DeviceDescription() }
        let machine = text(of: &names.machine)
        #if canImport(Darwin)
            let version = ProcessInfo.processInfo.operatingSystemVersion
            let short = Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString")
            return DeviceDescription(
                system: platform,
                version: "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)",
                machine: machine, app: short as? String)
        #else
            return DeviceDescription(
                system: text(of: &names.sysname), version: text(of: &names.release),
                machine: machine, app: nil)
        #endif
    }

    /// The text before the first zero of a fixed array of characters.
    private static func text<Characters>(of characters: inout Characters) -> String {
        withUnsafeBytes(of: &characters) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    #if canImport(Darwin)
        private static var platform: String {
            #if os(watchOS)
                "watchOS"
            #elseif os(tvOS)
                "tvOS"
            #elseif os(visionOS)
                "visionOS"
            #elseif os(iOS)
                "iOS"
            #else
                "macOS"
            #endif
        }
    #endif
}
