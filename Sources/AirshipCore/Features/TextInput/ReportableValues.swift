// What of an answer may be reported: what the author opted in, and of that only closed values.

/// A schema read for what its author allows to be reported.
///
/// A node counts when it and every node above it carry `x-ua-report-property: true`, and when its
/// values come from a closed set: a string with choices, or a boolean. An opted-in free text or
/// number is not reported: a model can put anything there, also what the user typed.
package struct ReportableValues: Sendable {
    private let schema: AirshipJSONSchema

    package init(_ schema: AirshipJSONSchema) {
        self.schema = schema
    }

    /// The reportable part of a valid answer, in its own shape; nil when there is none.
    package func subset(of answer: AirshipJSON) -> AirshipJSON? {
        Self.subset(of: answer, schema)
    }

    /// The reportable single values of an answer by their path, such as `topic.intent`; the root's
    /// own path is `result`. A dot in a name has a backslash before it, for `a.b` is not the `b` of
    /// `a`. Elements of arrays have no path.
    package func report(of answer: AirshipJSON) -> [String: AirshipAI.ReportValue] {
        var report: [String: AirshipAI.ReportValue] = [:]
        Self.visit(schema, at: [], value: answer) { path, _, value in
            switch value {
            case .string(let text): report[path] = .text(text)
            case .bool(let flag): report[path] = .flag(flag)
            default: break
            }
        }
        return report
    }

    /// Everything that ``report(of:)`` can ever give, by path.
    package var catalog: [String: [AirshipAI.ReportValue]] {
        var catalog: [String: [AirshipAI.ReportValue]] = [:]
        Self.visit(schema, at: [], value: nil) { path, members, _ in catalog[path] = members }
        return catalog
    }

    /// Visits every reportable node outside arrays; with a value, only those that it has.
    private static func visit(
        _ schema: AirshipJSONSchema, at path: [String], value: AirshipJSON?,
        _ body: (String, [AirshipAI.ReportValue], AirshipJSON?) -> Void
    ) {
        guard schema.isOptedIn else { return }
        if case .object(let properties?, _) = schema.kind {
            for name in properties.names {
                guard let property = properties[name] else { continue }
                if let value {
                    guard let member = value[name] else { continue }
                    visit(property, at: path + [step(name)], value: member, body)
                } else {
                    visit(property, at: path + [step(name)], value: nil, body)
                }
            }
        } else if let members = schema.closedMembers, value.map(members.allow) ?? true {
            body(path.isEmpty ? "result" : path.joined(separator: "."), members, value)
        }
    }

    private static func step(_ name: String) -> String {
        name.replacing("\\", with: "\\\\").replacing(".", with: "\\.")
    }

    private static func subset(of value: AirshipJSON, _ schema: AirshipJSONSchema) -> AirshipJSON? {
        guard schema.isOptedIn else { return nil }
        switch schema.kind {
        case .object(let properties?, _):
            var object: [String: AirshipJSON] = [:]
            for name in properties.names {
                guard let member = value[name], let property = properties[name] else { continue }
                object[name] = subset(of: member, property)
            }
            if object.isEmpty { return nil }
            return .object(object)
        case .array(let items):
            let array = (value.array ?? []).compactMap { subset(of: $0, items) }
            if array.isEmpty { return nil }
            return .array(array)
        case .object, .string, .boolean, .integer, .number:
            // No `? value : nil`: that nil would be JSON's null.
            guard schema.closedMembers?.allow(value) == true else { return nil }
            return value
        }
    }
}

extension AirshipJSONSchema {
    fileprivate var isOptedIn: Bool { extensions["x-ua-report-property"] == .bool(true) }

    /// The members of the node's set if it is closed and small enough to be listed; else nil.
    fileprivate var closedMembers: [AirshipAI.ReportValue]? {
        switch kind {
        case .boolean: return [.flag(true), .flag(false)]
        case .string(let choices?):
            let isSmall =
                choices.count <= CoreLimits.reportChoiceMax
                && choices.allSatisfy { $0.utf8.count <= CoreLimits.reportChoiceByteCountMax }
            return isSmall ? choices.map(AirshipAI.ReportValue.text) : nil
        case .string, .integer, .number, .object, .array: return nil
        }
    }
}

extension [AirshipAI.ReportValue] {
    fileprivate func allow(_ value: AirshipJSON) -> Bool {
        switch value {
        case .string(let text): contains(.text(text))
        case .bool(let flag): contains(.flag(flag))
        default: false
        }
    }
}
