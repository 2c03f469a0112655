// What an app may switch off, as a stored bit mask.

/// A set of features that the privacy manager enables or disables.
///
/// Raw values are stored on devices and never change their meaning.
public struct AirshipFeature: OptionSet, Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public static let inAppAutomation = AirshipFeature(rawValue: 1 << 0)
    public static let messageCenter = AirshipFeature(rawValue: 1 << 1)
    public static let push = AirshipFeature(rawValue: 1 << 2)
    public static let analytics = AirshipFeature(rawValue: 1 << 4)
    public static let tagsAndAttributes = AirshipFeature(rawValue: 1 << 5)
    public static let contacts = AirshipFeature(rawValue: 1 << 6)
    public static let featureFlags = AirshipFeature(rawValue: 1 << 8)

    /// Evaluations of every usage; without it none reaches a model, a provider or a resolver.
    public static let onDeviceAI = AirshipFeature(rawValue: 1 << 9)

    /// Every feature that this version knows.
    public static let all: AirshipFeature = [
        .inAppAutomation, .messageCenter, .push, .analytics, .tagsAndAttributes, .contacts,
        .featureFlags, .onDeviceAI,
    ]
}
