// The framework's errors, reduced to what may be known of them.

#if canImport(FoundationModels)
    import FoundationModels

    @available(iOS 26.0, macOS 26.0, visionOS 26.0, *)
    extension FoundationModelError {
        /// Runs the framework's code and lets out only this error and cancellation.
        static func reducing<Value>(_ body: () async throws -> Value) async throws -> Value {
            do {
                return try await body()
            } catch let error as FoundationModelError {
                throw error
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                throw FoundationModelError(reducing: error)
            }
        }

        private init(reducing error: any Error) {
            if let error = error as? LanguageModelSession.GenerationError {
                self.init(error)
                return
            }
            #if compiler(>=6.4) || FOUNDATION_MODELS_27
                if #available(iOS 27.0, macOS 27.0, visionOS 27.0, *) {
                    self.init(since27: error)
                    return
                }
            #endif
            self = .other
        }

        private init(_ error: LanguageModelSession.GenerationError) {
            switch error {
            case .exceededContextWindowSize: self = .contextOverflow
            case .assetsUnavailable: self = .unavailable
            case .guardrailViolation: self = .guardrail
            case .unsupportedGuide: self = .unsupportedSchema
            case .unsupportedLanguageOrLocale: self = .unsupportedLanguage
            case .decodingFailure: self = .undecodable
            case .rateLimited, .concurrentRequests: self = .rateLimited
            case .refusal: self = .refused
            @unknown default: self = .other
            }
        }
    }

    #if compiler(>=6.4) || FOUNDATION_MODELS_27
        @available(iOS 27.0, macOS 27.0, visionOS 27.0, *)
        extension FoundationModelError {
            fileprivate init(since27 error: any Error) {
                switch error {
                case let error as LanguageModelError: self.init(error)
                case let error as PrivateCloudComputeLanguageModel.Error: self.init(error)
                default: self = .other
                }
            }

            private init(_ error: LanguageModelError) {
                switch error {
                case .contextSizeExceeded: self = .contextOverflow
                case .rateLimited: self = .rateLimited
                case .refusal: self = .refused
                case .timeout: self = .timedOut
                case .guardrailViolation: self = .guardrail
                case .unsupportedCapability, .unsupportedGenerationGuide: self = .unsupportedSchema
                case .unsupportedLanguageOrLocale: self = .unsupportedLanguage
                case .unsupportedTranscriptContent: self = .other
                @unknown default: self = .other
                }
            }

            private init(_ error: PrivateCloudComputeLanguageModel.Error) {
                switch error {
                case .quotaLimitReached: self = .quotaReached
                case .networkFailure: self = .network
                case .serviceUnavailable: self = .unavailable
                @unknown default: self = .other
                }
            }
        }
    #endif
#endif
