// The lines of one block, on loan from the thread that inflated them.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One block's text and which of its lines are wanted. Valid until the body it was given to
/// returns.
package struct LineBlock {
    package let header: BlockHeader
    /// The segment's file name and the block's place in it.
    package let segment: String
    package let offset: Int64
    /// All lines with their newlines; at least `LogLimits.slackByteCount` more bytes may be
    /// read behind them.
    package let text: UnsafeRawBufferPointer
    /// The lines that this block supplies; others come from another block or came before.
    package internal(set) var wanted: SequenceSet
    /// The member behind its header, for whoever copies it: deflate bytes and trailer. A part of a
    /// pack has none of its own.
    let body: UnsafeRawBufferPointer?

    /// Calls the body with each wanted line, without its newline, and its sequence.
    package func forEachLine<Failure: Error>(
        _ body: (_ sequence: UInt64, _ line: UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        guard let base = text.baseAddress else { return }
        var sequence = header.first
        var start = 0
        for range in wanted.ranges {
            while sequence < range.upperBound, start < text.count {
                let newline = memchr(base + start, 0x0a, text.count - start)
                let end = newline.map { UnsafeRawPointer($0) - base } ?? text.count
                if sequence >= range.lowerBound {
                    try body(sequence, UnsafeRawBufferPointer(rebasing: text[start..<end]))
                }
                sequence += 1
                start = end + 1
            }
        }
    }
}
