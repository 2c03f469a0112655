// How long a server wants to be left alone, in the three forms in which servers say it.

import AirshipCore
package import Foundation

/// Reads `Retry-After` (seconds or an HTTP date) and `retry-after-ms`.
package enum RetryAfter {
    /// The delay that the response asks for, not negative and at most ``ChatLimits/pauseMax``;
    /// nil when it asks for none, or not readably.
    ///
    /// - Parameter now: The wall clock, for a date in a response that does not tell its own.
    package static func delay(in response: HTTPResponse, now: Date) -> Duration? {
        if let milliseconds = number(response.header("retry-after-ms")) {
            return bounded(seconds: milliseconds / 1_000)
        }
        guard let value = response.header("retry-after") else { return nil }
        if let seconds = number(value) { return bounded(seconds: seconds) }
        guard let date = HTTPDate.parse(value) else { return nil }
        // The difference of two dates by one clock does not depend on this device's.
        let reference = response.header("date").flatMap(HTTPDate.parse) ?? now
        return bounded(seconds: date.timeIntervalSince(reference))
    }

    private static func number(_ text: String?) -> Double? {
        guard let text, let value = Double(text), value.isFinite, value >= 0 else { return nil }
        return value
    }

    private static func bounded(seconds: Double) -> Duration {
        min(.seconds(min(max(seconds, 0), ChatLimits.pauseMax.timeInterval)), ChatLimits.pauseMax)
    }
}

/// Dates as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Nil for anything else, the two obsolete forms among it.
    static func parse(_ text: String) -> Date? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let day = digits(words[1], 1...31),
            let month = months.firstIndex(of: String(words[2])),
            let year = digits(words[3], 1_970...9_999)
        else { return nil }
        let clock = words[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let hour = digits(clock[0], 0...23),
            let minute = digits(clock[1], 0...59), let second = digits(clock[2], 0...60)
        else { return nil }
        let days = days(toYear: year, month: month + 1, day: day)
        return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
    }

    private static func digits(_ text: Substring, _ range: ClosedRange<Int>) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text) else {
            return nil
        }
        return range.contains(value) ? value : nil
    }

    // Days since 1970, counting years from March so that the leap day is a year's last.
    private static func days(toYear year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }
}
