import Simulator

let words = CommandLine.arguments
let first = words.count > 1 ? UInt64(words[1])! : 1
let count = words.count > 2 ? UInt64(words[2])! : 200
let traced = words.count > 3
let simulation = Simulation()
var bad = 0
for seed in first..<first + count {
    let outcome = simulation.run(seed, isTraced: traced)
    if traced { for line in outcome.trace { print(line) } }
    if !outcome.problems.isEmpty { bad += 1; print(seed, outcome.problems.prefix(3)) }
}
print("bad", bad)
