// The app's choice of features in a file. User defaults promise neither that it is whole nor that one
// process at a time changes it where the system has no daemon for them, and they tell a choice
// that cannot be read from none.

import Foundation

/// Keeps the mask as decimal digits in a file of its own.
///
/// Where that cannot be written, such as without a home folder, the choice counts for as long as the
/// process runs.
package struct FileFeatureStorage: AirshipFeatureStorage {
    private let file: AtomicFile

    /// - Parameter folder: Made where it is missing.
    package init(folder: String, name: String) {
        file = AtomicFile(folder: folder, name: name)
    }

    /// In the folder that the system has for such files, under the name of the program.
    package static func ofThisProgram() -> Self {
        let folders = FileManager.default.urls(
            for: .applicationSupportDirectory, in: .userDomainMask)
        let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        return Self(
            folder: folders[0].appending(path: "evalog-features").path(percentEncoded: false),
            name: program)
    }

    package func load() throws -> UInt64? {
        // More than the digits of any mask.
        guard let bytes = try file.read(upTo: 31) else { return nil }
        guard bytes.last == UInt8(ascii: "\n"),
            let mask = UInt64(String(decoding: bytes.dropLast(), as: UTF8.self))
        else { throw AtomicFile.Unreadable() }
        return mask
    }

    package func save(_ mask: UInt64) {
        _ = file.replace(by: Array("\(mask)\n".utf8))
    }

    package func update(_ change: (Swift.Result<UInt64?, any Error>) -> UInt64?) {
        file.locked {
            if let mask = change(Swift.Result { try load() }) { save(mask) }
        }
    }
}
