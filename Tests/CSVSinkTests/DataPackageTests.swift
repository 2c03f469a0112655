// The description of the tables, and the schemas that are kept beside the code.

import CSVSink
import EvalogFacts
import EvalogMetrics
import Foundation
import Testing

@Suite("data package") struct DataPackageTests {
    private static let schemas = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "schemas/tables")

    private func json(_ bytes: [UInt8]) throws -> NSDictionary {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
    }

    /// With `EVALOG_WRITE_SCHEMAS=1` in the environment the files are written instead.
    @Test("the schema files are what the export says about its tables")
    func schemaFiles() throws {
        for file in CSVFile.allCases {
            let place = Self.schemas.appending(path: file.rawValue + ".schema.json")
            let wanted = CSVExport(.empty).table(file).schema
            if ProcessInfo.processInfo.environment["EVALOG_WRITE_SCHEMAS"] == "1" {
                try Data(wanted).write(to: place)
            }
            #expect(try Array(Data(contentsOf: place)) == wanted, "\(file.name)")
        }
    }

    @Test("every table is a resource, with the schema of its file and the columns of its header")
    func resources() throws {
        let package = try json(MetricsTables.empty.packageBytes)
        let resources = try #require(package["resources"] as? [NSDictionary])
        // Nothing is compared here: a table of that would be there only if it were asked for.
        let files = CSVFile.allCases.filter { $0 != .drift }
        #expect(resources.map { $0["path"] as? String } == files.map(\.name))
        for (file, resource) in zip(files, resources) {
            let schema = try #require(resource["schema"] as? NSDictionary)
            #expect(schema == (try json(CSVExport(.empty).table(file).schema)))
            let fields = try #require(schema["fields"] as? [NSDictionary])
            let header = fields.compactMap { $0["name"] as? String }.joined(separator: ",")
            #expect(MetricsTables.empty.text(file) == header + "\r\n")
            let key = try #require(schema["primaryKey"] as? [String])
            #expect(Set(key).isSubset(of: Set(header.components(separatedBy: ","))))
        }
    }

    @Test("the rules and the range of the log are in it")
    func rules() throws {
        var tables = MetricsTables.empty
        tables.timeRange = -1...1_795_946_400_000_000
        tables.rules.window = .week
        tables.rules.timeZone = "Europe/Oslo"
        tables.rules.by = [.app]
        tables.rules.gaps.byUsage = ["scene_text_input": 60_000_000]
        tables.rules.since = 0
        tables.rules.filters.outcomes = [.skipped, .failed]
        tables.rules.filters.models = ["b", "a"]
        let package = try json(tables.packageBytes)
        let wanted: NSDictionary = [
            "window": "week", "timezone": "Europe/Oslo", "by": ["app"], "max_groups": 2_000,
            "gaps_us": [
                "*": 1_800_000_000, "in_app_message_suppression": 0,
                "scene_text_input": 60_000_000,
            ],
            "since": "1970-01-01T00:00:00.000000Z",
            "filters": ["model": ["a", "b"], "outcome": ["failed", "skipped"]],
        ]
        #expect(package["rules"] as? NSDictionary == wanted)
        let range: NSDictionary = [
            "first_time": "1969-12-31T23:59:59.999999Z",
            "last_time": "2026-11-29T10:00:00.000000Z",
        ]
        #expect(package["log"] as? NSDictionary == range)
    }

    @Test("equal tables give equal bytes, laid out in lines of at most 100 bytes where they can be")
    func layout() {
        var tables = MetricsTables.empty
        tables.rules.filters.usages = ["c", "a", "b", "e", "d"]
        let bytes = tables.packageBytes
        for _ in 0..<20 { #expect(tables.packageBytes == bytes) }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.count > 50)
        #expect(lines.allSatisfy { $0.utf8.count <= 130 })
    }
}
