// The seam through which an optional module supplies the default model just by being linked.

/// The registered default model: made on first use, at most once per registration.
package final class DefaultModel: Sendable {
    /// One registration; its factory runs under its own lock, not under the registry's.
    private final class Registration: Sendable {
        private let model: Locked<(any AirshipAI.ModelProtocol)??> = Locked(nil)
        private let factory: @Sendable () -> (any AirshipAI.ModelProtocol)?

        init(factory: @escaping @Sendable () -> (any AirshipAI.ModelProtocol)?) {
            self.factory = factory
        }

        var value: (any AirshipAI.ModelProtocol)? {
            model.withLock { model in
                if let model { return model }
                let made = factory()
                model = .some(made)
                return made
            }
        }
    }

    /// What modules register with before any app code runs.
    package static let shared = DefaultModel()

    /// Another registration took the place of the last.
    let change = ChangeSignal()
    private let registration = Locked<Registration?>(nil)

    package init() {}

    /// Replaces the registration.
    ///
    /// - Parameter factory: Called once, when a model is first needed; nil means that this device
    ///   has none. It must not ask for the default model itself.
    package func register(_ factory: @escaping @Sendable () -> (any AirshipAI.ModelProtocol)?) {
        let replaced = registration.withLock { registration in
            defer { registration = Registration(factory: factory) }
            return registration
        }
        withExtendedLifetime(replaced) {}
        change.tell()
    }

    /// The model, made now if it was not yet; nil when nothing is registered.
    package var model: (any AirshipAI.ModelProtocol)? {
        registration.withLock { $0 }?.value
    }
}
