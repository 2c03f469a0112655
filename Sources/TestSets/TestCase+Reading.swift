// The line of a case: schemas/test-case-v1.schema.json. An author's slip is told before a model is asked.

import AirshipCore
import EvalogFacts

/// Why a line is no case.
struct CaseProblem: Error {
    let words: String

    init(_ words: String) { self.words = words }
}

extension TestCase {
    private static let keys: Set<String> = [
        "id", "task", "instructions", "schema", "context", "input", "rule", "expected", "types",
    ]

    init(line: some Collection<UInt8>) throws(CaseProblem) {
        guard line.count <= TestSetLimits.lineByteCountMax else {
            throw CaseProblem("longer than \(TestSetLimits.lineByteCountMax) bytes")
        }
        let node: JSONNode
        do throws(AirshipCoreError) {
            node = try JSONNode(utf8: Array(line))
        } catch {
            throw CaseProblem("no JSON")
        }
        guard case .object(let members) = node else { throw CaseProblem("no JSON object") }
        var seen: Set<String> = []
        for member in members {
            guard Self.keys.contains(member.name) else {
                throw CaseProblem("\(Self.quoted(member.name)) is no field of a case")
            }
            guard seen.insert(member.name).inserted else {
                throw CaseProblem("\(member.name) stands twice")
            }
        }
        id = try Self.text(node, "id")
        guard Shape.testName.fits(id) else {
            throw CaseProblem("id has to be \(TestSuite.nameForm)")
        }
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
        for item in nodes {
            guard case .string(let content)? = item["content"] else {
                throw CaseProblem("an item of context has no content")
            }
            var priority = 0.0
            if let given = item["priority"] {
                guard case .number(let number) = given else {
                    throw CaseProblem("the priority of an item of context is no number")
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
        let types = try types(node["types"])
        if name != "exact" && name != "class", let type = types.keys.min() {
            throw CaseProblem(
                "types names \(quoted(type)), but the rule \(quoted(name)) has no use for it")
        }
        switch name {
        case "exact": return .exact(try fields(of: expected, types, schema))
        case "class":
            let fields = try fields(of: expected, types, schema)
            guard fields.count == 1 else {
                throw CaseProblem("expected has to name one field for the rule class")
            }
            return .class(fields[0])
        case "contains": return .contains(try facts(of: expected, schema))
        case "schema":
            guard expected.isNull else {
                throw CaseProblem("the rule schema has no use for expected")
            }
            return .schema
        default:
            // The name is not said again: columns that were mixed up put texts of users there.
            throw CaseProblem(
                "rule is none of \(TestRule.names.joined(separator: ", "))"
            )
        }
    }

    private static func types(_ node: JSONNode?) throws(CaseProblem) -> [String: FieldType] {
        guard let node, node != .null else { return [:] }
        guard case .object(let members) = node else { throw CaseProblem("types is no object") }
        var types: [String: FieldType] = [:]
        for member in members {
            guard case .string(let word) = member.value, let type = FieldType(rawValue: word) else {
                let known = FieldType.allCases.map(\.rawValue).joined(separator: ", ")
                throw CaseProblem("the type of \(quoted(member.name)) has to be one of \(known)")
            }
            types[member.name] = type
        }
        return types
    }

    private static func fields(
        of expected: AirshipJSON, _ types: [String: FieldType], _ schema: AirshipJSONSchema
    ) throws(CaseProblem) -> [ExpectedField] {
        guard let members = expected.object, !members.isEmpty else {
            throw CaseProblem("expected has to be an object with a field or more")
        }
        for name in types.keys.sorted() where members[name] == nil {
            throw CaseProblem("types names \(quoted(name)), which is not expected")
        }
        var fields: [ExpectedField] = []
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let type = types[name] ?? .json
            guard type.admits(value) else {
                throw CaseProblem("the expected \(quoted(name)) is no \(type.rawValue)")
            }
            try demand(value, of: name, in: schema)
            fields.append(ExpectedField(name: name, value: value, type: type))
        }
        return fields
    }

    /// Demands that a valid answer can have that value there; else no answer could ever pass.
    private static func demand(
        _ value: AirshipJSON, of name: String, in schema: AirshipJSONSchema
    ) throws(CaseProblem) {
        guard case .object(let properties, let required) = schema.kind else { return }
        if value.isNull {
            guard required?.contains(name) != true else {
                throw CaseProblem(
                    "\(quoted(name)) is expected to be null, but the schema requires it")
            }
        }
        guard let properties else { return }
        guard let property = properties[name] else {
            throw CaseProblem("the expected \(quoted(name)) is not in the schema")
        }
        guard !value.isNull else { return }
        do throws(AirshipCoreError) {
            try property.validate(value)
        } catch {
            throw CaseProblem("the expected \(quoted(name)) is outside the schema")
        }
    }

    private static func facts(
        of expected: AirshipJSON, _ schema: AirshipJSONSchema
    ) throws(CaseProblem) -> [ExpectedFacts] {
        guard let members = expected.object, !members.isEmpty else {
            throw CaseProblem("expected has to be an object with a field or more")
        }
        var texts: [ExpectedFacts] = []
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            if case .object(let properties?, _) = schema.kind {
                guard let property = properties[name] else {
                    throw CaseProblem("the expected \(quoted(name)) is not in the schema")
                }
                guard case .string = property.kind else {
                    throw CaseProblem("the expected \(quoted(name)) is outside the schema: no text")
                }
            }
            let known = ["required", "forbidden"]
            guard let lists = value.object, lists.keys.allSatisfy(known.contains) else {
                throw CaseProblem(
                    "the expected \(quoted(name)) has to hold required and forbidden facts")
            }
            var required: [[String]] = []
            for fact in try list(lists["required"], name) {
                required.append(try fact.array == nil ? [text(fact, name)] : ways(fact, name))
            }
            var forbidden: [String] = []
            for fact in try list(lists["forbidden"], name) {
                forbidden.append(try text(fact, name))
            }
            guard !required.isEmpty || !forbidden.isEmpty else {
                throw CaseProblem("no fact of \(quoted(name)) is required or forbidden")
            }
            texts.append(ExpectedFacts(name: name, required: required, forbidden: forbidden))
        }
        return texts
    }

    private static func list(
        _ value: AirshipJSON?, _ name: String
    ) throws(CaseProblem) -> [AirshipJSON] {
        guard let value, !value.isNull else { return [] }
        guard let list = value.array else {
            throw CaseProblem("the facts of \(quoted(name)) are no list")
        }
        return list
    }

    private static func ways(
        _ value: AirshipJSON, _ name: String
    ) throws(CaseProblem) -> [String] {
        var ways: [String] = []
        for way in value.array ?? [] { ways.append(try text(way, name)) }
        guard !ways.isEmpty else {
            throw CaseProblem("a fact of \(quoted(name)) can be said in no way")
        }
        return ways
    }

    private static func text(_ value: AirshipJSON, _ name: String) throws(CaseProblem) -> String {
        guard let text = value.string, !FoldedText(text).isEmpty else {
            throw CaseProblem("a fact of \(quoted(name)) is no text")
        }
        return text
    }

    /// A name of the author's, short enough for a message.
    private static func quoted(_ name: String) -> String { "\"\(name.prefix(64))\"" }
}
