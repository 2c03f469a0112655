// The only file that asks Foundation: how far local time is from UTC at an instant.

import Foundation

/// Offsets of one time zone, in seconds.
struct TimeZoneOffsets {
    private let zone: TimeZone

    /// - Throws: ``MetricsError/unknownTimeZone(identifier:)``.
    init(identifier: String) throws(MetricsError) {
        guard Self.isInDatabase(identifier), let zone = TimeZone(identifier: identifier) else {
            throw .unknownTimeZone(identifier: identifier)
        }
        self.zone = zone
    }

    /// Foundation also takes abbreviations, which mean several places (BST is a time in Bangladesh to
    /// it), and distances from GMT, whose sign is the other way round in the database.
    private static func isInDatabase(_ identifier: String) -> Bool {
        ["UTC", "GMT"].contains(identifier) || identifier.utf8.contains(UInt8(ascii: "/"))
            || TimeZone.knownTimeZoneIdentifiers.contains(identifier)
    }

    /// What to add to UTC to get local time. Costs about a microsecond.
    func offset(atSecond second: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second))))
    }
}
