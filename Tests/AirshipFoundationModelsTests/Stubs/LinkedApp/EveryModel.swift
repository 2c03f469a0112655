// An app that uses every model of the module: Apple's, one of its own choice, and two other makers'.

import AirshipCore
import AirshipFoundationModels
import ClaudeForFoundationModels
import FirebaseAILogic
import Foundation
import FoundationModels

/// Asks one model for everything.
private func useOnly(_ model: some AirshipAI.ModelProtocol) {
    Airship.ai.setModelResolver { _ in .custom(model) }
}

@available(iOS 27.0, macOS 27.0, *)
func askTheCloud() {
    useOnly(AirshipFoundationModel.privateCloudCompute(reasoningLevel: .deep))
}

@available(iOS 27.0, macOS 27.0, *)
func ask(_ languageModel: some LanguageModel) {
    useOnly(AirshipFoundationModel.backed(by: languageModel, reasoningLevel: .light))
}

@available(iOS 27.0, macOS 27.0, *)
func askClaude(through proxy: URL, token: String) {
    let authentication = ClaudeLanguageModel.Authorization.proxied(headers: ["X-Token": token])
    useOnly(
        AirshipFoundationModel.backed(
            by: ClaudeLanguageModel(name: .opus5, auth: authentication, baseURL: proxy)))
}

@available(iOS 27.0, macOS 27.0, *)
func askGemini(named name: String) {
    let service = FirebaseAI.firebaseAI(backend: .googleAI())
    useOnly(AirshipFoundationModel.backed(by: service.geminiLanguageModel(name: name)))
}
