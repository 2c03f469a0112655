// From what an app says to what may stand in a fact.

import EvalogText

/// Brings texts into their shapes: what does not fit is replaced and counted.
package struct Shaper: Sendable {
    /// Texts replaced so far.
    package private(set) var replacedCount = 0
    private let code: HMACSHA256

    /// - Parameter key: The log's key, 32 random bytes: without it a digest cannot be guessed.
    package init(key: [UInt8]) {
        code = HMACSHA256(key: key)
    }

    /// The text itself, or `other`; so with the next four.
    package mutating func usage(_ text: String) -> String { shaped(text, .usage) }
    package mutating func model(_ text: String) -> String { shaped(text, .model) }
    package mutating func os(_ text: String) -> String { shaped(text, .os) }
    package mutating func device(_ text: String) -> String { shaped(text, .device) }
    package mutating func app(_ text: String) -> String { shaped(text, .app) }

    /// The subject itself, or a digest that is the same for the same text.
    package mutating func subject(_ text: String) -> String {
        if Shape.subject.fits(text) { return text }
        replacedCount += 1
        return digest([text]).text
    }

    /// The session itself, or a digest that is the same for the same text.
    package mutating func session(_ text: String) -> SessionID {
        var copy = text
        if let session = copy.withUTF8({ SessionID(UnsafeRawBufferPointer($0)) }) { return session }
        replacedCount += 1
        return digest([text])
    }

    /// The subject of an evaluation that names none: equal for equal questions of one usage.
    package func subject(usage: String, instructions: String) -> String {
        digest([usage, instructions]).text
    }

    /// The fact of a line, with digests where its subject or session did not fit.
    ///
    /// - Returns: nil for a line of an unknown type.
    package mutating func fact(_ view: FactView) -> Fact? {
        guard var fact = Fact(view) else { return nil }
        // What became `other` in the view has been counted there.
        replacedCount += view.misfitCount
        if !view.misfitSubject.isEmpty {
            fact.subject = digest([String(decoding: view.misfitSubject, as: UTF8.self)]).text
        }
        if !view.misfitSession.isEmpty {
            fact.session = digest([String(decoding: view.misfitSession, as: UTF8.self)])
        }
        return fact
    }

    private mutating func shaped(_ text: String, _ shape: Shape) -> String {
        if shape.fits(text) { return text }
        replacedCount += 1
        return "\(Shape.other)"
    }

    /// Parts are told apart by the byte 0xFF, which no UTF-8 text holds.
    private func digest(_ parts: [String]) -> SessionID {
        var code = code
        for (index, part) in parts.enumerated() {
            if index > 0 { code.update([0xFF]) }
            var part = part
            part.withUTF8 { code.update(UnsafeRawBufferPointer($0)) }
        }
        return SessionID(bits: .leading(bytesOf: code.finish()), isDigest: true)
    }
}
