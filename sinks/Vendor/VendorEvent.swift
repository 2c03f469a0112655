// What leaves about one event. No member is free text: a String cannot get into these types.

package import EvalogFacts
import EvalogText

/// One line of `events.ndjson`.
package struct VendorEvent: Hashable, Sendable {
    package let id: RandomID
    package let time: EventTime
    package let session: RandomID
    package let body: Body

    /// The two things that the vendor is told.
    package enum Body: Hashable, Sendable {
        /// A message was not shown because of an evaluation.
        case suppression(message: Identifier, MissAction)
        /// A form was submitted with a field that has an inference.
        case inference(FormField, InferenceResult)
    }

    /// Oldest first, ties by id and then by type: the order of the file, where no id stands twice.
    static func precedes(_ left: Self, _ right: Self) -> Bool {
        if left.time != right.time { return left.time < right.time }
        return left.id != right.id
            ? left.id < right.id : left.type.rawValue < right.type.rawValue
    }
}

/// What an inference came to.
package enum InferenceResult: Hashable, Sendable {
    /// With what the author opted in to, by property; empty where that is nothing.
    case success([ListedValue])
    case failed
}

/// The kinds of event, by the names that the vendor has for them.
package enum EventType: UInt8, ClosedList {
    case inAppResolution, inAppFormResult

    package static let names = NameTable("in_app_resolution", "in_app_form_result")
}

/// How a message ended that was not shown.
package enum Resolution: UInt8, ClosedList {
    case aiSuppressed

    package static let names = NameTable("ai_suppressed")
    /// Seconds on screen: it never was.
    package static let displayTime: StaticString = "0.00"
}

/// What the schedule of a suppressed message does.
package enum MissAction: UInt8, ClosedList {
    case cancel, skip, penalize

    package static let names = NameTable("cancel", "skip", "penalize")

    /// Nil for what is none of the three.
    package init?(_ behavior: MissBehavior) {
        switch behavior {
        case .cancel: self = .cancel
        case .skip: self = .skip
        case .penalize: self = .penalize
        case .other: return nil
        }
    }
}

/// Whether a submitted field came with an inference.
package enum ResultName: UInt8, ClosedList {
    case success, failed

    package static let names = NameTable("success", "failed")

    package init(_ result: InferenceResult) {
        switch result {
        case .success: self = .success
        case .failed: self = .failed
        }
    }
}

extension VendorEvent {
    var type: EventType {
        switch body {
        case .suppression: .inAppResolution
        case .inference: .inAppFormResult
        }
    }

    /// What the event is called in the log.
    var key: FactKey {
        switch body {
        case .suppression: FactKey(.aiSuppressed, id.id)
        case .inference: FactKey(.formInference, id.id)
        }
    }

    /// Appends the event as a line with its line feed.
    package func encode(into buffer: inout [UInt8]) {
        JSONWriter.append(to: &buffer) { json in
            json.beginObject()
            json.key(EventField.type.key)
            json.string(type.name)
            json.key(EventField.eventID.key)
            json.id(id.id)
            json.key(EventField.time.key)
            json.time(time)
            json.key(EventField.sessionID.key)
            json.id(session.id)
            switch body {
            case .suppression(let message, let action):
                json.key(EventField.messageID.key)
                json.identifier(message)
                json.key(EventField.missBehavior.key)
                json.string(action.name)
                json.resolution()
            case .inference(let field, let result):
                json.key(EventField.form.key)
                json.identifier(field.form)
                json.key(EventField.field.key)
                json.identifier(field.field)
                json.inference(result)
            }
            json.endObject()
        }
        buffer.append(0x0A)
    }
}

extension JSONWriter {
    fileprivate mutating func resolution() {
        key(EventField.resolution.key)
        beginObject()
        key(EventField.resolutionType.key)
        string(Resolution.aiSuppressed.name)
        key(EventField.displayTime.key)
        string(Resolution.displayTime)
        endObject()
    }

    fileprivate mutating func inference(_ result: InferenceResult) {
        key(EventField.inference.key)
        beginObject()
        key(EventField.result.key)
        string(ResultName(result).name)
        if case .success(let output) = result, !output.isEmpty {
            key(EventField.output.key)
            beginObject()
            for value in output { listed(value) }
            endObject()
        }
        endObject()
    }
}
