// Real data that is not part of the repository: tests that use it are skipped where it is not.

package import Foundation

/// The folder of shared data, named by `EVALOG_SHARED` or else `shared` beside the checkout.
package enum SharedFolder {
    /// The bytes of a file in it; nil, after a printed line, when it is not there.
    ///
    /// - Parameter path: Relative to the folder.
    package static func data(_ path: String) -> Data? {
        let file = url.appending(path: path)
        if let data = try? Data(contentsOf: file) { return data }
        print("skipped: shared/\(path) is not here; set EVALOG_SHARED to the folder that has it")
        return nil
    }

    /// Where it would be; it need not exist.
    package static var url: URL {
        if let path = ProcessInfo.processInfo.environment["EVALOG_SHARED"] {
            return URL(filePath: path)
        }
        return URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared")
    }
}
