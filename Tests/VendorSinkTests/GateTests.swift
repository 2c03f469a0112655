// Nothing from while on-device AI was off leaves, also where that is not told by a switch.

import Testing
import VendorSink

@Suite("The gate in a report") struct GateTests {
    /// The evaluations of the first events, by a writer that tells nothing.
    private static let evaluations = Lines.Block(
        writer: 99,
        lines: (1...9).map { Lines.evaluation(1_000_000 + $0, usage: "scene_text_input") })

    @Test("events from while the gate was off are dropped, those of the very instant with them")
    func switches() {
        let screened = Lines.screen([
            Lines.gate(1, at: 10, isOn: false), Lines.gate(2, at: 20, isOn: true),
            Lines.suppression(3, at: 9.999_999), Lines.suppression(4, at: 10),
            Lines.inference(5, at: 15), Lines.suppression(6, at: 19.999_999),
            Lines.suppression(7, at: 20),
        ])
        #expect(Lines.numbers(screened) == [3, 7])
        #expect(Lines.withheld(screened) == ["gate_off": 3])
    }

    @Test("before it was first switched on the gate was off, and off wins a tie")
    func beforeFirst() {
        let first = Lines.screen([Lines.gate(1, at: 10, isOn: true), Lines.suppression(2, at: 5)])
        #expect(Lines.withheld(first) == ["gate_off": 1])
        let tie = Lines.screen([
            Lines.gate(1, at: 10, isOn: true), Lines.gate(2, at: 10, isOn: false),
            Lines.suppression(3, at: 5), Lines.suppression(4, at: 15),
        ])
        #expect(Lines.withheld(tie) == ["gate_off": 2])
    }

    @Test("what another device tells of its gate says nothing about a device that told its own")
    func devices() {
        let blocks = [
            Lines.Block(
                writer: 1, lines: [Lines.gate(1, at: 0, isOn: false), Lines.inference(2, at: 20)]),
            Lines.Block(
                writer: 2, lines: [Lines.gate(3, at: 10, isOn: true), Lines.inference(4, at: 20)]),
            Lines.Block(writer: 3, lines: [Lines.inference(5, at: 5), Lines.inference(6, at: 20)]),
        ]
        for blocks in [blocks, blocks.reversed()] {
            let screened = Lines.screen(blocks, collectors: 2)
            #expect(Lines.numbers(screened) == [4, 6], "the third follows whoever told last")
            #expect(Lines.withheld(screened) == ["gate_off": 2])
        }
    }

    @Test("an event that several writers have leaves only if the gate was on by all of them")
    func severalWriters() {
        let event = Lines.inference(2, at: 20)
        let screened = Lines.screen([
            Lines.Block(writer: 1, lines: [Lines.gate(1, at: 0, isOn: false), event]),
            Lines.Block(writer: 2, lines: [Lines.gate(3, at: 10, isOn: true), event]),
        ])
        #expect(Lines.withheld(screened) == ["gate_off": 1, "repeated_lines": 1])
    }

    @Test("where a writer's first lines are gone, its events wait for what it tells next")
    func beheaded() {
        let screened = Lines.screen([
            Lines.Block(
                sequence: 9, isBehindGap: true,
                lines: [
                    Lines.inference(1, at: 5), Lines.gate(2, at: 10, isOn: false),
                    Lines.inference(3, at: 15), Lines.gate(4, at: 20, isOn: true),
                    Lines.inference(5, at: 25),
                ]),
            Lines.Block(writer: 2, lines: [Lines.gate(6, at: 0, isOn: true)]),
            Self.evaluations,
        ])
        #expect(Lines.numbers(screened) == [5])
        #expect(Lines.withheld(screened) == ["gate_off": 2])
    }

    @Test(
        "after missing lines events wait for what their writer tells next, wherever the lines are missing"
    )
    func gaps() {
        func screen(_ isBehindGap: Bool) -> Screened {
            Lines.screen([
                Lines.Block(lines: [Lines.gate(1, at: 0, isOn: true), Lines.inference(2, at: 1)]),
                Lines.Block(
                    sequence: 9, isBehindGap: isBehindGap,
                    lines: [Lines.inference(3, at: 2), Lines.inference(4, at: 0.5)]),
                Lines.Block(lines: [Lines.gate(5, at: 3, isOn: true), Lines.inference(6, at: 4)]),
                // Others tell nothing about it, and it nothing about them.
                Lines.Block(
                    writer: 2, lines: [Lines.gate(7, at: 0, isOn: true), Lines.inference(8, at: 2)]),
                Self.evaluations,
            ])
        }
        #expect(Lines.numbers(screen(false)) == [4, 2, 3, 8, 6])
        #expect(Lines.numbers(screen(true)) == [2, 8, 6])
        #expect(Lines.withheld(screen(true)) == ["gate_off": 2])
    }

