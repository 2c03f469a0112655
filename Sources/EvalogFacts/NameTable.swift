// From the bytes of a name to its place in a closed list, without making a String.

/// The names of a closed list in their order; each is found by its bytes in constant time.
package struct NameTable: Sendable {
    private let names: [StaticString]
    /// Entries at the place of their hash or the next that was free; an empty one has no place.
    private var entries = [Entry](repeating: Entry(key: Key(), place: nil), count: entryCount)

    private static let entryCount = 128

    private struct Entry {
        var key: Key
        var place: UInt8?
    }

    /// - Parameter names: At most 64, all different.
    package init(_ names: StaticString...) {
        precondition(names.count <= Self.entryCount / 2, "a closed list has at most 64 names")
        self.names = names
        for (place, name) in names.enumerated() {
            let key = Key(Self.bytes(of: name))
            var slot = key.hash
            while entries[slot].place != nil { slot = (slot + 1) % Self.entryCount }
            entries[slot] = Entry(key: key, place: UInt8(place))
        }
    }

    package var count: Int { names.count }

    package subscript(place: UInt8) -> StaticString { names[Int(place)] }

    /// The place of a name, nil if the list does not have it.
    package func place(of name: UnsafeRawBufferPointer) -> UInt8? {
        let key = Key(name)
        var slot = key.hash
        while let place = entries[slot].place {
            // Up to 16 bytes, equal keys are equal names.
            if entries[slot].key == key,
                name.count <= 16 || name.elementsEqual(Self.bytes(of: names[Int(place)]))
            {
                return place
            }
            slot = (slot + 1) % Self.entryCount
        }
        return nil
    }

    private static func bytes(of name: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    }

    /// A name's length and its first and last bytes, up to eight each, which may overlap.
    private struct Key: Equatable {
        var count = 0
        var head: UInt64 = 0
        var tail: UInt64 = 0

        init() {}

        init(_ name: UnsafeRawBufferPointer) {
            count = name.count
            if count >= 8 {
                head = name.loadUnaligned(as: UInt64.self)
                tail = name.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            } else if count >= 4 {
                head = UInt64(name.loadUnaligned(as: UInt32.self))
                tail = UInt64(name.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
            } else if count >= 1 {
                head = UInt64(name[0]) << 8 | UInt64(name[count / 2])
                tail = UInt64(name[count - 1])
            }
        }

        /// Seven well mixed bits: a place among ``entryCount`` entries.
        var hash: Int {
            let mixed = (head ^ tail << 1 ^ UInt64(count)) &* 0x9E37_79B9_7F4A_7C15
            return Int(mixed >> 57)
        }
    }
}

/// An enum whose every case has a fixed name in a line.
package protocol ClosedList: Hashable, CaseIterable, RawRepresentable, Sendable
where RawValue == UInt8 {
    /// The names in the order of the raw values.
    static var names: NameTable { get }
    /// What an unknown name is read as; nil where it makes the line unreadable.
    static var fallback: Self? { get }
}

extension ClosedList {
    package static var fallback: Self? { nil }

    /// The case of a name; for an unknown one the list's fallback, nil if it has none.
    package init?(name: UnsafeRawBufferPointer) {
        if let place = Self.names.place(of: name), let known = Self(rawValue: place) {
            self = known
        } else if let fallback = Self.fallback {
            self = fallback
        } else {
            return nil
        }
    }

    /// The name as it stands in a line.
    package var name: StaticString { Self.names[rawValue] }
}
