// A command line of any words, one a line: understood or refused, and no file is touched.

@testable import Commands

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

enum CommandLineInput {
    private static let console: Console = {
        let nowhere = open("/dev/null", O_WRONLY)
        return Console(
            output: Output(descriptor: nowhere, name: "to nowhere"),
            errors: Output(descriptor: nowhere, name: "to nowhere"),
            environment: [:], now: { 1_790_000_000_000_000 })
    }()

    static func feed(_ bytes: UnsafeRawBufferPointer) {
        let words = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        guard let name = words.first else { return }
        guard let spec = CommandSpec.all.first(where: { $0.name == name }) else {
            _ = Nearest.name(to: name, among: CommandSpec.all.map(\.name))
            return
        }
        do {
            let arguments = try Arguments(Array(words.dropFirst()), for: spec)
            _ = HelpText.of(spec, isFull: arguments.last(.help) == "long")
            _ = try spec.prepare(arguments, console.configured(by: arguments))
        } catch {
            let failure = ErrorText.of(error)
            demand(!failure.what.isEmpty, "a refusal says nothing")
            console.warn(failure.what)
        }
    }
}
