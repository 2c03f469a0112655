// A memory that forgets: so that what a recorder knows of the past does not grow with it.

/// The last so many different keys with their values.
struct Recent<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let countMax: Int
    private var values: [Key: Value] = [:]
    /// In order of arrival, from `oldest` on and around.
    private var keys: [Key] = []
    private var oldest = 0

    init(countMax: Int) {
        self.countMax = countMax
    }

    /// Nil for a key that never came, or that so many others came after.
    subscript(key: Key) -> Value? { values[key] }

    /// Remembers a key, or another value of it; the oldest key goes where there is no room.
    mutating func remember(_ key: Key, _ value: Value) {
        if values.updateValue(value, forKey: key) != nil { return }
        if keys.count < countMax {
            keys.append(key)
        } else {
            values[keys[oldest]] = nil
            keys[oldest] = key
            oldest = (oldest + 1) % countMax
        }
    }
}
