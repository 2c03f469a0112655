// Every flag of the command, as data: the parser, both help texts and the tests read this table.

/// One option of the command line.
struct Flag: Sendable {
    /// Without the leading dashes.
    let name: String
    /// A one-letter form, without the dash.
    var letter: Character?
    /// What the value is called in the help; nil where the flag takes none.
    var value: String?
    /// One line, at most 72 characters, for `-h`.
    let summary: String
    /// What `--help` adds: defaults, ranges, an example.
    var detail: String?
    /// All that the value can be, where that is a short list.
    var choices: [String] = []
    var mayRepeat = false
    /// Of so little use to most that `-h` only names it.
    var isMinor = false
}

extension Flag {
    static let log = Flag(
        name: "log", value: "DIR", summary: "Folder of the log.",
        detail: "Default: $EVALOG_LOG, else ./evalog-log.")
    static let quiet = Flag(
        name: "quiet", letter: "q", summary: "No notes and no progress on stderr.")
    static let color = Flag(
        name: "color", value: "WHEN", summary: "auto, always or never.",
        detail: "auto: on a terminal, unless NO_COLOR is set or TERM is dumb.",
        choices: ["auto", "always", "never"])
    static let help = Flag(
        name: "help", letter: "h", summary: "Show help: -h one screen, --help everything.")

    static let window = Flag(
        name: "window", value: "LENGTH", summary: "Length of a window: 15m, 1h, day, week, month.",
        detail: "Default: 1h. Fixed lengths are counted from 1970 in UTC; day, week (from Monday)"
            + " and month follow --timezone.")
    static let by = Flag(
        name: "by", value: "FIELDS",
        summary: "Group by these: usage, model, os, device, app, tier.",
        detail: "Default: usage,model,os. Example: --by usage,app. none: all in one group. tier is"
            + " the on-device model that device and system can run: advanced, core, on_device,"
            + " old_os, not_eligible, unknown.")
    static let gap = Flag(
        name: "gap", value: "LENGTH",
        summary: "A pause longer than this starts a new impression.",
        detail: "--gap 30m sets it for all usages, --gap embedded_selection=10m for one."
            + " 0 folds nothing. Default: 30m; 0 for in_app_message_suppression.", mayRepeat: true)
    static let since = Flag(
        name: "since", value: "TIME",
        summary: "From this time on: 15m (ago), 2026-11-29, or RFC 3339.")
    static let until = Flag(
        name: "until", value: "TIME", summary: "Up to, not including, this time.")
    static let timezone = Flag(
        name: "timezone", value: "ZONE", summary: "Zone of day, week and month windows.",
        detail: "An IANA name such as Europe/Oslo. Default: UTC, never the system's.")
    static let usage = Flag(
        name: "usage", value: "NAME", summary: "Only this usage.", mayRepeat: true)
    static let model = Flag(
        name: "model", value: "NAME", summary: "Only this model.", mayRepeat: true)
    static let os = Flag(
        name: "os", value: "NAME", summary: "Only this system, such as \"iOS 26.1\".",
        mayRepeat: true)
    static let outcome = Flag(
        name: "outcome", value: "NAME", summary: "Only completed, skipped, failed or cancelled.",
        choices: ["completed", "skipped", "failed", "cancelled"], mayRepeat: true)
    static let maxGroups = Flag(
        name: "max-groups", value: "N", summary: "Groups kept apart; the rest becomes (other).",
        detail: "Default: 2000. The groups with the most evaluations stay.")
    static let memory = Flag(
        name: "memory", value: "SIZE", summary: "Memory that replay may take, such as 512MB.",
        detail: "Default: 1GiB. Above it the log is read several times, with the same result.")
    static let threads = Flag(
        name: "threads", value: "N", summary: "Threads for reading. Default: one per core.")
    static let json = Flag(name: "json", summary: "JSON on stdout, for programs.")
    static let dryRun = Flag(
        name: "dry-run", letter: "n", summary: "Only say what would be done; change nothing.")
    static let content = Flag(
        name: "content", value: "KEEP", summary: "What of the content to keep: off, failures, all.",
        detail: "Instructions, context, output and error text are confidential. Default: off.",
        choices: ["off", "failures", "all"])

    /// What every command takes.
    static let common = [log, quiet, color, help]
    /// What shapes the tables.
    static let rules = [
        window, by, gap, since, until, timezone, usage, model, os, outcome, maxGroups, memory,
        threads,
    ]
    /// What selects evaluations, in metrics and in explain.
    static let filters = [usage, model, os, outcome, since, until]
}
