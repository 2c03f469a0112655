// The text of a command line → a plain value. Touches no files.

/// A command line that was understood.
struct Arguments: Sendable {
    private(set) var operands: [String] = []
    private var values: [String: [String]] = [:]

    func has(_ flag: Flag) -> Bool { values[flag.name] != nil }
    func last(_ flag: Flag) -> String? { values[flag.name]?.last }
    func all(_ flag: Flag) -> [String] { values[flag.name] ?? [] }

    /// Reads `words`, the command's name left out.
    ///
    /// Accepts `--flag value`, `--flag=value`, `-f value`, `-fvalue`, letters together as in
    /// `-fn 5`, and `--` before operands.
    /// - Throws: ``CommandFailure`` that names the nearest flag for an unknown one.
    init(_ words: [String], for spec: CommandSpec) throws {
        var rest = words[...]
        var onlyOperands = false
        while let word = rest.popFirst() {
            if onlyOperands || word == "-" || !word.hasPrefix("-") {
                operands.append(word)
            } else if word == "--" {
                onlyOperands = true
            } else {
                try takeFlag(word, from: &rest, of: spec)
            }
        }
        if !has(.help) { try checkOperands(of: spec) }
    }

    private mutating func takeFlag(
        _ word: String, from rest: inout ArraySlice<String>, of spec: CommandSpec
    ) throws {
        let isLong = word.hasPrefix("--")
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let key = isLong ? String(parts[0].dropFirst(2)) : String(word.dropFirst().prefix(1))
        let flag = spec.allFlags.first {
            isLong ? $0.name == key : $0.letter.map(String.init) == key
        }
        guard let flag else { throw Self.unknown(isLong ? String(parts[0]) : "-\(key)", of: spec) }
        let attached: String? =
            isLong
            ? (parts.count == 2 ? String(parts[1]) : nil)
            : (word.count > 2 ? String(word.dropFirst(2)) : nil)
        guard let valueName = flag.value else {
            if !isLong, let attached {
                rest = ["-\(attached)"] + rest
            } else if attached != nil {
                throw CommandFailure(
                    "--\(flag.name) takes no value", hint: "write --\(flag.name) alone")
            }
            values[flag.name] = [isLong ? "long" : "short"]
            return
        }
        guard let value = attached ?? rest.popFirst() else {
            throw CommandFailure(
                "--\(flag.name) needs a value", hint: "--\(flag.name) \(valueName)")
        }
        // A filter may ask for what is absent, but no file has that name.
        guard !value.isEmpty || !["DIR", "FILE"].contains(valueName) else {
            throw CommandFailure("--\(flag.name) is empty", hint: "--\(flag.name) \(valueName)")
        }
        guard flag.mayRepeat || values[flag.name] == nil else {
            throw CommandFailure("--\(flag.name) is given twice", hint: "give it once")
        }
        values[flag.name, default: []].append(value)
    }

    private func checkOperands(of spec: CommandSpec) throws {
        if operands.count < spec.operandCount.lowerBound {
            throw CommandFailure(
                "\(spec.name) needs \(spec.operands)",
                hint: "evalog \(spec.name) -h shows an example")
        }
        if operands.count > spec.operandCount.upperBound {
            throw CommandFailure(
                "\(spec.name) does not take \"\(operands[spec.operandCount.upperBound])\"",
                hint: "evalog \(spec.name) -h shows what it takes")
        }
    }

    private static func unknown(_ word: String, of spec: CommandSpec) -> CommandFailure {
        let known = spec.allFlags.map { "--\($0.name)" }
        let near = Nearest.name(to: word, among: known)
        return CommandFailure(
            "\(spec.name) has no flag \(word)",
            hint: near.map { "did you mean \($0)?" } ?? "evalog \(spec.name) -h lists its flags")
    }
}

/// The name that a slip of the keys most likely meant.
enum Nearest {
    /// The closest of `names` by edit distance, if it is close enough to be a slip.
    static func name(to word: String, among names: [String]) -> String? {
        let best = names.map { (name: $0, distance: distance(word, $0)) }.min {
            $0.distance < $1.distance
        }
        let length = word.utf8.count
        guard let best, best.distance <= (length < 4 ? 1 : max(2, length / 3)) else { return nil }
        return best.name
    }

    /// Levenshtein's distance in bytes, in O(n·m).
    static func distance(_ left: String, _ right: String) -> Int {
        let columns = Array(right.utf8)
        var row = Array(0...columns.count)
        for (lineIndex, byte) in left.utf8.enumerated() {
            var diagonal = row[0]
            row[0] = lineIndex + 1
            for (index, other) in columns.enumerated() {
                let substituted = diagonal + (byte == other ? 0 : 1)
                diagonal = row[index + 1]
                row[index + 1] = min(substituted, row[index] + 1, diagonal + 1)
            }
        }
        return row[columns.count]
    }
}
