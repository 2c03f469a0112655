// An evaluation as a trace tells it, on its way to being a record.

import EvalogText

/// How an evaluation of a trace ended.
enum TracedOutcome {
    case completed(JSONTree?)
    case failed(class: String, message: String?)
    case cancelled
}

struct RecordDraft {
    /// Unique among all traces.
    var id: String
    var usage: String
    /// µs since 1970.
    var time: Int64
    /// µs; negative where the clock of the device was put back.
    var duration: Int64?
    var attempts: Int64
    var outcome: TracedOutcome
    var subject: String?
    var session: String?
    var model: String?
    var os: String?
    var device: String?
    var app: String?
    var messages = Messages()

    /// The line of the record.
    var bytes: [UInt8] {
        var line: [UInt8] = []
        JSONWriter.append(to: &line) { write(to: &$0) }
        return line
    }

    private func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", id)
        json.member("usage", usage)
        json.key("time")
        json.time(time)
        if let duration {
            json.key("duration")
            json.number(Double(duration) / 1_000_000)
        }
        json.key("attempts")
        json.integer(attempts)
        json.member("subject", subject)
        json.member("session", session)
        json.member("model", model)
        json.member("os", os)
        json.member("device", device)
        json.member("app", app)
        json.key("request")
        messages.write(to: &json)
        switch outcome {
        case .completed(let output):
            json.member("outcome", "completed")
            if let output {
                json.key("output")
                output.write(to: &json)
            }
        case .failed(let found, let message):
            json.member("outcome", "failed")
            json.member("error_class", found)
            json.member("error", message ?? found)
        case .cancelled: json.member("outcome", "cancelled")
        }
        json.endObject()
    }
}

extension JSONWriter {
    /// A member that is a text; nothing for nil.
    fileprivate mutating func member(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        key(name)
        string(text)
    }
}
