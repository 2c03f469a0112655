// What tests plant in confidential texts, so that one search of all that they print finds a leak.

/// The marker of the whole suite.
package enum Planted {
    /// Stands in contexts, prompts, answers, keys and errors. tools/checks/unprinted looks for its
    /// first ten letters, which markers of tools/canary share, in all that a run of the tests
    /// prints; so it has no place in a test's name or arguments.
    package static let mark = "vq7zcanarytestsuite"
}
