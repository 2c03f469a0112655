// Evaluations written in our own key order without a surprise: nearly all lines of a log. Whatever
// is unusual is left to FactDecoder, which knows everything.

import EvalogText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads evaluation lines as `Fact` writes them, several times as fast as the general decoder.
///
/// It accepts a subset of lines and gives the same view of them as ``FactDecoder``; one thread at a
/// time. Names are checked when they are met for the first time (``NameMemo``).
struct StraightReader {
    private var memo = NameMemo()
    private var times = TimeReader()
    // Instances, for a static table asks at every use whether it was made already.
    private let reasons = SkipReason.names
    private let details = SkipDetail.names
    private let errors = ErrorClass.names

    /// Reads a line into a view that has its defaults; false, with the view in any state, where
    /// the line has to be read by the general decoder.
    @inline(__always)
    mutating func read(_ line: UnsafeRawBufferPointer, into view: inout FactView) -> Bool {
        guard let start = line.baseAddress else { return false }
        var cursor = Cursor(at: start, end: start + line.count)
        guard cursor.takes(#"{"v":1,"type":"evaluation","id":""#),
            let id = UniqueID(cursor.bytes(36)), cursor.takes(#"","time":""#),
            cursor.hasRoom(for: TimeReader.byteCount),
            let time = times.microseconds(cursor.at)
        else { return false }
        view.kind = .evaluation
        view.id = id
        view.time = time
        let timeStart = cursor.at - start - 1
        view.timeRange = timeStart..<timeStart + TimeReader.byteCount + 2
        cursor.at += TimeReader.byteCount
        guard cursor.takes(#"","usage":""#), cursor.takeText(&view.usage),
            readSubjectAndSession(&cursor, &view), readNames(&cursor, &view),
            readOutcome(&cursor, &view)
        else { return false }
        if cursor.takes(#","duration_us":"#) {
            guard let duration = cursor.takeNumber(), duration <= Decimal.durationMax else {
                return false
            }
            view.duration = duration
        }
        guard cursor.takes(#","attempts":"#), let attempts = cursor.takeNumber(),
            attempts <= FactLimits.attemptsMax, cursor.takes("}"), cursor.at == cursor.end
        else { return false }
        view.attempts = Int32(truncatingIfNeeded: attempts)
        return true
    }

    @inline(__always)
    private func readSubjectAndSession(_ cursor: inout Cursor, _ view: inout FactView) -> Bool {
        if cursor.takes(#","subject":""#) {
            guard cursor.takeText(&view.subject), Self.isSubject(view.subject) else { return false }
        }
        if cursor.takes(#","session":""#) {
            guard let id = UniqueID(cursor.bytes(36)), cursor.takes("\"") else { return false }
            view.session = SessionID(bits: id, isDigest: false)
        }
        return true
    }

    /// Whether plain ASCII text is a subject: no space, no `@`, no delete.
    @inline(__always)
    private static func isSubject(_ text: FactView.Text) -> Bool {
        guard 1...FactLimits.subjectByteCountMax ~= text.count else { return false }
        for byte in text {
            if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "@") || byte == 0x7F {
                return false
            }
        }
        return true
    }

    /// From `model` to `app`; none of them has to be there.
    @inline(__always)
    private mutating func readNames(_ cursor: inout Cursor, _ view: inout FactView) -> Bool {
        let start = cursor.at
        if cursor.takes(#","model":""#), !cursor.takeText(&view.model) { return false }
        if cursor.takes(#","os":""#), !cursor.takeText(&view.os) { return false }
        if cursor.takes(#","device":""#), !cursor.takeText(&view.device) { return false }
        if cursor.takes(#","app":""#), !cursor.takeText(&view.app) { return false }
        let span = UnsafeRawBufferPointer(start: start, count: cursor.at - start)
        guard let combination = memo.combination(view, span) else { return false }
        view.combination = combination
        return true
    }

    @inline(__always)
    private func readOutcome(_ cursor: inout Cursor, _ view: inout FactView) -> Bool {
        guard cursor.takes(#","outcome":""#) else { return false }
        if cursor.takes(#"completed""#) {
            view.outcome = .completed
        } else if cursor.takes(#"skipped""#) {
            view.outcome = .skipped
        } else if cursor.takes(#"failed""#) {
            view.outcome = .failed
        } else if cursor.takes(#"cancelled""#) {
            view.outcome = .cancelled
        } else {
            return false
        }
        var text = FactView.Text(start: nil, count: 0)
        if cursor.takes(#","reason":""#) {
            guard cursor.takeText(&text), let place = reasons.place(of: text) else { return false }
            view.reason = SkipReason(rawValue: place)
        }
        if cursor.takes(#","detail":""#) {
            guard cursor.takeText(&text), let place = details.place(of: text) else { return false }
            view.detail = SkipDetail(rawValue: place)
        }
        if cursor.takes(#","error":""#) {
            guard cursor.takeText(&text), let place = errors.place(of: text) else { return false }
            view.error = ErrorClass(rawValue: place)
        }
        return true
    }
}

/// A place in a line. What it takes it has checked to be there.
private struct Cursor {
    var at: UnsafeRawPointer
    let end: UnsafeRawPointer

    @inline(__always)
    func hasRoom(for byteCount: Int) -> Bool { end - at >= byteCount }

    @inline(__always)
    mutating func takes(_ literal: StaticString) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard hasRoom(for: count), memcmp(at, literal.utf8Start, count) == 0 else { return false }
        at += count
        return true
    }

    /// Takes so many bytes; none where there are less.
    @inline(__always)
    mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer {
        guard hasRoom(for: count) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        defer { at += count }
        return UnsafeRawBufferPointer(start: at, count: count)
    }

    /// Takes ASCII text without escapes, and the quote behind it.
    @inline(__always)
    mutating func takeText(_ text: inout FactView.Text) -> Bool {
        let start = at
        let quote = JSONScanner.endOfPlainText(from: at, to: end)
        guard quote < end, quote.load(as: UInt8.self) == UInt8(ascii: "\"") else { return false }
        at = quote + 1
        text = FactView.Text(start: start, count: quote - start)
        return true
    }

    /// Takes up to 18 digits that are a JSON number.
    @inline(__always)
    mutating func takeNumber() -> Int64? {
        let start = at
        var value: Int64 = 0
        while at < end {
            let digit = at.load(as: UInt8.self) &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            value = value &* 10 &+ Int64(digit)
            at += 1
        }
        let count = at - start
        guard 1...18 ~= count, count == 1 || start.load(as: UInt8.self) != UInt8(ascii: "0") else {
            return nil
        }
        return value
    }
}
