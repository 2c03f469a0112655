// How the gate stands, such that two looks at it tell whether it was off in between.

extension AirshipAI {
    /// Whether on-device AI is on. Between two looks that are equal nobody has switched it.
    package struct Consent: Hashable, Sendable {
        package private(set) var isGiven: Bool
        /// How often it went off since the manager was made.
        package private(set) var withdrawalCount = 0

        package init(isGiven: Bool) {
            self.isGiven = isGiven
        }

        /// Whether it is given and was throughout: what was asked or answered before a withdrawal is
        /// not used after it either, also when consent is given again.
        package func holds(since earlier: Consent) -> Bool {
            isGiven && withdrawalCount == earlier.withdrawalCount
        }

        /// True where that is a change.
        @discardableResult package mutating func become(_ isGiven: Bool) -> Bool {
            guard isGiven != self.isGiven else { return false }
            self.isGiven = isGiven
            if !isGiven { withdrawalCount += 1 }
            return true
        }
    }
}
