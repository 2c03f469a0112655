// What an app tells the model about its user: ordered lines, each with a priority that decides
// only which of them goes first when a prompt does not fit.

extension AirshipAI {
    /// An ordered list of text for a prompt; presentation order is the order of the list.
    public struct Context: Hashable, Sendable {
        /// One line of context.
        public struct Item: Hashable, Sendable {
            /// The text as the model will read it; line breaks in it become spaces.
            public var content: String

            /// Lower is more important, negative is allowed; NaN is the least important of all.
            public var priority: Double

            public init(content: String, priority: Double = 0) {
                self.content = content
                self.priority = priority
            }
        }

        /// The items, in the order in which they are presented.
        public private(set) var items: [Item]

        public init(items: [Item]) {
            self.items = items
        }

        /// A context without items.
        public static let empty = Context(items: [])

        /// These items, then the other's; so the other's survive where priorities are equal.
        public func appending(_ other: Context) -> Context {
            Context(items: items + other.items)
        }

        /// Whether nothing of it would reach a prompt: no items, or only items without text.
        public var isBlank: Bool {
            items.allSatisfy(\.content.isEmpty)
        }

        /// Removes the item with the highest priority number, the earliest of equals.
        ///
        /// - Returns: What was removed; nil when nothing was left.
        /// - Complexity: O(`items.count`).
        mutating func dropLeastImportant() -> Item? {
            guard var candidate = items.indices.first else { return nil }
            for index in items.indices.dropFirst()
            where items[candidate].isMoreImportant(than: items[index]) {
                candidate = index
            }
            return items.remove(at: candidate)
        }

        /// The indices of all items in the order in which ``dropLeastImportant()`` takes them.
        var dropOrder: [Int] {
            items.indices.sorted { left, right in
                if items[right].isMoreImportant(than: items[left]) { return true }
                return !items[left].isMoreImportant(than: items[right]) && left < right
            }
        }

        /// The items but those at these indices.
        func without(_ dropped: some Sequence<Int>) -> Context {
            var isKept = [Bool](repeating: true, count: items.count)
            for index in dropped { isKept[index] = false }
            return Context(items: zip(items, isKept).filter(\.1).map(\.0))
        }
    }
}

extension AirshipAI.Context {
    /// The items as a bullet list, or nil when none has text.
    ///
    /// An item stays one line whatever it holds, so that no item can pass itself off as two.
    public func renderBullets() -> String? {
        let lines = items.filter { !$0.content.isEmpty }.map { "- " + $0.content.onOneLine }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
}

extension AirshipAI.Context.Item {
    /// A total order: every comparison with NaN is false, so plain `<` would stop dropping at one.
    func isMoreImportant(than other: Self) -> Bool {
        if priority.isNaN { return false }
        return other.priority.isNaN || priority < other.priority
    }
}

extension String {
    /// The text with each run of line-breaking characters replaced by one space.
    var onOneLine: String {
        guard unicodeScalars.contains(where: \.breaksLines) else { return self }
        var line = String.UnicodeScalarView()
        var isAfterBreak = false
        for scalar in unicodeScalars {
            if !scalar.breaksLines {
                line.append(scalar)
            } else if !isAfterBreak {
                line.append(" ")
            }
            isAfterBreak = scalar.breaksLines
        }
        return String(line)
    }
}

extension Unicode.Scalar {
    // Scalars, not Characters: a carriage return and a line feed are one Character.
    fileprivate var breaksLines: Bool {
        switch value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }
}
