// The manifest, the schemas and the types say the same as the events.

import EvalogFacts
import EvalogText
import Foundation
import TestSupport
import Testing
import VendorSink

@Suite("What can leave") struct ManifestTests {
    private func json(_ path: String) throws -> [String: Any] {
        let data = try #require(
            FileManager.default.contents(atPath: "\(RepositoryRoot.path)/schemas/\(path)"))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    private var manifest: Manifest {
        let files: [ReportFile: [UInt8]] = [.events: [], .summary: []]
        let sets = ClosedSets.catalogs(ReviewedCatalog())
        return Manifest(.events(limits: BatchLimits(), batches: []), sets, files: files)
    }

    private func fields(of file: String) throws -> [[String: Any]] {
        let value = try JSONSerialization.jsonObject(with: Data(manifest.bytes)) as? [String: Any]
        let files = try #require(value?["files"] as? [[String: Any]])
        let found = try #require(files.first { $0["name"] as? String == file })
        return try #require(found["fields"] as? [[String: Any]])
    }

    /// The paths of an object's members, those of the opted-in values left out.
    private func paths(_ object: [String: Any], under prefix: String = "") -> Set<String> {
        var found: Set<String> = []
        for (key, value) in object {
            let path = prefix + key
            found.insert(path)
            if let inner = value as? [String: Any], key != "output" {
                found.formUnion(paths(inner, under: path + "."))
            }
        }
        return found
    }

    @Test("events have the fields of the manifest and no other", arguments: FuzzSeeds.first(5))
    func keys(seed: UInt64) throws {
        let lines = RandomReports(random: SeededGenerator(seed: seed)).lines
        var found: Set<String> = []
        for line in Lines.events(Lines.screen(lines)) {
            let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            found.formUnion(paths(try #require(event)))
        }
        #expect(found == Set(try fields(of: "events.ndjson").compactMap { $0["field"] as? String }))
        #expect(found == Set(EventField.allCases.map { "\($0.path)" }))
    }

    @Test("the fields of the manifest are those of the schema, with its values and patterns")
    func schema() throws {
        let schema = try json("report-event-v1.schema.json")
        let definitions = try #require(schema["$defs"] as? [String: [String: Any]])
        var values: [String: Set<String>] = [:]
        var patterns: [String: String] = [:]
        func visit(_ given: [String: Any], _ path: String) {
            var node = given
            while let reference = node["$ref"] as? String {
                node = definitions[reference.replacing("#/$defs/", with: "")] ?? [:]
            }
            for value in (node["enum"] as? [String])
                ?? [node["const"] as? String].compactMap({ $0 })
            {
                values[path, default: []].insert(value)
            }
            if let pattern = node["pattern"] as? String { patterns[path] = pattern }
            for option in node["oneOf"] as? [[String: Any]] ?? []
            where path != "ai_inference.output" {
                visit(option, path)
            }
            for (key, value) in node["properties"] as? [String: [String: Any]] ?? [:] {
                let inner = path.isEmpty ? key : "\(path).\(key)"
                values[inner] = values[inner] ?? []
                visit(value, inner)
            }
        }
        visit(schema, "")
        values[""] = nil
        let fields = try fields(of: "events.ndjson")
        #expect(Set(values.keys) == Set(fields.compactMap { $0["field"] as? String }))
        for field in fields {
            let path = try #require(field["field"] as? String)
            #expect(Set(field["values"] as? [String] ?? []) == values[path], "\(path)")
            #expect(field["pattern"] as? String == patterns[path], "\(path)")
        }
    }

    @Test("the columns are those of the table schema, in its order")
    func columns() throws {
        let table = try json("tables/report_summary.schema.json")
        let published = try #require(table["fields"] as? [[String: Any]])
        #expect(
            published.compactMap { $0["name"] as? String }
                == SummaryColumn.allCases.map { "\($0.path)" })
        for (field, column) in zip(published, SummaryColumn.allCases) {
            let constraints = field["constraints"] as? [String: Any] ?? [:]
            #expect(field["description"] as? String == "\(column.why)")
            #expect((constraints["required"] as? Bool ?? false) == column.isAlwaysThere)
            if case .choice(let values) = column.form {
                #expect(constraints["enum"] as? [String] == values.map { "\($0)" })
            } else {
                #expect(constraints["enum"] == nil)
            }
            if let pattern = column.form.pattern {
                // Of a table a pattern is for the whole cell.
                #expect((constraints["pattern"] as? String).map { "^\($0)$" } == "\(pattern)")
            }
        }
        let header = String(decoding: VendorSummary([]).bytes, as: UTF8.self)
        #expect(
            header == SummaryColumn.allCases.map { "\($0.path)" }.joined(separator: ",") + "\r\n")
    }

