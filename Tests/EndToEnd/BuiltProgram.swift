// The programs that these tests run.

import TestSupport

extension BuiltProgram {
    static let evalog = path(of: "evalog")
    static let bench = path(of: "bench")
}
