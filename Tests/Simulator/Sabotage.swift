// Faults that no disk and no correct program has, so that it can be shown that schedules find them.

/// What a process does wrong, for the sake of a test.
package enum Sabotage: String, CaseIterable, Sendable {
    /// Says that a file is on the disk without putting it there.
    case skipsFileSync
    /// Says that a folder is on the disk without putting it there.
    case skipsFolderSync
    /// Takes a failed sync for a good one.
    case hidesSyncFailure
    /// Takes a short write for a whole one.
    case hidesShortWrite
    /// Leaves what a short write wrote.
    case skipsTruncation
    /// Takes a lock that somebody else holds for its own.
    case ignoresLocks
    /// Says that a file was deleted and leaves it.
    case skipsUnlink
    /// Draws the same writer id again and again.
    case repeatsIdentity
    /// Takes a read error for the end of the file.
    case hidesReadErrors
    /// Says that lines are confirmed which were only accepted.
    case confirmsEarly
    /// Forgets what it has delivered.
    case forgetsPosition
    /// Keeps a copy of what it erases.
    case keepsErased
}
