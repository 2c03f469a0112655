// Every limit of this module.

package enum ReplayDefaults {
    /// What a replay may take before it reads the log in several passes.
    package static let memoryByteCount: Int64 = 1 << 30
    /// Below this not even the buffers of one pass would fit.
    package static let memoryByteCountMin: Int64 = 64 << 20
}
