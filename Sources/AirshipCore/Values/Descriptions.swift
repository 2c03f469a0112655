// What a print, a dump, a log line or a failed check shows of values that hold what a user, an author
// or a model wrote: ids, counts and names of closed lists, none of the text.

/// A failure by its class: an error's own words can hold anything.
private func described(_ error: any Error) -> String {
    if error is CancellationError { return "cancelled" }
    return "failed(\(AirshipAI.ErrorClass(classifying: error).rawValue))"
}

extension AirshipAI.Context: CustomStringConvertible, CustomReflectable {
    public var description: String { "Context(items: \(items.count))" }
    public var customMirror: Mirror { Mirror(self, children: ["items": items.count]) }
}

extension AirshipAI.Context.Item: CustomStringConvertible, CustomReflectable {
    public var description: String { "Item(priority: \(priority))" }
    public var customMirror: Mirror { Mirror(self, children: ["priority": priority]) }
}

extension AirshipAI.Request: CustomStringConvertible, CustomReflectable {
    public var description: String { "Request(\(context))" }
    public var customMirror: Mirror { Mirror(self, children: ["context": context]) }
}

extension AirshipAI.Request.Passage: CustomStringConvertible, CustomReflectable {
    package var description: String { "Passage(bytes: \(text.utf8.count))" }
    package var customMirror: Mirror { Mirror(self, children: ["bytes": text.utf8.count]) }
}

extension AirshipAI.EvaluationRecord: CustomStringConvertible, CustomReflectable {
    public var description: String {
        "EvaluationRecord(\(id), \(usage.rawValue), \(outcome), attempts: \(attempts), "
            + "seconds: \(duration))"
    }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "id": id, "startedAt": startedAt, "usage": usage.rawValue, "outcome": outcome,
                "attempts": attempts, "duration": duration,
            ])
    }
}

extension AirshipAI.EvaluationRecord.Outcome: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .completed: "completed"
        case .skipped(let reason): "skipped(\(reason))"
        case .failed(let error): described(error)
        }
    }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension AirshipAI.Result: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .completed: "completed"
        case .skipped(let reason): "skipped(\(reason))"
        case .failed(let error): described(error)
        }
    }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension AirshipAI.InAppMessageSuppression.Subject: CustomStringConvertible, CustomReflectable {
    public var description: String { "Subject(priority: \(priority))" }
    public var customMirror: Mirror { Mirror(self, children: ["priority": priority]) }
}

extension AirshipAI.TextInputInference.Subject: CustomStringConvertible, CustomReflectable {
    public var description: String { "Subject(characters: \(text.count))" }
    public var customMirror: Mirror { Mirror(self, children: ["characters": text.count]) }
}

extension AirshipAI.EmbeddedSelection.Subject: CustomStringConvertible, CustomReflectable {
    public var description: String { "Subject(\(embeddedID), pending: \(pending.count))" }

    public var customMirror: Mirror {
        Mirror(self, children: ["embeddedID": embeddedID, "pending": pending.count])
    }
}

extension AirshipEmbeddedSelection.AIConfig: CustomStringConvertible, CustomReflectable {
    public var description: String {
        "AIConfig(\(strategy), allowDisplayInterruptions: \(allowDisplayInterruptions))"
    }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "strategy": strategy, "allowDisplayInterruptions": allowDisplayInterruptions,
            ])
    }
}

extension AirshipEmbeddedInfo: CustomStringConvertible, CustomReflectable {
    public var description: String {
        "AirshipEmbeddedInfo(\(instanceID), \(embeddedID), priority: \(priority))"
    }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["instanceID": instanceID, "embeddedID": embeddedID, "priority": priority])
    }
}

extension AirshipAI.UnavailableReason: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .deviceNotEligible: "deviceNotEligible"
        case .missingModel: "missingModel"
        case .notEnabled: "notEnabled"
        case .other: "other"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Messages and fields are named by whoever wrote them, and so is what a field may report.
extension AirshipAI.FeatureEvent.Kind: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .aiSuppressed(let evaluation, _, let missBehavior):
            "aiSuppressed(\(evaluation), \(missBehavior))"
        case .formInference(let evaluation, _, let status, let report):
            "formInference(\(evaluation.map { "\($0)" } ?? "-"), \(status), "
                + "report: \(report.count))"
        case .catalog(_, let report): "catalog(report: \(report.count))"
        case .gate(let isOn): "gate(onDeviceAI: \(isOn))"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension AirshipAI.ReportValue: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .text: "text"
        case .flag: "flag"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// `description` is the author's here, so this has the other name.
extension AirshipJSONSchema: CustomDebugStringConvertible, CustomReflectable {
    public var debugDescription: String { "AirshipJSONSchema(\(kind))" }
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind]) }
}

extension AirshipJSONSchema.Kind: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .string(let choices?): "string, choices: \(choices.count)"
        case .object(let properties?, _): "object, properties: \(properties.names.count)"
        case .array(let items): "array of \(items.kind.word)"
        case .string, .boolean, .integer, .number, .object: word
        }
    }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension AirshipJSONSchema.Properties: CustomStringConvertible, CustomReflectable {
    public var description: String { "Properties(\(names.count))" }
    public var customMirror: Mirror { Mirror(self, children: ["count": names.count]) }
}
