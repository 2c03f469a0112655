// Which run of a test set a person means.

import EvalogMetrics

/// The rows of one run.
struct RunChoice {
    /// As many characters of a run's id as are shown.
    static let prefixShown = 8
    /// As few as name a run.
    private static let prefixMin = 4

    let rows: [TestSetRow]

    var suite: String { rows[0].suite.text }
    var run: String { rows[0].run.text }
    var started: Int64 { rows[0].started }
    var models: String { Self.joined(rows.map(\.model)) }
    var systems: String { Self.joined(rows.map(\.os)) }

    /// The versions of the suite that it says it is of: one, or none if it says nothing.
    var digests: Set<String> { Set(rows.map(\.suiteDigest.text)).subtracting([""]) }
    /// A run asks about all cases before it asks about one again.
    var isUneven: Bool { Set(rows.flatMap { $0.cases.map(\.results) }).count > 1 }

    /// All runs, the oldest first.
    static func all(in rows: [TestSetRow], suite: String?) -> [RunChoice] {
        let wanted = rows.filter { suite == nil || $0.suite.text == suite }
        var places: [[Name]: Int] = [:]
        var runs: [[TestSetRow]] = []
        for row in wanted {
            let key = [row.run, row.suite]
            if let place = places[key] {
                runs[place].append(row)
            } else {
                places[key] = runs.count
                runs.append([row])
            }
        }
        return runs.map { RunChoice(rows: $0) }
    }

    /// The newest run that a text names by its id, its model or its system.
    ///
    /// - Throws: ``CommandFailure`` where it names none, or several by their id.
    static func named(_ text: String, in runs: [RunChoice], by flag: Flag) throws -> RunChoice {
        let byID = runs.filter { text.count >= prefixMin && $0.run.hasPrefix(text.lowercased()) }
        if Set(byID.map(\.run)).count > 1 {
            throw CommandFailure(
                "--\(flag.name) \(text) names \(Figures.counted(byID.count, "run"))",
                hint: "give more of the id; evalog testset list shows it")
        }
        let found =
            byID.last
            ?? runs.last { $0.rows.contains { $0.model.text == text || $0.os.text == text } }
        guard let found else {
            throw CommandFailure(
                "no run is of --\(flag.name) \(text)",
                hint: "evalog testset list --json shows ids, models and systems")
        }
        return found
    }

    private static func joined(_ names: [Name]) -> String {
        Set(names).sorted().map(\.text).joined(separator: ", ")
    }
}
