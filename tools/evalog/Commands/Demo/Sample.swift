// Where the recorded evaluations are that ship with evalog.

/// The recorded evaluations that ship with evalog.
enum Sample {
    private static let fileName = "evaluations.ndjson"

    /// The sample's recording: in the given folder, else beside the program, as it is installed or
    /// checked out.
    static func locate(_ given: String?) throws -> String {
        if let given {
            guard let recording = recording(in: given) else {
                throw CommandFailure(
                    "there is no \(fileName) in \(given)", hint: "leave --sample out")
            }
            return recording
        }
        var folder = programFolder()
        if let installed = recording(in: "\(folder)/../share/evalog/sample") { return installed }
        while let slash = folder.lastIndex(of: "/") {
            if let recording = recording(in: "\(folder)/sample") { return recording }
            folder = String(folder[..<slash])
        }
        throw CommandFailure(
            "the sample is not beside the program", hint: "name its folder with --sample DIR")
    }

    private static func recording(in folder: String) -> String? {
        let path = "\(folder)/\(fileName)"
        return FileSystem.exists(path) ? path : nil
    }

    private static func programFolder() -> String {
        #if os(Linux)
            let path = FileSystem.absolute("/proc/self/exe")
        #else
            let path = FileSystem.absolute(CommandLine.arguments[0])
        #endif
        return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }
}
