// The two faces of an inference: the whole of it for the layout on this device, closed values for
// the form's result. They are kept apart so that one can never be mistaken for the other.

extension TextInputField.Inference {
    /// The layout's `ai` of this field; stays on the device.
    package var layoutState: AirshipJSON {
        switch self {
        case .failed: ["status": "failed"]
        case .complete(_, let output): ["status": "complete", "result": output]
        }
    }

    /// The form result's `ai_inference` of this field: success or failure, and of the answer only
    /// what is reportable.
    package func formResult(_ reportable: ReportableValues) -> AirshipJSON {
        guard case .complete(_, let output) = self else { return ["result": "failed"] }
        var result: [String: AirshipJSON] = ["result": "success"]
        result["output"] = reportable.subset(of: output)
        return .object(result)
    }

    /// The same as a neutral event.
    package func event(
        field: String, _ reportable: ReportableValues
    ) -> AirshipAI.FeatureEvent.Kind {
        switch self {
        case .failed(let evaluation):
            .formInference(evaluation: evaluation, field: field, status: .failure, report: [:])
        case .complete(let evaluation, let output):
            .formInference(
                evaluation: evaluation, field: field, status: .success,
                report: reportable.report(of: output))
        }
    }
}

/// The child of a form result for one text input.
package enum TextInputFormChild {
    /// - Parameter inference: Nil leaves no trace of inference.
    package static func json(
        value: String, inference: TextInputField.Inference?, _ reportable: ReportableValues?
    ) -> AirshipJSON {
        var child: [String: AirshipJSON] = ["type": "text_input", "value": .string(value)]
        if let inference, let reportable {
            child["ai_inference"] = inference.formResult(reportable)
        }
        return .object(child)
    }
}
