// From the bytes of a name to its place in a closed list, without making a String.

/// The names of a closed list in their order; each is found by its bytes in constant time.
package struct NameTable: Sendable {
    private let names: [StaticString]
    /// Places in `names`, found by hash, 0xFF where there is none.
    private var slots = [UInt8](repeating: 0xFF, count: slotCount)

    private static let slotCount = 128

    /// - Parameter names: At most 64, all different.
    package init(_ names: StaticString...) {
        precondition(names.count <= Self.slotCount / 2, "a closed list has at most 64 names")
        self.names = names
        for (place, name) in names.enumerated() {
            var slot = Self.slot(of: Self.bytes(of: name))
            while slots[slot] != 0xFF { slot = (slot + 1) % Self.slotCount }
            slots[slot] = UInt8(place)
        }
    }

    package var count: Int { names.count }

    package subscript(place: UInt8) -> StaticString { names[Int(place)] }

    /// The place of a name, nil if the list does not have it.
    package func place(of name: UnsafeRawBufferPointer) -> UInt8? {
        var slot = Self.slot(of: name)
        while slots[slot] != 0xFF {
            let candidate = Self.bytes(of: names[Int(slots[slot])])
            if candidate.count == name.count, candidate.elementsEqual(name) { return slots[slot] }
            slot = (slot + 1) % Self.slotCount
        }
        return nil
    }

    private static func slot(of name: UnsafeRawBufferPointer) -> Int {
        guard let first = name.first, let last = name.last else { return 0 }
        let middle = name[name.count / 2]
        return (name.count &* 37 &+ Int(first) &* 5 &+ Int(middle) &* 11 &+ Int(last) &* 3)
            % slotCount
    }

    private static func bytes(of name: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
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
