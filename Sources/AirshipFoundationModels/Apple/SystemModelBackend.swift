// The on-device model behind Apple Intelligence, and its registration as the default model.

#if canImport(FoundationModels)
    import AirshipCore
    import FoundationModels
    import Observation

    @available(iOS 26.0, macOS 26.0, visionOS 26.0, *)
    struct SystemModelBackend: GenerationBackend {
        private let model = SystemLanguageModel.default

        let label = "apple/on-device"
        let canGuideGeneration = true

        var availability: AirshipAI.Availability { Self.readiness(of: model).availability }

        var availabilityUpdates: AsyncStream<AirshipAI.Availability> {
            AsyncStream { continuation in
                let model = model
                let task = Task {
                    for await readiness in Observations({ Self.readiness(of: model) }) {
                        continuation.yield(readiness.availability)
                    }
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }

        func measure(_ request: AirshipAI.Request) async throws -> TokenUse? {
            guard #available(iOS 26.4, macOS 26.4, visionOS 26.4, *) else { return nil }
            let schema = try GenerationSchema(request.schema)
            let tokenCount =
                try await model.tokenCount(for: Instructions(request.instructions))
                + model.tokenCount(for: schema)
                + model.tokenCount(for: Prompt(request.prompt()))
            return TokenUse(tokenCount: tokenCount, windowSize: model.contextSize)
        }

        func generate(_ request: AirshipAI.Request) async throws -> AirshipJSON {
            let schema = try GenerationSchema(request.schema)
            return try await FoundationModelError.reducing {
                let session = LanguageModelSession(
                    model: model, instructions: request.instructions)
                // Spelled out: with the SDK of iOS 27 a second method matches the shorter call.
                let response = try await session.respond(
                    to: Prompt(request.prompt()), schema: schema, includeSchemaInPrompt: true)
                return try AirshipJSON(response.content)
            }
        }

        private static func readiness(of model: SystemLanguageModel) -> SystemReadiness {
            switch model.availability {
            case .available: .ready
            case .unavailable(.deviceNotEligible): .deviceNotEligible
            case .unavailable(.appleIntelligenceNotEnabled): .intelligenceNotEnabled
            case .unavailable(.modelNotReady): .modelNotReady
            @unknown default: .unknown
            }
        }
    }

    @available(iOS 26.0, macOS 26.0, visionOS 26.0, *)
    extension AirshipJSON {
        /// - Throws: ``FoundationModelError/undecodable``.
        init(_ content: GeneratedContent) throws(FoundationModelError) {
            guard let json = try? AirshipJSON.from(json: content.jsonString) else {
                throw .undecodable
            }
            self = json
        }
    }

    extension AirshipFoundationModel {
        /// Makes the on-device model the default; where the system is too old there is none.
        ///
        /// Called when the module is loaded. Calling it again is harmless.
        public static func registerDefault() {
            DefaultModel.shared.register {
                guard #available(iOS 26.0, macOS 26.0, visionOS 26.0, *) else { return nil }
                return AirshipFoundationModel(SystemModelBackend())
            }
        }
    }

    // Run by the loader before main: linking the module is all that an app has to do. Elsewhere
    // than on Darwin only the test against stubs gets here.
    #if canImport(Darwin)
        @section("__DATA,__mod_init_func")
        @used
        private let registerAtLoad: @convention(c) () -> Void = {
            AirshipFoundationModel.registerDefault()
        }
    #else
        @section(".init_array")
        @used
        private let registerAtLoad: @convention(c) () -> Void = {
            AirshipFoundationModel.registerDefault()
        }
    #endif
#endif
