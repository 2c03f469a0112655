// Answers that are short until somebody unpacks them.

import CZlib
package import Foundation

/// So many spaces as a gzip file; about a thousandth of that.
package func gzippedSpaces(count: Int) -> Data {
    let scratch = ScratchFolder()
    guard let file = gzopen(scratch.path("spaces.gz"), "wb9") else { return Data() }
    let spaces = [UInt8](repeating: 0x20, count: 1 << 16)
    var left = count
    while left > 0 {
        let written = gzwrite(file, spaces, UInt32(min(left, spaces.count)))
        if written <= 0 { break }
        left -= Int(written)
    }
    gzclose(file)
    return FileManager.default.contents(atPath: scratch.path("spaces.gz")) ?? Data()
}
