// Looks for texts in everything that lies in a folder, as it lies there and inflated.

import CZlib
import Foundation

/// The bytes of all files below a folder, gzip files also as text.
package struct FolderSearch {
    /// Raw and inflated bytes by path below the folder.
    private var files: [String: [Data]] = [:]

    /// - Parameter path: A folder that is missing is empty.
    package init(_ path: String) {
        for name in FileManager.default.subpaths(atPath: path) ?? [] {
            let file = "\(path)/\(name)"
            guard let raw = FileManager.default.contents(atPath: file) else { continue }
            files[name] = [raw, Self.inflated(file)]
        }
    }

    /// The paths of the files that hold a text, sorted; a file's own name counts as well.
    package func paths(holding text: String) -> [String] {
        let bytes = Data(text.utf8)
        return files.filter { name, data in
            name.contains(text) || data.contains { $0.range(of: bytes) != nil }
        }.keys.sorted()
    }

    /// As much as zlib makes of the file; it reads others than gzip as they are.
    private static func inflated(_ path: String) -> Data {
        var result = Data()
        guard let file = gzopen(path, "rb") else { return result }
        defer { gzclose(file) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = gzread(file, &buffer, UInt32(buffer.count)), count > 0 {
            result.append(contentsOf: buffer.prefix(Int(count)))
        }
        return result
    }
}