    @Test("a gate fact right behind missing lines tells, and so does an unreadable line nothing")
    func unreadable() {
        let told = Lines.screen([
            Lines.Block(
                sequence: 9, isBehindGap: true,
                lines: [Lines.gate(1, at: 0, isOn: true), Lines.inference(2, at: 1)]),
            Self.evaluations,
        ])
        #expect(Lines.numbers(told) == [2])
        for (line, counts) in [
            ("{", ["unreadable_lines": 1, "gate_off": 1]),
            (#"{"erased":true,"unread":true}"#, ["gate_off": 1]), (#"{"erased":true}"#, [:]),
        ] {
            let unreadable = Lines.screen(
                Lines.blocks([
                    Lines.gate(1, at: 0, isOn: true), Lines.inference(2, at: 1), line,
                    Lines.inference(3, at: 2), Lines.gate(4, at: 3, isOn: true),
                    Lines.inference(5, at: 4),
                ]) + [Self.evaluations])
            #expect(Lines.numbers(unreadable) == (counts.isEmpty ? [2, 3, 5] : [2, 5]))
            #expect(Lines.withheld(unreadable) == counts)
        }
    }

    @Test("where lines were refused, events from then on wait for what their writer tells next")
    func refused() {
        let screened = Lines.screen(
            Lines.blocks([
                Lines.gate(1, at: 0, isOn: true), Lines.inference(2, at: 1),
                Lines.inference(3, at: 3), Lines.refusal(4, at: 3, since: 2),
                Lines.inference(5, at: 4), Lines.gate(6, at: 5, isOn: true),
                Lines.inference(7, at: 6),
            ]) + [Self.evaluations])
        #expect(Lines.numbers(screened) == [2, 7])
        #expect(Lines.withheld(screened) == ["gate_off": 2])
    }

    @Test(
        "an event whose writer told nothing waits, where lines of others are lost, for what is told next"
    )
    func lossOfOthers() {
        func screen(_ lossTime: Int64?) -> [Int] {
            let collector = Lines.collect([
                Lines.gate(1, at: 0, isOn: true), Lines.gate(2, at: 20, isOn: true),
            ])
            let silent = Lines.collect(
                (3...5).map { Lines.inference($0, at: Double($0 - 3) * 10 + 5) }, writer: 2)
            collector.absorb(silent)
            if let lossTime {
                let time = Lines.start + lossTime * 1_000_000
                collector.miss(linesFrom: time...time)
            }
            return Lines.numbers(Screening.screen(collector, reviewed: nil))
        }
        #expect(screen(nil) == [3, 4, 5])
        #expect(screen(10) == [3, 5])
        #expect(screen(21) == [3, 4])
    }

    @Test("an unreadable line may have told others that it is off, until somebody tells again")
    func unreadableForOthers() {
        func screen(_ line: String, until end: Double = 10) -> Screened {
            Lines.screen([
                Lines.Block(writer: 1, lines: [Lines.gate(1, at: 0, isOn: true)]),
                Lines.Block(writer: 2, since: 10, until: end, lines: [line]),
                Lines.Block(writer: 3, lines: [Lines.gate(2, at: 20, isOn: true)]),
                Lines.Block(
                    writer: 4, lines: [5.0, 15, 25].map { Lines.inference(Int($0), at: $0) }),
            ])
        }
        #expect(Lines.numbers(screen(Lines.evaluation(9, usage: "mood"))) == [5, 15, 25])
        #expect(Lines.numbers(screen("{")) == [5, 25])
        #expect(Lines.numbers(screen("{", until: 30)) == [5], "it may stand anywhere in its block")
        #expect(Lines.withheld(screen("{")) == ["unreadable_lines": 1, "gate_off": 1])
    }

    @Test("while lines were refused nobody speaks for those who tell nothing")
    func refusedMeanwhile() {
        let screened = Lines.screen([
            Lines.Block(writer: 1, lines: [Lines.gate(1, at: 0, isOn: true)]),
            Lines.Block(
                writer: 2,
                lines: [
                    Lines.refusal(2, at: 10, since: 4), Lines.refusal(3, at: 20, since: 8),
                    Lines.refusal(4, at: 40, since: 30),
                ]),
            Lines.Block(
                writer: 3, lines: [6.0, 12, 25].map { Lines.gate(Int($0), at: $0, isOn: true) }),
            Lines.Block(
                writer: 4, lines: [3.0, 7, 15, 20, 29, 32].map { Lines.inference(Int($0), at: $0) }),
        ])
        #expect(Lines.numbers(screened) == [3, 20, 29])
    }

    @Test("where nobody tells of the gate, lost lines may have")
    func lossWithoutGate() {
        let collector = Lines.collect([Lines.inference(1, at: 5), Lines.inference(2, at: 15)])
        collector.miss(linesFrom: Lines.start + 10_000_000...Lines.start + 10_000_000)
        #expect(Lines.numbers(Screening.screen(collector, reviewed: nil)) == [1])
    }

    @Test("a clock that was set back, or an event that is told late, does not hide that it was off")
    func clocks() {
        let setBack = Lines.screen([
            Lines.gate(1, at: 100, isOn: true), Lines.inference(2, at: 101),
            Lines.gate(3, at: 50, isOn: false), Lines.inference(4, at: 60),
            Lines.inference(5, at: 110),
        ])
        #expect(Lines.numbers(setBack) == [2])
        let late = Lines.screen([
            Lines.gate(1, at: 0, isOn: true), Lines.gate(2, at: 10, isOn: false),
            Lines.gate(3, at: 20, isOn: true), Lines.inference(4, at: 15),
            Lines.inference(5, at: 9), Lines.inference(6, at: 21),
        ])
        #expect(Lines.numbers(late) == [5, 6])
    }

    @Test("two gate facts of one id both count")
    func repeatedGate() {
        let screened = Lines.screen([
            Lines.gate(1, at: 0, isOn: true), Lines.gate(1, at: 10, isOn: false),
            Lines.inference(2, at: 5), Lines.inference(3, at: 15),
        ])
        #expect(Lines.numbers(screened) == [])
        #expect(Lines.withheld(screened) == ["gate_off": 2])
    }

    @Test("an evaluation that the gate stopped stops its session's events until it is on again")
    func stoppedEvaluation() {
        let lines = [
            Lines.inference(1, at: 9, session: 1), Lines.stopped(99, at: 10, session: 1),
            Lines.inference(3, at: 10, session: 1), Lines.suppression(4, at: 11, session: 1),
            Lines.inference(5, at: 12, session: 2),
        ]
        let untold = Lines.screen(lines + [Lines.inference(6, at: 30, session: 1)])
        #expect(Lines.numbers(untold) == [1, 5])
        #expect(Lines.withheld(untold) == ["gate_off": 3])
        let told = Lines.screen(
            lines + [Lines.gate(7, at: 20, isOn: true), Lines.inference(6, at: 30, session: 1)])
        #expect(Lines.numbers(told) == [6])
        let older = Lines.screen([Lines.gate(7, at: 0, isOn: true)] + lines)
        #expect(Lines.numbers(older) == [1, 5], "it was switched off in between")
        let setBack = Lines.screen([
            Lines.gate(7, at: 100, isOn: true), Lines.stopped(99, at: 10, session: 1),
            Lines.inference(8, at: 110, session: 1), Lines.inference(9, at: 110, session: 2),
        ])
        #expect(Lines.numbers(setBack) == [9], "by a clock that was set back")
    }

    @Test("what tells of one session tells nothing of others, and that it was on tells nothing")
    func session() {
        func gate(_ id: Int, at second: Double, isOn: Bool, _ session: String) -> String {
            Lines.gate(id, at: second, isOn: isOn).replacing(
                #""on_device"#, with: #""session":"\#(session)","on_device"#)
        }
        let events = [
            Lines.inference(3, at: 9, session: 1), Lines.inference(4, at: 11, session: 1),
            Lines.inference(5, at: 11, session: 2),
        ]
        let off = Lines.screen([gate(1, at: 10, isOn: false, Lines.uuid(1))] + events)
        #expect(Lines.numbers(off) == [3, 5])
        #expect(Lines.withheld(off) == ["gate_off": 1])
        let on = Lines.screen(
            [Lines.gate(1, at: 0, isOn: false), gate(2, at: 1, isOn: true, Lines.uuid(1))] + events)
        #expect(Lines.numbers(on) == [])
        let misfit = Lines.screen([gate(1, at: 10, isOn: false, "LEAK words")] + events)
        #expect(Lines.withheld(misfit) == ["gate_off": 3, "unreadable_lines": 1])
        for none in ["~0123456789abcdef0123456789abcdef", "00000000-0000-0000-0000-000000000000"] {
            let off = Lines.screen(
                [events[0], gate(1, at: 10, isOn: false, none)] + events.dropFirst())
            #expect(Lines.numbers(off) == [3], "off for what is no session is off for all")
            let on = Lines.screen(
                [Lines.gate(1, at: 0, isOn: false), gate(2, at: 1, isOn: true, none)] + events)
            #expect(Lines.numbers(on) == [])
        }
    }

    @Test("an event never leaves that names an evaluation which the gate stopped")
    func namesStopped() {
        let stopped = Lines.stopped(99, at: 10, session: 1)
        let session = #""session":"\#(Lines.uuid(1))","#
        let events = [
            Lines.inference(1, at: 11, session: 2, evaluation: 99),
            Lines.inference(2, at: 9, session: 1, evaluation: 99),
            Lines.inference(3, at: 11, session: 2),
        ]
        for skip in [
            stopped, stopped.replacing(session, with: ""),
            stopped.replacing(Lines.uuid(1), with: "~0123456789abcdef0123456789abcdef"),
        ] {
            for lines in [events + [skip], [skip] + events] {
                let screened = Lines.screen(lines + [Lines.gate(4, at: 8, isOn: true)])
                let untold = Lines.screen(lines, collectors: 2)
                for screened in [screened, untold] {
                    #expect(!Lines.numbers(screened).contains { $0 < 3 })
                }
                #expect(Lines.numbers(untold) == [3])
                #expect(Lines.withheld(untold) == ["gate_off": 2])
            }
        }
    }
}
