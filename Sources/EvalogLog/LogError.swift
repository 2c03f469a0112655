// What can stop the log from being written or read. Damage is not among it: damage is data, and
// reading goes on (`Damage`).

/// Why an operation on the log could not be done.
package enum LogError: Error, Hashable, Sendable {
    /// A file call failed. Nothing was skipped or taken for the end of the log.
    case disk(DiskError)
    /// The log lies on a network file system, whose locks do not tell who writes. Nothing was done.
    case networkFileSystem(path: String)
    /// The writer was closed before.
    case closed
    /// Files kept vanishing while the log was read; nothing is known about those left out.
    case unsteady(path: String)
    /// A position's text is damaged, cut or of another version; `line` counts from 1.
    case position(line: Int)

    /// Whether the cause is that a file or folder is not there.
    package var isMissing: Bool {
        if case .disk(let error) = self { error.isMissing } else { false }
    }

    /// Whether the cause is that the disk, or what this user may use of it, is full.
    package var isNoSpace: Bool {
        if case .disk(let error) = self { error.isNoSpace } else { false }
    }
}
