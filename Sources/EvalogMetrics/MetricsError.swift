// What can be wrong with the rules; damaged facts are counted, never thrown.

/// A rule that cannot be followed; nothing has been read or changed.
package enum MetricsError: Error, Equatable {
    /// No such zone in the time zone database of this machine.
    case unknownTimeZone(identifier: String)
    /// A fixed window is whole seconds, from 1 s to ``MetricsLimits/windowMax``.
    case windowOutOfRange(microseconds: Int64)
    /// A gap is 0 or positive.
    case negativeGap(microseconds: Int64)
    /// At least one group must be able to keep its name.
    case groupCountOutOfRange(Int)
    /// One dimension can group only once.
    case repeatedDimension(Dimension)
    /// A drift is between two values of one of ``DriftRules/dimensions``.
    case driftDimension(Dimension)
    /// Nothing differs from itself.
    case driftOfOneSide
    /// A level is above 0 and below 1; millionths.
    case levelOutOfRange(Int64)
}
