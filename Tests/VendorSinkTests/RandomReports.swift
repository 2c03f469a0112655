// Logs of events, good and bad, that a seed decides.

import TestSupport

/// Lines of events, catalogs and switches with ids, times and values that often meet.
struct RandomReports {
    var random: SeededGenerator

    var lines: [String] {
        var random = random
        func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
        func flip() -> Bool { .random(using: &random) }
        let topics = ["billing", "delivery", "praise", "other", "secret"]
        return [Lines.gate(900, at: -20, isOn: true)]
            + (0..<200).map { index in
                let id = number(0...9) == 0 ? number(1...200) : index + 1
                let second = Double(number(0...40))
                switch number(0...9) {
                case 0:
                    let listed = topics.shuffled(using: &random).prefix(number(1...4))
                    let texts = listed.map { "\"\($0)\"" }.joined(separator: ",")
                    return Lines.catalog(
                        id, at: second - 10, field: "form/field\(number(1...2))",
                        #"{"topic":[\#(texts)]\#(flip() ? #","urgent":[true,false]"# : "")}"#)
                case 1:
                    return index > 100 && index % 4 == 0
                        ? Lines.gate(id, at: max(second, 31), isOn: flip())
                        : Lines.evaluation(1_000_000 + number(1...200), usage: "embedded_selection")
                case 2...4:
                    return Lines.suppression(
                        id, at: second, message: "message-\(number(1...3))",
                        session: number(1...20),
                        evaluation: flip() ? number(1...50) : nil,
                        missBehavior: ["skip", "cancel", "penalize", "words"][number(0...3)])
                default:
                    return Lines.inference(
                        id, at: second, field: "form/field\(number(1...3))",
                        session: number(1...20),
                        evaluation: flip() ? number(1...50) : nil,
                        status: number(0...4) == 0 ? "failure" : "success",
                        report: flip()
                            ? #"{"topic":"\#(topics[number(0...4)])","urgent":\#(flip())}"# : nil)
                }
            }
    }
}
