// Prometheus's text format: https://prometheus.io/docs/instrumenting/exposition_formats/

import EvalogText

/// Families of samples as text, one after the other.
struct MetricText {
    enum Kind: String {
        case counter, gauge, histogram
    }

    /// A label and its value; an empty value is no label to Prometheus, and is left out.
    struct Label {
        let name: String
        let value: [UInt8]

        init(_ name: String, _ value: [UInt8]) {
            self.name = name
            self.value = value
        }

        init(_ name: String, _ value: StaticString) {
            self.init(
                name,
                Array(UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount)))
        }
    }

    private(set) var bytes: [UInt8] = []
    private var family = ""

    /// Starts a family; one without samples is only described.
    ///
    /// - Parameter help: One line without backslashes.
    mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        family = name
        bytes += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n".utf8
    }

    mutating func sample(_ labels: [Label], _ value: some BinaryInteger, suffix: String = "") {
        sample(labels, text: Array(String(value).utf8), suffix: suffix)
    }

    mutating func sample(_ labels: [Label], text value: [UInt8], suffix: String = "") {
        bytes += family.utf8
        bytes += suffix.utf8
        let labels = labels.filter { !$0.value.isEmpty }
        for (place, label) in labels.enumerated() {
            bytes += (place == 0 ? "{" : ",").utf8
            bytes += label.name.utf8
            bytes += "=\"".utf8
            append(label.value)
            bytes.append(UInt8(ascii: "\""))
        }
        if !labels.isEmpty { bytes.append(UInt8(ascii: "}")) }
        bytes.append(UInt8(ascii: " "))
        bytes += value
        bytes.append(UInt8(ascii: "\n"))
    }

    /// A label's value: valid UTF-8, with the three escapes that the format has.
    private mutating func append(_ value: [UInt8]) {
        for byte in String(decoding: value, as: UTF8.self).utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
            case UInt8(ascii: "\""): bytes += #"\""#.utf8
            case UInt8(ascii: "\n"): bytes += #"\n"#.utf8
            default: bytes.append(byte)
            }
        }
    }

    /// Microseconds as seconds, exactly.
    static func seconds(_ microseconds: some BinaryInteger) -> [UInt8] {
        let (whole, rest) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        var text = (microseconds < 0 ? "-" : "") + String(whole)
        if rest > 0 {
            let digits = String(rest)
            text += "." + String(repeating: "0", count: 6 - digits.count) + digits
            while text.last == "0" { text.removeLast() }
        }
        return Array(text.utf8)
    }
}
