// The file that a person reviews: what it is drafted from, what it holds back, what it refuses.

import EvalogText
import Testing
import VendorSink

@Suite("A reviewed catalog") struct ReviewedCatalogTests {
    private static let log = [
        Lines.catalog(1, #"{"topic":["billing","other"],"urgent":[true,false]}"#),
        Lines.suppression(2, at: 1, message: "welcome"),
        Lines.suppression(3, at: 2, message: "survey"),
        Lines.inference(4, at: 3, report: #"{"topic":"billing","urgent":true}"#),
        Lines.inference(5, at: 4, field: "profile/name"),
    ]

    private func read(_ text: String) throws -> ReviewedCatalog {
        try ReviewedCatalog(Array(text.utf8))
    }

    @Test("is drafted from all that would leave, and then lets all of it leave")
    func draft() throws {
        let screened = Lines.screen(Self.log)
        #expect(
            String(decoding: screened.draft.bytes, as: UTF8.self) == """
                {
                  "v": 1,
                  "messages": ["survey", "welcome"],
                  "fields": {
                    "profile/name": {},
                    "support/text": {"topic": ["billing", "other"], "urgent": [true, false]}
                  }
                }

                """)
        let again = Lines.screen(Self.log, reviewed: try ReviewedCatalog(screened.draft.bytes))
        #expect(again.events == screened.events)
        #expect(again.withheld == screened.withheld)
    }

    @Test("holds back what it does not list, and counts it")
    func restricts() throws {
        let catalog = try read(
            #"{"v":1,"messages":["welcome"],"fields":{"support/text":{"topic":["billing"]}}}"#)
        let screened = Lines.screen(Self.log, reviewed: catalog)
        let events = Lines.events(screened)
        #expect(events.count == 2)
        #expect(events[0].contains("welcome"))
        #expect(events[1].contains(#""output":{"topic":"billing"}"#))
        #expect(
            Lines.withheld(screened) == [
                "unreviewed_message": 1, "unreviewed_field": 1, "unreviewed_value": 1,
            ])
        #expect(Lines.screen(Self.log, reviewed: try read(#"{"v":1}"#)).events.isEmpty)
    }

    @Test("gives nothing that the log's own catalog does not list")
    func addsNothing() throws {
        let catalog = try read(#"{"v":1,"fields":{"support/text":{"topic":["secret"]}}}"#)
        let screened = Lines.screen(
            [Self.log[0], Lines.inference(9, at: 1, report: #"{"topic":"secret"}"#)],
            reviewed: catalog)
        #expect(Lines.events(screened)[0].hasSuffix(#"{"result":"success"}}"#))
        #expect(Lines.withheld(screened) == ["unlisted_value": 1])
    }

    @Test(
        "is refused where anything stands in it that cannot",
        arguments: [
            ("{", ReviewedCatalogError.Kind.notJSON(.truncated)), ("[]", .wrongType),
            ("{}", .missingVersion), (#"{"v":2}"#, .unsupportedVersion),
            (#"{"v":"1"}"#, .wrongType), (#"{"v":1,"mesages":[]}"#, .unknownKey),
            (#"{"v":1,"messages":[],"messages":[]}"#, .repeatedKey),
            (#"{"v":1,"messages":["a b"]}"#, .badMessage), (#"{"v":1,"messages":[1]}"#, .wrongType),
            (#"{"v":1,"messages":{}}"#, .wrongType),
            (#"{"v":1,"fields":{"support":{}}}"#, .badField),
            (#"{"v":1,"fields":{"a/b":{},"a/b":{}}}"#, .repeatedKey),
            (#"{"v":1,"fields":{"a/b":{"Topic":[]}}}"#, .badProperty),
            (#"{"v":1,"fields":{"a/b":{"t":[],"t":[]}}}"#, .repeatedKey),
            (#"{"v":1,"fields":{"a/b":{"t":"x"}}}"#, .wrongType),
            (#"{"v":1,"fields":{"a/b":{"t":[null]}}}"#, .wrongType),
            (#"{"v":1,"fields":{"a/b":{"t":["a\nb"]}}}"#, .badValue),
            (#"{"v":1} x"#, .notJSON(.trailingBytes)),
        ])
    func refused(text: String, kind: ReviewedCatalogError.Kind) {
        do {
            _ = try read(text)
            Issue.record("it was taken")
        } catch let error as ReviewedCatalogError {
            #expect(error.kind == kind)
            #expect((0...text.utf8.count).contains(error.offset))
        } catch {
            Issue.record("another error")
        }
    }
}
