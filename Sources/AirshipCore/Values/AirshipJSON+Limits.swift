// How large an answer may be. Nothing here recurses: an answer that a model builds by hand can be
// nested deeper than any stack.

extension AirshipJSON {
    /// Checks depth, values and text against ``CoreLimits``, and that all of it has a JSON form, also
    /// what no schema speaks of.
    ///
    /// - Throws: `AirshipCoreError.nestedTooDeep`, `answerTooLarge` or `nonFiniteNumber`.
    /// - Complexity: O(values), at most ``CoreLimits/answerValueMax``.
    func checkAnswerLimits() throws(AirshipCoreError) {
        var pending = [(value: self, depth: 1)]
        var (valueCount, byteCount) = (1, 0)
        while let (value, depth) = pending.popLast() {
            guard depth <= CoreLimits.jsonDepthMax else { throw .nestedTooDeep }
            switch value {
            case .null, .bool: break
            case .number(let number):
                guard number.isFinite else { throw .nonFiniteNumber }
            case .string(let text): byteCount += text.utf8.count
            case .array(let elements):
                valueCount += elements.count
                guard valueCount <= CoreLimits.answerValueMax else { throw .answerTooLarge }
                for element in elements { pending.append((element, depth + 1)) }
            case .object(let members):
                valueCount += members.count
                guard valueCount <= CoreLimits.answerValueMax else { throw .answerTooLarge }
                for (name, member) in members {
                    byteCount += name.utf8.count
                    pending.append((member, depth + 1))
                }
            }
            guard byteCount <= CoreLimits.answerByteMax else { throw .answerTooLarge }
        }
    }

    /// Leaves null behind and frees the parts one by one, where nobody else has them: Swift itself
    /// frees nested values by recursion.
    ///
    /// - Complexity: O(parts), each once, however often it is part of others.
    mutating func takeApart() {
        var parts = AnswerParts()
        parts.add(self)
        self = .null
        parts.free()
    }
}

/// Arrays and objects that are held together until each can be let go of after all that it is in.
private struct AnswerParts {
    private struct Part {
        /// An array or an object; its address is its own for as long as this is held.
        var value: AirshipJSON
        /// How often it is in others that are still held.
        var parentCount = 0
    }

    private var parts: [UInt: Part] = [:]

    /// Adds a value and all that is in it.
    mutating func add(_ value: AirshipJSON) {
        guard let address = value.address else { return }
        parts[address] = Part(value: value)
        var pending = [address]
        while let address = pending.popLast() {
            parts[address]?.value.forEachPart { part in
                guard let inner = part.address else { return }
                if parts[inner] == nil {
                    parts[inner] = Part(value: part)
                    pending.append(inner)
                }
                parts[inner]?.parentCount += 1
            }
        }
    }

    /// Lets go of them from the outermost on; what is in a part is still held when that goes.
    mutating func free() {
        var free = parts.filter { $0.value.parentCount == 0 }.map(\.key)
        while let address = free.popLast() {
            guard let part = parts.removeValue(forKey: address) else { continue }
            part.value.forEachPart { inner in
                guard let inner = inner.address, let count = parts[inner]?.parentCount else {
                    return
                }
                parts[inner]?.parentCount = count - 1
                if count == 1 { free.append(inner) }
            }
        }
    }
}

extension AirshipJSON {
    /// Where the elements or members are stored; nil where there are none. Arrays and dictionaries are
    /// one word each, a reference to their storage.
    fileprivate var address: UInt? {
        switch self {
        case .array(let elements): elements.isEmpty ? nil : unsafeBitCast(elements, to: UInt.self)
        case .object(let members): members.isEmpty ? nil : unsafeBitCast(members, to: UInt.self)
        case .null, .bool, .number, .string: nil
        }
    }

    fileprivate func forEachPart(_ body: (AirshipJSON) -> Void) {
        switch self {
        case .array(let elements): elements.forEach(body)
        case .object(let members): members.values.forEach(body)
        case .null, .bool, .number, .string: break
        }
    }
}
