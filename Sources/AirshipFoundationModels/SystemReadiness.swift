// The states in which Apple's models can be, and what they mean to features.

package import AirshipCore

/// The readiness of one of the system's models.
package enum SystemReadiness: Hashable, CaseIterable, Sendable {
    case ready
    case deviceNotEligible
    /// The user has Apple Intelligence switched off.
    case intelligenceNotEnabled
    /// The on-device model is still being downloaded or prepared.
    case modelNotReady
    /// Private Cloud Compute cannot be used yet.
    case systemNotReady
    /// A state that this version does not know.
    case unknown

    package var availability: AirshipAI.Availability {
        switch self {
        case .ready: .available
        case .deviceNotEligible: .unavailable(reason: .deviceNotEligible)
        case .intelligenceNotEnabled: .unavailable(reason: .notEnabled)
        case .modelNotReady, .systemNotReady: .unavailable(reason: .missingModel)
        case .unknown: .unavailable(reason: .other("unknown system state"))
        }
    }
}
