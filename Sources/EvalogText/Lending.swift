// Bytes handed on without a copy, with the receiver's own type of error.

extension [UInt8] {
    /// Lends the bytes for the time of the call: `withUnsafeBytes`, which rethrows any error only.
    package func lend<Failure: Error>(
        to receive: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        var failure: Failure?
        withUnsafeBytes { bytes in
            do throws(Failure) { try receive(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
