// Where the build has put the programs that these tests run.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Programs of this package: those in the folder that `EVALOG_PROGRAMS` names, or else beside the running tests.
package enum BuiltProgram {
    /// The path of a program; a folder that is named must have been built before, and is not looked at for its age.
    package static func path(of name: String) -> String {
        if let folder = getenv("EVALOG_PROGRAMS").map({ String(cString: $0) }),
            access("\(folder)/\(name)", X_OK) == 0
        {
            return "\(folder)/\(name)"
        }
        var folder = ownPath()
        while let slash = folder.lastIndex(of: "/") {
            folder = String(folder[..<slash])
            if access("\(folder)/\(name)", X_OK) == 0 { return "\(folder)/\(name)" }
        }
        preconditionFailure("\(name) is not built: run swift build")
    }

    private static func ownPath() -> String {
        // On Darwin a helper of the toolchain loads the tests, and an argument says which.
        let words = CommandLine.arguments
        if let flag = words.firstIndex(of: "--test-bundle-path"), flag + 1 < words.count {
            return words[flag + 1]
        }
        guard let path = realpath("/proc/self/exe", nil) else { return words[0] }
        defer { free(path) }
        return String(cString: path)
    }
}
