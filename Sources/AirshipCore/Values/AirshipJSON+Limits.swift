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
    mutating func takeApart() {
        var pending = [self]
        self = .null
        while let value = pending.popLast() {
            switch value {
            case .array(let elements): pending.append(contentsOf: elements)
            case .object(let members): pending.append(contentsOf: members.values)
            case .null, .bool, .number, .string: break
            }
        }
    }
}
