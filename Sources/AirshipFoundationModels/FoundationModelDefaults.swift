// Every number of this module, in one place.

import Foundation

/// Budgets and limits of models on Apple's framework.
package enum FoundationModelDefaults {
    /// Tokens of the window that are kept free for the answer.
    package static let responseTokenReserve = 512

    /// Calls per evaluation, the first included.
    package static let maxAttempts = 3

    /// Seconds for all attempts together, on the device and for wrapped models.
    package static let responseTimeout = 30.0

    /// The same for Private Cloud Compute, which is a round trip away.
    package static let cloudResponseTimeout = 60.0
}
