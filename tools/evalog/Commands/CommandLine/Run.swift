// From the words of a command line to an exit status.

import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The command line of evalog.
package enum CommandLineTool {
    /// Log format, facts and content have versions of their own, each 1.
    static let version = "0.1.0"

    /// The variables of the environment that it looks at, and what they are for.
    static let variables: [(name: String, words: String)] = [
        ("EVALOG_LOG", "The folder of the log where --log does not name it; else ./evalog-log."),
        ("EVALOG_MODEL_KEY", "The key for the server of --model-url."),
        ("NO_COLOR", "If set, no colours, unless --color always asks for them."),
        ("TERM", "No colours and no redrawing where it is dumb."),
    ]

    /// Runs one command on this process's streams and returns its status.
    package static func main(_ words: [String]) -> Int32 {
        // A limit on the size of files shows as EFBIG, which is treated like a full disk.
        signal(SIGXFSZ, SIG_IGN)
        Interrupts.watch()
        returnLargeBlocks()
        occupyStandardStreams()
        tzset()
        let console = Console(
            output: Output(descriptor: 1, name: "to standard output"),
            errors: Output(descriptor: 2, name: "to standard error"),
            environment: environment(), now: { SystemClock().wallTime() })
        return run(words, on: console)
    }

    /// Lets the memory of long lines go back to the system with them. Else glibc keeps it, the more
    /// the longer they are, for the next lines, which may be short.
    private static func returnLargeBlocks() {
        #if canImport(Glibc)
            // The C library's module leaves its header malloc.h out.
            typealias Setter = @convention(c) (_ parameter: Int32, _ value: Int32) -> Int32
            guard let mallopt = dlsym(nil, "mallopt") else { return }
            let set = unsafeBitCast(mallopt, to: Setter.self)
            let (trimThreshold, mapThreshold): (Int32, Int32) = (-1, -3)
            _ = set(mapThreshold, 1 << 20)
            _ = set(trimThreshold, 4 << 20)
        #endif
    }

    /// Puts something in the place of a standard stream that is closed: else the next file that is
    /// opened, a segment perhaps, would get its number, and messages would go into it. Using the
    /// stream still fails, for it is open the wrong way round.
    private static func occupyStandardStreams() {
        for number in Int32(0)...2 where fcntl(number, F_GETFD) < 0 {
            _ = open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    /// Runs one command; every way to fail becomes a status and a message here.
    static func run(_ words: [String], on console: Console) -> Int32 {
        defer { Interrupts.standBackIfEnding() }
        do {
            let status = try dispatch(words, on: console)
            try console.output.flush()
            return status.rawValue
        } catch is ClosedPipe {
            Interrupts.endOfPipe()
            console.warn("cannot write \(console.output.name): \(SystemError.text(EPIPE))")
            return ExitStatus.failed.rawValue
        } catch {
            let failure = ErrorText.of(error)
            console.warn(failure.hint.map { "\(failure.what); \($0)" } ?? failure.what)
            return ExitStatus.failed.rawValue
        }
    }

    private static func dispatch(_ words: [String], on console: Console) throws -> ExitStatus {
        guard let name = words.first else {
            try console.output.write(HelpText.overview())
            return .failed
        }
        if name == "help", words.count > 1 {
            return try dispatch([words[1], "--help"], on: console)
        }
        if name == "--version" {
            try console.output.write("evalog \(version)\n")
            return .done
        }
        if ["-h", "--help", "help"].contains(name) {
            try console.output.write(HelpText.overview())
            return .done
        }
        guard let spec = CommandSpec.all.first(where: { $0.name == name }) else {
            let near = Nearest.name(to: name, among: CommandSpec.all.map(\.name))
            throw CommandFailure(
                "there is no command \"\(name)\"",
                hint: near.map { "did you mean evalog \($0)?" } ?? "evalog -h lists the commands")
        }
        let arguments = try Arguments(Array(words.dropFirst()), for: spec)
        if arguments.has(.help) {
            try console.output.write(HelpText.of(spec, isFull: arguments.last(.help) == "long"))
            return .done
        }
        return try spec.prepare(arguments, try console.configured(by: arguments))()
    }

    private static func environment() -> [String: String] {
        var found: [String: String] = [:]
        for (name, _) in variables {
            if let value = getenv(name) { found[name] = String(cString: value) }
        }
        return found
    }
}
