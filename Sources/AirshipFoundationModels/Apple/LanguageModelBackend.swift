// Any model with the framework's LanguageModel protocol: Private Cloud Compute and those of others.
// Needs the SDK of iOS 27, which comes with Swift 6.4.

#if canImport(FoundationModels) && (compiler(>=6.4) || FOUNDATION_MODELS_27)
    public import AirshipCore
    public import FoundationModels

    @available(iOS 27.0, macOS 27.0, visionOS 27.0, *)
    struct LanguageModelBackend<Model: LanguageModel>: GenerationBackend {
        let model: Model
        let reasoningLevel: AirshipFoundationModel.ReasoningLevel?
        let label: String
        let readiness: @Sendable () -> SystemReadiness

        var availability: AirshipAI.Availability { readiness().availability }
        var canGuideGeneration: Bool { model.capabilities.contains(.guidedGeneration) }

        /// Backends do not tell their tokens; they report what does not fit.
        func measure(_ request: AirshipAI.Request) async throws -> TokenUse? { nil }

        func generate(_ request: AirshipAI.Request) async throws -> AirshipJSON {
            let schema = try GenerationSchema(request.schema)
            return try await FoundationModelError.reducing {
                let session = LanguageModelSession(
                    model: model, instructions: request.instructions)
                let response = try await session.respond(
                    to: Prompt(request.prompt()), schema: schema, options: GenerationOptions(),
                    contextOptions: contextOptions)
                return try AirshipJSON(response.content)
            }
        }

        private var contextOptions: ContextOptions {
            guard let reasoningLevel, model.capabilities.contains(.reasoning) else {
                return ContextOptions()
            }
            switch reasoningLevel {
            case .light: return ContextOptions(reasoningLevel: .light)
            case .moderate: return ContextOptions(reasoningLevel: .moderate)
            case .deep: return ContextOptions(reasoningLevel: .deep)
            }
        }
    }

    @available(iOS 27.0, macOS 27.0, visionOS 27.0, *)
    extension AirshipFoundationModel {
        /// Apple's Private Cloud Compute model: larger, a round trip away, with a daily quota.
        /// Prompts and context go to Apple's servers.
        public static func privateCloudCompute(
            reasoningLevel: ReasoningLevel = .moderate
        ) -> AirshipFoundationModel {
            let model = PrivateCloudComputeLanguageModel()
            let backend = LanguageModelBackend(
                model: model, reasoningLevel: reasoningLevel, label: "apple/private-cloud-compute",
                readiness: { readiness(of: model) })
            return AirshipFoundationModel(
                backend, responseTimeout: FoundationModelDefaults.cloudResponseTimeout)
        }

        /// Wraps any model with the framework's `LanguageModel` protocol. Prompts and context go
        /// wherever that model sends them.
        ///
        /// - Parameters:
        ///   - label: The name under which records keep it apart from other models.
        ///   - availability: Maps the model's own state, which the protocol does not tell; nil is
        ///     always available.
        public static func backed(
            by model: some LanguageModel, reasoningLevel: ReasoningLevel? = nil,
            label: String = "foundation-models",
            availability: (@Sendable () -> AirshipAI.Availability)? = nil
        ) -> AirshipFoundationModel {
            let backend = LanguageModelBackend(
                model: model, reasoningLevel: reasoningLevel, label: label,
                readiness: { .ready })
            return AirshipFoundationModel(backend, availability: availability)
        }

        private static func readiness(
            of model: PrivateCloudComputeLanguageModel
        ) -> SystemReadiness {
            switch model.availability {
            case .available: .ready
            case .unavailable(.deviceNotEligible): .deviceNotEligible
            case .unavailable(.systemNotReady): .systemNotReady
            @unknown default: .unknown
            }
        }
    }
#endif
