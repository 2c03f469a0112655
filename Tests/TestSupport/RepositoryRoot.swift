// Where the files of the repository are, for tests that check documents and schemas.

/// The folder that holds `Package.swift`, as an absolute path without a slash at its end.
package enum RepositoryRoot {
    package static let path: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast(3).joined(separator: "/")
    }()
}
