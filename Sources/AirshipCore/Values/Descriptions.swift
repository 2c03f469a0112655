// What a print, a dump, a log line or a failed check shows of values that hold what a user, an author
// or a model wrote: ids, counts and names of closed lists, none of the text.

/// A failure by its class: an error's own words can hold anything.
private func described(_ error: any Error) -> String {
    "failed(\(AirshipAI.ErrorClass(classifying: error).rawValue))"
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