    @Test(
        "the patterns of schemas and manifest let through what the code lets through, and no more")
    func patterns() throws {
        let texts = [
            "topic", "a", "a_1", "", "Topic", "1a", "a.b", "a-b", "a:b", "_a", "a b", "é",
            String(repeating: "a", count: 64), String(repeating: "a", count: 65),
            "00000000-0000-4000-8000-000000000001", "00000000-0000-7000-8000-000000000001",
            "00000000-0000-4000-c000-000000000001", "00000000-0000-4000-b000-00000000000A",
            "two\nlines", "a\u{7F}", "a\u{200B}", "a\u{2028}", "a\u{E0041}", "a\u{1BCA0}",
            "Größe 4",
        ]
        func matches(_ pattern: String, _ text: String) -> Bool {
            text.range(of: pattern, options: .regularExpression) == text.startIndex..<text.endIndex
        }
        func bytes<Value>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
            Array(text.utf8).withUnsafeBytes(body)
        }
        let definitions = try #require(
            json("report-event-v1.schema.json")["$defs"] as? [String: [String: Any]])
        let output = try #require(
            ((definitions["success"]?["properties"] as? [String: Any])?["output"]) as? [String: Any]
        )
        let names = try #require(output["propertyNames"] as? [String: Any])
        let options = try #require(
            (output["additionalProperties"] as? [String: Any])?["oneOf"] as? [[String: Any]])
        let value = try #require(options.compactMap { $0["pattern"] as? String }.first)
        for text in texts {
            let isProperty = bytes(text) { Shape.usage.fits($0) && Identifier($0) != nil }
            #expect(matches("\(ListedValue.propertyPattern)", text) == isProperty, "\(text)")
            #expect(names["pattern"] as? String == "\(ListedValue.propertyPattern)")
            let isRandom = bytes(text) { UniqueID($0).flatMap(RandomID.init) != nil }
            let isLowercase = text.lowercased() == text
            #expect(matches("\(RandomID.pattern)", text) == (isRandom && isLowercase), "\(text)")
            let isValue = bytes(text) { Shape.reportValue.fits($0) }
            #expect((matches(value, text) && text.count <= 64) == isValue, "\(text)")
        }
    }

    @Test("the journal's schema lists the reasons, in their words")
    func reasons() throws {
        let schema = try json("report-withheld-v1.schema.json")
        let properties = try #require(schema["properties"] as? [String: [String: Any]])
        let withheld = try #require(
            properties["withheld"]?["properties"] as? [String: [String: Any]])
        #expect(Set(withheld.keys) == Set(WithheldReason.allCases.map { "\($0.name)" }))
        for reason in WithheldReason.allCases {
            let words = withheld["\(reason.name)"]?["description"] as? String
            #expect(words?.lowercased() == "\(reason.words).".lowercased())
        }
    }

    @Test("the journal's lines tell summaries from other reports")
    func journal() {
        for number: Int64? in [3, nil] {
            let line = Withheld().journalLine(time: 0, summary: number, eventCount: 1)
            let text = String(decoding: line, as: UTF8.self)
            #expect(text.contains(Withheld.summaryMark) == (number != nil))
            #expect(text.contains(#""number":3"#) == (number != nil))
        }
    }

    @Test("the manifest of a summary says nothing of events")
    func summaryOnly() throws {
        let bytes = Manifest(
            .summary(sessionCountMin: 7), .catalogs(ReviewedCatalog()), files: [.summary: [0x61]]
        ).bytes
        let value = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        #expect(
            Set(try #require(value).keys) == ["v", "report", "min_count", "closed_sets", "files"])
        #expect(value?["min_count"] as? Int == 7)
        let files = try #require(value?["files"] as? [[String: Any]])
        #expect(files.count == 1 && files[0]["bytes"] as? Int == 1)
        let digest = files[0]["sha256"] as? String
        #expect(digest == "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb")
    }

    @Test(
        "the closed sets are of what the rows show: no more of a catalog, and nothing of hidden rows",
        arguments: [1, 2])
    func closedSets(sessionCountMin: Int) throws {
        let lines = [
            Lines.catalog(1, #"{"topic":["billing","other"]}"#),
            Lines.catalog(4, field: "rare/text", #"{"topic":["billing"]}"#),
            Lines.inference(2, at: 1, report: #"{"topic":"billing"}"#), Lines.suppression(3, at: 2),
            Lines.inference(5, at: 1, session: 2, report: #"{"topic":"billing"}"#),
            Lines.suppression(6, at: 2, session: 2),
            Lines.suppression(7, at: 2, message: "rare"),
            Lines.inference(8, at: 1, field: "rare/text", report: #"{"topic":"billing"}"#),
        ]
        let all = #"["rare","unseen","welcome"]"#
        let reviewed = try ReviewedCatalog(
            Array(
                (#"{"v":1,"messages":\#(all),"fields":{"a/b":{"c":[true]},"rare/text":{"topic":["billing"]},"#
                    + #""support/text":{"topic":["billing","other"]}}}"#).utf8))
        func sets(_ reviewed: ReviewedCatalog?) throws -> NSDictionary {
            let screened = Lines.screen(lines, reviewed: reviewed)
            let (summary, _) = SmallCells.summary(
                of: screened.events.map { (ReportWindow(start: 0, end: 1), $0) },
                fewerThan: sessionCountMin)
            let manifest = Manifest(
                .summary(sessionCountMin: sessionCountMin), ClosedSets(of: screened, in: summary),
                files: [:])
            let value = try JSONSerialization.jsonObject(with: Data(manifest.bytes))
            return try #require((value as? NSDictionary)?["closed_sets"] as? NSDictionary)
        }
        let hasRare = sessionCountMin == 1
        var fields = ["support/text": ["topic": ["billing"]]]
        if hasRare { fields["rare/text"] = ["topic": ["billing"]] }
        #expect(try sets(nil) == ["from": "catalogs", "fields": fields])
        let listed: NSDictionary = [
            "from": "reviewed", "messages": hasRare ? ["rare", "welcome"] : ["welcome"],
            "fields": fields,
        ]
        #expect(try sets(reviewed) == listed)
    }

    /// Names of stored types, but for those that can only be made by passing a check.
    private func types(of value: Any, below checked: Set<String>) -> Set<String> {
        let name = "\(type(of: value))"
        if checked.contains(name) { return [] }
        let children = Mirror(reflecting: value).children
        return children.reduce(into: children.isEmpty ? [name] : []) { found, child in
            found.formUnion(types(of: child.value, below: checked))
        }
    }

    @Test("an event reaches no text but in the types that check it")
    func noFreeText() {
        let events = Lines.screen([
            Lines.catalog(1, #"{"topic":["billing"],"urgent":[true]}"#),
            Lines.suppression(2, at: 1),
            Lines.inference(3, at: 2, report: #"{"topic":"billing","urgent":true}"#),
            Lines.inference(4, at: 3, status: "failure"),
        ]).events
        #expect(events.count == 3)
        for event in events {
            let stored = types(
                of: event, below: ["Identifier", "RandomID", "EventTime", "ListedValue"])
            #expect(stored.isSubset(of: ["MissAction", "InferenceResult", "ResultName"]))
        }
    }
}
