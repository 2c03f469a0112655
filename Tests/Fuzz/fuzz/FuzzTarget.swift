// What is fed with bytes, and libFuzzer, which feeds it.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

enum FuzzTarget: String, CaseIterable {
    case segment, inflate, fact, record, content, trace, position, arguments

    /// Set once before the first input.
    nonisolated(unsafe) static var chosen = Self.fact

    func feed(_ bytes: UnsafeRawBufferPointer) throws {
        switch self {
        case .segment: try SegmentInput.shared.feed(bytes)
        case .inflate: InflateInput.feed(bytes)
        case .fact: try LineInputs.fact(bytes)
        case .record: try LineInputs.record(bytes)
        case .content: try LineInputs.content(bytes)
        case .trace: try LineInputs.trace(bytes)
        case .position: try LineInputs.position(bytes)
        case .arguments: CommandLineInput.feed(bytes)
        }
    }
}

private typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
private typealias Feed = @convention(c) (_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32

/// libFuzzer's way in for programs with a main of their own.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutablePointer<Arguments>,
    _ feed: Feed
) -> Int32

/// Hands the chosen target's inputs over until libFuzzer has enough.
///
/// - Parameter words: The program's name and libFuzzer's flags.
func runFuzzer(_ words: [String]) -> Int32 {
    var count = Int32(words.count)
    var arguments = Arguments.allocate(capacity: words.count + 1)
    for (index, word) in words.enumerated() { arguments[index] = strdup(word) }
    arguments[words.count] = nil
    return runDriver(&count, &arguments, feed)
}

/// The name is the one that libFuzzer's own main asks for, which is linked in unused.
@_cdecl("LLVMFuzzerTestOneInput")
func feed(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do {
        try FuzzTarget.chosen.feed(UnsafeRawBufferPointer(start: start, count: count))
    } catch {
        demand(false, "\(error)")
    }
    return 0
}

/// Ends the run, which libFuzzer then reports with the input, where a promise is broken.
func demand(_ holds: Bool, _ otherwise: @autoclosure () -> String) {
    if holds { return }
    say("fuzz: \(otherwise())")
    abort()
}

func fail(_ text: String) -> Never {
    say(text)
    exit(2)
}

private func say(_ text: String) {
    _ = Array("\(text)\n".utf8).withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
}
