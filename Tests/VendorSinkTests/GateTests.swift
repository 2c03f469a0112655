// Nothing from while on-device AI was off leaves, also where that is not told by a switch.

import Testing
import VendorSink

@Suite("The gate in a report") struct GateTests {
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
                isBeheaded: true,
                lines: [
                    Lines.inference(1, at: 5), Lines.gate(2, at: 10, isOn: false),
                    Lines.inference(3, at: 15), Lines.gate(4, at: 20, isOn: true),
                    Lines.inference(5, at: 25),
                ]),
            Lines.Block(writer: 2, lines: [Lines.gate(6, at: 0, isOn: true)]),
        ])
        #expect(Lines.numbers(screened) == [5])
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
        let older = Lines.screen(lines + [Lines.gate(7, at: 0, isOn: true)])
        #expect(Lines.numbers(older) == [1, 5], "it was switched off in between")
    }
}
