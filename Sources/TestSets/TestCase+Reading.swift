// The line of a case: schemas/test-case-v1.schema.json. An author's slip is told before a model is asked.
//
// It is told by line, by the case's id and by the names of the schema of cases. Keys and values of the
// author's are content: columns that were mixed up put texts of users anywhere.

import AirshipCore
import EvalogFacts

/// Why a line is no case.
struct CaseProblem: Error {
    let words: String
    /// The case's, where it has got one that may be told.
    var id: String?

    init(_ words: String) { self.words = words }
}

extension TestCase {
    private static let keys = [
        "id", "task", "instructions", "schema", "context", "input", "rule", "expected", "types",
    ]

    init(line: some Collection<UInt8>) throws(CaseProblem) {
        let node = try Self.node(line)
        let id = try Self.id(node)
        do throws(CaseProblem) {
            self = try Self(node, id: id)
        } catch {
            var problem = error
            problem.id = id
            throw problem
        }
    }

    private static func node(_ line: some Collection<UInt8>) throws(CaseProblem) -> JSONNode {
        guard line.count <= TestSetLimits.lineByteCountMax else {
            throw CaseProblem("longer than \(TestSetLimits.lineByteCountMax) bytes")
        }
        do throws(AirshipCoreError) {
            return try JSONNode(utf8: Array(line))
        } catch {
            throw CaseProblem("no JSON")
        }
    }

    private static func id(_ node: JSONNode) throws(CaseProblem) -> String {
        guard case .object = node else { throw CaseProblem("no JSON object") }
        let id = try text(node, "id")
        guard Shape.testName.fits(id) else {
            throw CaseProblem("id has to be \(TestSuite.nameForm)")
        }
        return id
    }

    private init(_ node: JSONNode, id: String) throws(CaseProblem) {
        guard case .object(let members) = node else { throw CaseProblem("no JSON object") }
        var seen: Set<String> = []
        for (index, member) in members.enumerated() {
            guard Self.keys.contains(member.name) else {
                throw CaseProblem(
                    "field \(index + 1) of the line is none of \(Self.keys.joined(separator: ", "))"
                )
            }
            guard seen.insert(member.name).inserted else {
                throw CaseProblem("\(member.name) stands twice")
            }
        }
        self.id = id
        task = try Self.text(node, "task")
        guard Shape.usage.fits(task) else {
            throw CaseProblem("task has to be lower case letters, digits and underscores")
        }
        instructions = try Self.text(node, "instructions")
        input = try Self.text(node, "input")
        schema = try Self.schema(node["schema"])
        context = try Self.context(node["context"])
        expected = node["expected"].map { AirshipJSON($0) } ?? .null
        rule = try Self.rule(node, schema, expected)
    }

    private static func text(_ node: JSONNode, _ name: String) throws(CaseProblem) -> String {
        guard case .string(let text)? = node[name] else {
            throw CaseProblem(node[name] == nil ? "\(name) is missing" : "\(name) is no text")
        }
        return text
    }

    private static func schema(_ node: JSONNode?) throws(CaseProblem) -> AirshipJSONSchema {
        guard let node else { throw CaseProblem("schema is missing") }
        let schema: AirshipJSONSchema
        do throws(AirshipCoreError) {
            schema = try AirshipJSONSchema(node)
        } catch {
            throw CaseProblem("schema is none that the evaluator knows")
        }
        guard case .object = schema.kind else {
            throw CaseProblem("schema has to describe an object")
        }
        return schema
    }

    private static func context(_ node: JSONNode?) throws(CaseProblem) -> AirshipAI.Context {
        guard let node, node != .null else { return .empty }
        guard case .array(let nodes) = node else { throw CaseProblem("context is no list") }
        var items: [AirshipAI.Context.Item] = []
        for (index, item) in nodes.enumerated() {
            guard case .string(let content)? = item["content"] else {
                throw CaseProblem("item \(index + 1) of context has no content")
            }
            var priority = 0.0
            if let given = item["priority"] {
                guard case .number(let number) = given else {
                    throw CaseProblem("the priority of item \(index + 1) of context is no number")
                }
                priority = number
            }
            items.append(AirshipAI.Context.Item(content: content, priority: priority))
        }
        return AirshipAI.Context(items: items)
    }

    // MARK: Rules

    private static func rule(
        _ node: JSONNode, _ schema: AirshipJSONSchema, _ expected: AirshipJSON
    ) throws(CaseProblem) -> TestRule {
        let name = try text(node, "rule")
        guard TestRule.names.contains(name) else {
            throw CaseProblem("rule is none of \(TestRule.names.joined(separator: ", "))")
        }
        let types = try types(node["types"])
        if name != "exact" && name != "class", !types.isEmpty {
            throw CaseProblem("the rule \(name) has no use for types")
        }
        let places = Places(node["expected"])
        switch name {
        case "exact": return .exact(try fields(of: expected, types, schema, places))
        case "class":
            let fields = try fields(of: expected, types, schema, places)
            guard fields.count == 1 else {
                throw CaseProblem("expected has to name one field for the rule class")
            }
            return .class(fields[0])
        case "contains": return .contains(try facts(of: expected, schema, places))
        default:
            guard expected.isNull else {
                throw CaseProblem("the rule schema has no use for expected")
            }
            return .schema
        }
    }

