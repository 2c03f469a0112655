// Lays compact JSON out for people: what fits on a line stays on one.

/// A layout that depends on the text alone.
package enum IndentedJSON {
    private static let width = 100
    private static let step = 2

    /// The same JSON, indented, with a line break at the end. `compact` is valid and has no white
    /// space between its tokens.
    package static func bytes(_ compact: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        append(compact[...], indent: 0, lead: 0, to: &output)
        output.append(UInt8(ascii: "\n"))
        return output
    }

    /// `lead` is how many bytes of the line stand before the value.
    private static func append(
        _ value: ArraySlice<UInt8>, indent: Int, lead: Int, to output: inout [UInt8]
    ) {
        let isContainer = value.first == UInt8(ascii: "{") || value.first == UInt8(ascii: "[")
        let line = oneLine(value)
        guard isContainer, value.count > 2, lead + line.count + 1 > width else {
            output += line
            return
        }
        output.append(value[value.startIndex])
        let members = split(value.dropFirst().dropLast())
        for (place, member) in members.enumerated() {
            output.append(UInt8(ascii: "\n"))
            output += repeatElement(UInt8(ascii: " "), count: indent + step)
            let key = keyLength(member)
            output += member.prefix(key)
            if key > 0 { output.append(UInt8(ascii: " ")) }
            append(
                member.dropFirst(key), indent: indent + step,
                lead: indent + step + (key > 0 ? key + 1 : 0), to: &output)
            if place + 1 < members.count { output.append(UInt8(ascii: ",")) }
        }
        output.append(UInt8(ascii: "\n"))
        output += repeatElement(UInt8(ascii: " "), count: indent)
        output.append(value[value.endIndex - 1])
    }

    /// The value with a space after each comma and colon.
    private static func oneLine(_ value: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        forEachByte(value) { byte, isInString, _ in
            output.append(byte)
            if !isInString, byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") {
                output.append(UInt8(ascii: " "))
            }
        }
        return output
    }

    private static func split(_ members: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var start = members.startIndex
        var offset = members.startIndex
        forEachByte(members) { byte, isInString, depth in
            if !isInString, depth == 0, byte == UInt8(ascii: ",") {
                parts.append(members[start..<offset])
                start = offset + 1
            }
            offset += 1
        }
        parts.append(members[start...])
        return parts
    }

    /// Bytes of the member's key and its colon; 0 for an element of an array.
    private static func keyLength(_ member: ArraySlice<UInt8>) -> Int {
        var length = 0
        var offset = 0
        forEachByte(member) { byte, isInString, depth in
            offset += 1
            if length == 0, !isInString, depth == 0, byte == UInt8(ascii: ":") { length = offset }
        }
        return length
    }

    private static func forEachByte(
        _ text: ArraySlice<UInt8>, _ body: (_ byte: UInt8, _ isInString: Bool, _ depth: Int) -> Void
    ) {
        var isInString = false
        var isEscaped = false
        var depth = 0
        for byte in text {
            if !isInString, byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { depth -= 1 }
            body(byte, isInString, depth)
            if !isInString, byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { depth += 1 }
            if isEscaped {
                isEscaped = false
            } else if isInString && byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString.toggle()
            }
        }
    }
}
