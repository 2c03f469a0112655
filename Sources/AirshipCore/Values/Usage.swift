// What an evaluation is for: a typed key whose phantom subject makes a provider of the wrong kind
// a compile error, and its erased form for routing and records.

/// Everything about on-device evaluations; the entry point is ``Airship/ai``.
public enum AirshipAI {}

extension AirshipAI {
    /// Names a feature that asks, and ties it to the subject that its context provider receives.
    public struct Usage<Subject: Sendable>: RawRepresentable, Hashable, Sendable {
        /// The stable name that records and routing see, such as `embedded_selection`.
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// A usage without its subject's type; equal to every usage of the same raw value.
    public struct AnyUsage: Hashable, Sendable {
        /// The raw value of the usage it was made from.
        public let rawValue: String

        /// Forgets the subject's type.
        public init<Subject>(_ usage: Usage<Subject>) {
            rawValue = usage.rawValue
        }

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        public static func == <Subject>(left: AnyUsage, right: Usage<Subject>) -> Bool {
            left.rawValue == right.rawValue
        }

        public static func == <Subject>(left: Usage<Subject>, right: AnyUsage) -> Bool {
            left.rawValue == right.rawValue
        }

        public static func != <Subject>(left: AnyUsage, right: Usage<Subject>) -> Bool {
            left.rawValue != right.rawValue
        }

        public static func != <Subject>(left: Usage<Subject>, right: AnyUsage) -> Bool {
            left.rawValue != right.rawValue
        }

        /// Lets a resolver `switch` over usages.
        public static func ~= <Subject>(pattern: Usage<Subject>, value: AnyUsage) -> Bool {
            pattern.rawValue == value.rawValue
        }
    }
}
