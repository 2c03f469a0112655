// bench: writes seeded workloads, and logs that say what is in them; measures evalog against zlib on the same bytes, and recording.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

let help = """
    usage: bench facts  [--count N] [--seed S] [--clean]          fact lines on stdout
           bench log DIR [--count N] [--seed S] [--clean]         a log of those lines
           bench many DIR [--count N] [--seed S] [--clean]        a log with a segment for every ten lines
           bench lines DIR                                        a log of the lines that come in, whatever they are
           bench ack DIR [--count N] [--seed S] [--clean]         the same, saying what is confirmed
           bench confirm DIR [--count N] [--seed S] [--flush K] [--content]
                                                                  a recorder that says the ids it confirmed,
                                                                  every K evaluations, until its input ends
           bench [measure] [--count N] [--seed S] [--threads T]   append and replay against zlib
           bench recorder                                         what an evaluation costs beside its model

    The same count and seed give the same lines on any machine. --clean leaves out what a reader
    must survive: duplicates, conflicts, late lines, clock jumps, unknown types, endless keys.
    Defaults: 500,000 lines, seed 1, one thread per core.

    """

/// The arguments of a run.
struct BenchArguments {
    var words: [String] = []
    var count = 500_000
    /// Evaluations between two flushes.
    var flushCount = 10
    var seed: UInt64 = 1
    var threads = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    var isClean = false
    var keepsContent = false

    /// nil for a command line that makes no sense.
    init?(_ all: [String]) {
        var rest = all[...]
        while let word = rest.popFirst() {
            switch word {
            case "--clean": isClean = true
            case "--content": keepsContent = true
            case "--flush":
                guard let value = rest.popFirst().flatMap(Int.init), value > 0 else { return nil }
                flushCount = value
            case "--count":
                guard let value = rest.popFirst().flatMap(Int.init), value > 0 else { return nil }
                count = value
            case "--threads":
                guard let value = rest.popFirst().flatMap(Int.init), (1...64).contains(value) else {
                    return nil
                }
                threads = value
            case "--seed":
                guard let value = rest.popFirst().flatMap(UInt64.init) else { return nil }
                seed = value
            default:
                guard !word.hasPrefix("-") else { return nil }
                words.append(word)
            }
        }
    }
}

func fail(_ text: String) -> Never {
    _ = Array(text.utf8).withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    exit(2)
}

guard let arguments = BenchArguments(Array(CommandLine.arguments.dropFirst())) else { fail(help) }
do {
    switch (arguments.words.first ?? "measure", arguments.words.count) {
    case ("facts", 1): try printFacts(arguments)
    case ("log", 2): try writeLog(arguments, to: arguments.words[1])
    case ("many", 2): try writeManySegments(arguments, to: arguments.words[1])
    case ("lines", 2): try writeInput(to: arguments.words[1])
    case ("ack", 2): try acknowledge(arguments, to: arguments.words[1])
    case ("confirm", 2): try confirm(arguments, to: arguments.words[1])
    case ("recorder", 1): try measureRecorder()
    case ("measure", 0...1): try measure(arguments)
    default: fail(help)
    }
} catch {
    fail("bench: \(error)\n")
}