    /// Where the author's fields stand in their object, which tells them without their names.
    private struct Places {
        private var places: [String: Int] = [:]

        init(_ node: JSONNode?) {
            guard case .object(let members)? = node else { return }
            for (index, member) in members.enumerated() where places[member.name] == nil {
                places[member.name] = index + 1
            }
        }

        func words(_ name: String) -> String { "field \(places[name] ?? 0) of expected" }
    }

    private static func types(_ node: JSONNode?) throws(CaseProblem) -> [String: FieldType] {
        guard let node, node != .null else { return [:] }
        guard case .object(let members) = node else { throw CaseProblem("types is no object") }
        var types: [String: FieldType] = [:]
        for (index, member) in members.enumerated() {
            guard case .string(let word) = member.value, let type = FieldType(rawValue: word) else {
                let known = FieldType.allCases.map(\.rawValue).joined(separator: ", ")
                throw CaseProblem("field \(index + 1) of types has to be one of \(known)")
            }
            types[member.name] = type
        }
        return types
    }

    private static func fields(
        of expected: AirshipJSON, _ types: [String: FieldType], _ schema: AirshipJSONSchema,
        _ places: Places
    ) throws(CaseProblem) -> [ExpectedField] {
        guard let members = expected.object, !members.isEmpty else {
            throw CaseProblem("expected has to be an object with a field or more")
        }
        guard types.keys.allSatisfy({ members[$0] != nil }) else {
            throw CaseProblem("types names a field that is not expected")
        }
        var fields: [ExpectedField] = []
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let type = types[name] ?? .json
            guard type.admits(value) else {
                throw CaseProblem("\(places.words(name)) is no \(type.rawValue)")
            }
            try demand(value, of: name, in: schema, places)
            fields.append(ExpectedField(name: name, value: value, type: type))
        }
        return fields
    }

    /// Demands that a valid answer can have that value there; else no answer could ever pass.
    private static func demand(
        _ value: AirshipJSON, of name: String, in schema: AirshipJSONSchema, _ places: Places
    ) throws(CaseProblem) {
        guard case .object(let properties, let required) = schema.kind else { return }
        if value.isNull {
            guard required?.contains(name) != true else {
                throw CaseProblem("\(places.words(name)) is null, but the schema requires it")
            }
        }
        guard let properties else { return }
        guard let property = properties[name] else {
            throw CaseProblem("\(places.words(name)) is not in the schema")
        }
        guard !value.isNull else { return }
        do throws(AirshipCoreError) {
            try property.validate(value)
        } catch {
            throw CaseProblem("\(places.words(name)) is outside the schema")
        }
    }

    private static func facts(
        of expected: AirshipJSON, _ schema: AirshipJSONSchema, _ places: Places
    ) throws(CaseProblem) -> [ExpectedFacts] {
        guard let members = expected.object, !members.isEmpty else {
            throw CaseProblem("expected has to be an object with a field or more")
        }
        var texts: [ExpectedFacts] = []
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            if case .object(let properties?, _) = schema.kind {
                guard let property = properties[name] else {
                    throw CaseProblem("\(places.words(name)) is not in the schema")
                }
                guard case .string = property.kind else {
                    throw CaseProblem("\(places.words(name)) is outside the schema: no text")
                }
            }
            let known = ["required", "forbidden"]
            guard let lists = value.object, lists.keys.allSatisfy(known.contains) else {
                throw CaseProblem("\(places.words(name)) has to hold required and forbidden facts")
            }
            let place = places.words(name)
            var required: [[String]] = []
            for fact in try list(lists["required"], place) {
                required.append(try fact.array == nil ? [text(fact, place)] : ways(fact, place))
            }
            var forbidden: [String] = []
            for fact in try list(lists["forbidden"], place) {
                forbidden.append(try text(fact, place))
            }
            guard !required.isEmpty || !forbidden.isEmpty else {
                throw CaseProblem("no fact of \(place) is required or forbidden")
            }
            texts.append(ExpectedFacts(name: name, required: required, forbidden: forbidden))
        }
        return texts
    }

    private static func list(
        _ value: AirshipJSON?, _ place: String
    ) throws(CaseProblem) -> [AirshipJSON] {
        guard let value, !value.isNull else { return [] }
        guard let list = value.array else {
            throw CaseProblem("the facts of \(place) are no list")
        }
        return list
    }

    private static func ways(
        _ value: AirshipJSON, _ place: String
    ) throws(CaseProblem) -> [String] {
        var ways: [String] = []
        for way in value.array ?? [] { ways.append(try text(way, place)) }
        guard !ways.isEmpty else {
            throw CaseProblem("a fact of \(place) can be said in no way")
        }
        return ways
    }

    private static func text(_ value: AirshipJSON, _ place: String) throws(CaseProblem) -> String {
        guard let text = value.string, !FoldedText(text).isEmpty else {
            throw CaseProblem("a fact of \(place) is no text")
        }
        return text
    }
}
