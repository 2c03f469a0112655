// simulate: runs schedules of the fault simulator on all cores, says how far it is, and for each one that
// breaks a promise how to run it again.

import Simulator

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

let help = """
    usage: simulate [--seed S] [--schedules N] [--threads T] [--trace] [--tally] [--sabotage WHAT]

    Runs the schedules of seeds S, S+1, … (default: 10,000 from seed 1). A schedule is decided by its
    seed alone. Status 1 if one breaks a promise of the log.
      --trace     what happened, call by call; with one schedule
      --tally     how often each fault and each event came about
      --sabotage  what every process does wrong, for the sake of a test: \
    \(Sabotage.allCases.map(\.rawValue).joined(separator: ", "))

    """

func say(_ text: String, to stream: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(stream, $0.baseAddress, $0.count) }
        guard count > 0 || errno == EINTR else { return }
        rest.removeFirst(max(0, count))
    }
}

/// The arguments of a run.
struct Request {
    var seed: UInt64 = 1
    var scheduleCount: UInt64 = 10_000
    var threadCount = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    var isTraced = false
    var isTallied = false
    var sabotage: Sabotage?

    /// nil for a command line that makes no sense.
    init?(_ words: [String]) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--trace": isTraced = true
            case "--tally": isTallied = true
            case "--sabotage":
                guard let value = rest.popFirst().flatMap(Sabotage.init) else { return nil }
                sabotage = value
            case "--seed":
                guard let value = rest.popFirst().flatMap(UInt64.init) else { return nil }
                seed = value
            case "--schedules":
                guard let value = rest.popFirst().flatMap(UInt64.init) else { return nil }
                scheduleCount = value
            case "--threads":
                guard let value = rest.popFirst().flatMap(Int.init), (1...64).contains(value) else {
                    return nil
                }
                threadCount = value
            default: return nil
            }
        }
        guard !seed.addingReportingOverflow(scheduleCount).overflow else { return nil }
        if isTraced { threadCount = 1 }
    }
}

guard let request = Request(Array(CommandLine.arguments.dropFirst())) else {
    say(help, to: 2)
    exit(2)
}
let run = Run(request)
exit(run.perform() ? 0 : 1)
