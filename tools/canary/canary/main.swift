// canary: evaluations at random, with markers in everything confidential. tools/canary/run searches
// for them wherever evalog writes.

import Foundation

let help = """
    usage: canary plant DIR [--count N] [--seed S] [--server URL]   evaluations into DIR/log…
           canary crash DIR HOW                                     trap, abort, segmentation, uncaught

    DIR/planted-*, DIR/seen-* and DIR/opted-* get what was planted, what models and servers saw or
    said, and which opted-in answers were reported. Defaults: 1,000 evaluations, seed 1.

    """

func fail(_ text: String) -> Never {
    FileHandle.standardError.write(Data(text.utf8))
    exit(2)
}

/// Players side by side, each with writers of its own in the same logs.
let playerCount = 2
/// One evaluation of so many comes last, with users who switch on-device AI off.
let gatedShare = 50

func plant(_ folder: String, count: Int, seed: UInt64, server: String?) async throws {
    let stage = Stage(folder: folder, server: server)
    let gatedCount = count / gatedShare
    let count = count - gatedCount
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<playerCount {
            let share = count / playerCount + (number < count % playerCount ? 1 : 0)
            group.addTask { try await play(stage, share, number, seed: seed) }
        }
        try await group.waitForAll()
    }
    let gated = Stage(folder: folder, server: server, isGated: true)
    try await play(gated, gatedCount, playerCount, seed: seed)
}

func play(_ stage: Stage, _ count: Int, _ number: Int, seed: UInt64) async throws {
    var player = try Player(stage, name: String(number), seed: seed &* 1_000 &+ UInt64(number))
    try await player.play(count)
}

/// The words of a command line, from which options are taken out.
struct Words {
    var rest: [String]

    /// The value of `--name VALUE`; nil where it is not given.
    mutating func take(_ name: String) -> String? {
        guard let place = rest.firstIndex(of: name) else { return nil }
        guard rest.indices.contains(place + 1) else { fail(help) }
        defer { rest.removeSubrange(place...(place + 1)) }
        return rest[place + 1]
    }
}

var words = Words(rest: Array(CommandLine.arguments.dropFirst()))
let count = words.take("--count").map { Int($0) ?? 0 } ?? 1_000
let seed = words.take("--seed").map { UInt64($0) ?? 0 } ?? 1
let server = words.take("--server")
switch (words.rest.first, words.rest.count) {
case ("plant", 2) where count > 0 && seed > 0:
    try await plant(words.rest[1], count: count, seed: seed, server: server)
case ("crash", 3):
    guard let how = Crash(rawValue: words.rest[2]) else { fail(help) }
    try await crash(how, in: Stage(folder: words.rest[1], server: nil))
default: fail(help)
}
