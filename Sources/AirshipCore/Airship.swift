// The process-wide root: apps talk to `Airship.ai`, tests and tools make managers of their own.

public import Foundation

/// Where the parts of the SDK that live as long as the process are found.
public enum Airship {
    /// The parts that belong together; replaced as a whole.
    private struct Root: Sendable {
        let privacy: AirshipPrivacyManager
        let evaluator: AirshipAI.Evaluator

        init(privacy: AirshipPrivacyManager) {
            _ = Airship.foreground
            self.privacy = privacy
            evaluator = AirshipAI.Evaluator(
                privacy: privacy, defaults: .shared, sessionID: { Airship.sessionID })
        }
    }

    private static let root = Locked<Root?>(nil)
    private static let session = Locked(UUID())
    /// Begins a session at every return to the foreground. By name: there is no UIKit everywhere.
    private nonisolated(unsafe) static let foreground: any NSObjectProtocol = NotificationCenter
        .default.addObserver(
            forName: Notification.Name("UIApplicationWillEnterForegroundNotification"), object: nil,
            queue: nil, using: { _ in startSession() })

    /// The entry point to on-device evaluations.
    public static var ai: any AirshipAI.Manager { current.evaluator }

    /// What the app's user allows.
    public static var privacyManager: AirshipPrivacyManager { current.privacy }

    /// The current app session: new in each process, at each return of an iOS app to the
    /// foreground, and at each ``startSession()``.
    public static var sessionID: UUID { session.withLock { $0 } }

    /// Begins another session, where nothing tells that the app came to the foreground.
    public static func startSession() {
        session.withLock { $0 = UUID() }
        root.withLock { $0 }?.privacy.reread()
    }

    /// Sets what is on by default and where the app's choice is kept; call it once, before
    /// anything else. What was registered with an earlier ``ai`` stays with that one.
    public static func configure(
        defaultFeatures: AirshipFeature = .all, storage: (any AirshipFeatureStorage)? = nil
    ) {
        let privacy = AirshipPrivacyManager(
            defaultFeatures: defaultFeatures,
            storage: storage ?? FileFeatureStorage.ofThisProgram())
        let replaced = root.withLock { root in
            defer { root = Root(privacy: privacy) }
            return root
        }
        withExtendedLifetime(replaced) {}
    }

    /// What features use; the same object as ``ai``.
    package static var evaluator: AirshipAI.Evaluator { current.evaluator }

    private static var current: Root {
        root.withLock { root in
            if let root { return root }
            let made = Root(
                privacy: AirshipPrivacyManager(storage: FileFeatureStorage.ofThisProgram()))
            root = made
            return made
        }
    }
}
