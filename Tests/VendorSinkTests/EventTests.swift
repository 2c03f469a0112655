// What an event holds, byte for byte.

import TestSupport
import Testing
import VendorSink

@Suite("Events") struct EventTests {
    @Test("a suppression says which message, what happens next, and that it was never shown")
    func suppression() {
        let screened = Lines.screen([Lines.suppression(7, at: 1.239_999)])
        #expect(
            Lines.events(screened) == [
                #"{"type":"in_app_resolution","event_id":"00000000-0000-4000-8000-000000000007","#
                    + #""time":"1577836801.23","session_id":"00000000-0000-4000-8000-000000000001","#
                    + #""message_id":"welcome","miss_behavior":"skip","#
                    + #""resolution":{"type":"ai_suppressed","display_time":"0.00"}}"#
            ])
        #expect(Lines.withheld(screened).isEmpty)
    }

    @Test("an inference says which field, how it ended, and what was opted in")
    func inference() {
        let screened = Lines.screen([
            Lines.catalog(1, #"{"urgent":[true,false],"topic":["billing","other"]}"#),
            Lines.inference(2, at: 5, report: #"{"urgent":false,"topic":"billing"}"#),
            Lines.inference(3, at: 6), Lines.inference(4, at: 7, status: "failure"),
        ])
        let place = #""form":"support","field":"text","ai_inference":"#
        let events = Lines.events(screened)
        #expect(events.count == 3)
        #expect(
            events[0].hasSuffix(
                place + #"{"result":"success","output":{"topic":"billing","urgent":false}}}"#))
        #expect(events[1].hasSuffix(place + #"{"result":"success"}}"#))
        #expect(events[2].hasSuffix(place + #"{"result":"failed"}}"#))
        #expect(Lines.withheld(screened).isEmpty)
    }
}
