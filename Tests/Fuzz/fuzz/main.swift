// fuzz TARGET [libFuzzer's flags and corpora]   feeds one target
// fuzz corpus DIR                               writes the inputs to begin with

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

var words = CommandLine.arguments
guard words.count > 1 else { fail("fuzz: no target") }
let name = words.remove(at: 1)
if name == "corpus", words.count == 2 {
    do {
        try Corpus.write(to: words[1])
        exit(0)
    } catch {
        fail("fuzz: the corpus cannot be written: \(error)")
    }
}
guard let target = FuzzTarget(rawValue: name) else { fail("fuzz: no target \(name)") }
FuzzTarget.chosen = target
exit(runFuzzer(words))
