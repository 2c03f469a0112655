// What a print, a dump, a log line or a failed check shows of observations: none of their text.

extension ObservedEvaluation: CustomStringConvertible, CustomReflectable {
    public var description: String {
        "ObservedEvaluation(\(ending), attempts: \(attempts), \(request))"
    }

    public var customMirror: Mirror {
        Mirror(self, children: ["ending": ending, "attempts": attempts, "request": request])
    }
}

extension ObservedEvaluation.Request: CustomStringConvertible, CustomReflectable {
    public var description: String { "Request(context: \(context.count))" }
    public var customMirror: Mirror { Mirror(self, children: ["context": context.count]) }
}

extension ObservedEvaluation.ContextItem: CustomStringConvertible, CustomReflectable {
    public var description: String { "ContextItem(priority: \(priority))" }
    public var customMirror: Mirror { Mirror(self, children: ["priority": priority]) }
}

extension ObservedEvaluation.Ending: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .completed: "completed"
        case .skipped: "skipped"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension FeatureReport: CustomStringConvertible, CustomReflectable {
    public var description: String { "FeatureReport(\(kind))" }
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind]) }
}

extension FeatureReport.Kind: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .suppressed: "suppressed"
        case .formInference(_, _, let isSuccess, let values):
            "formInference(isSuccess: \(isSuccess), values: \(values.count))"
        case .catalog(_, let values): "catalog(values: \(values.count))"
        case .gate(let isOn): "gate(isOnDeviceAIEnabled: \(isOn))"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension ReportedValue: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .text: "text"
        case .flag: "flag"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Lines wait in a recorder's memory.
extension EvaluationRecorder: CustomStringConvertible, CustomReflectable {
    public var description: String { "EvaluationRecorder(content: \(content))" }
    public var customMirror: Mirror { Mirror(self, children: ["content": content]) }
}
