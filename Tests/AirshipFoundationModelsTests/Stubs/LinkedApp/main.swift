// An app that links the module and prints what it finds: one line a fact, for the test to compare.

import AirshipCore
import AirshipFoundationModels
import ClaudeForFoundationModels
import FirebaseAILogic
import Foundation
import FoundationModels

typealias Model = any AirshipAI.ModelProtocol

let schema: AirshipJSONSchema = .object(
    properties: [
        "allow": .boolean(), "reason": .string(),
        "kinds": .array(items: .string(choices: ["a", "b"])), "score": .integer(),
    ],
    required: ["allow", "reason"])

func request(items: Int) -> AirshipAI.Request {
    AirshipAI.Request(
        instructions: "Instructions", schema: schema,
        context: .init(
            items: (0..<items).map { .init(content: "item \($0)", priority: Double($0)) }),
        render: { $0.items.map(\.content).joined(separator: ",") })
}

func ask(_ model: Model?, items: Int = 3) async -> String {
    guard let model else { return "no model" }
    do {
        let answer = try await model.respond(request(items: items))
        return try answer.toString()
    } catch {
        return "\(AirshipAI.ErrorClass(classifying: error).rawValue)"
    }
}

func word(_ availability: AirshipAI.Availability?) -> String {
    switch availability {
    case nil: "none"
    case .available: "available"
    case .unavailable(.deviceNotEligible): "deviceNotEligible"
    case .unavailable(.missingModel): "missingModel"
    case .unavailable(.notEnabled): "notEnabled"
    case .unavailable(.other(let text)): text
    }
}

let system = Airship.ai.defaultModel
print("default:", system?.label ?? "none", system?.maxAttempts ?? 0, system?.responseTimeout ?? 0)
print("answer:", await ask(system))
print("schema:", Stage.with { $0.schemas.last ?? "" })

let states: [SystemLanguageModel.Availability] = [
    .unavailable(.deviceNotEligible), .unavailable(.appleIntelligenceNotEnabled),
    .unavailable(.modelNotReady), .available,
]
let cloud = AirshipFoundationModel.privateCloudCompute()
for state in states {
    Stage.with { $0.availability = state }
    print("state:", word(system?.availability), word(cloud.availability))
}
if let system {
    for await availability in system.availabilityUpdates {
        print("update:", word(availability))
        break
    }
}

// Instructions, schema and the reserve of 512 leave room for one item.
Stage.with { stage in
    stage.contextSize = 512 + "Instructions".count + stage.schemas[0].count + 10
    stage.asked = []
}
print("measured:", await ask(system), Stage.with { $0.asked })
Stage.with { $0.contextSize = 100 }
print("too small:", await ask(system))
Stage.with { stage in
    stage.contextSize = 4_096
    stage.promptCharacterMax = 15
    stage.asked = []
    stage.sessionCount = 0
}
print("overflow:", await ask(system), Stage.with { $0.asked }, Stage.with { $0.sessionCount })
Stage.with { $0.promptCharacterMax = -1 }
print("overflow without context:", await ask(system))
Stage.with { stage in
    stage.overflow = LanguageModelError.contextSizeExceeded(.init())
    stage.asked = []
}
print("overflow since 27:", await ask(cloud), Stage.with { $0.asked.count })
Stage.with { $0.promptCharacterMax = .max }

let context = LanguageModelSession.GenerationError.Context(debugDescription: "stub")
let errors: [any Error] = [
    LanguageModelSession.GenerationError.assetsUnavailable(context),
    LanguageModelSession.GenerationError.guardrailViolation(context),
    LanguageModelSession.GenerationError.unsupportedGuide(context),
    LanguageModelSession.GenerationError.unsupportedLanguageOrLocale(context),
    LanguageModelSession.GenerationError.decodingFailure(context),
    LanguageModelSession.GenerationError.rateLimited(context),
    LanguageModelSession.GenerationError.concurrentRequests(context),
    LanguageModelSession.GenerationError.refusal(.init(), context),
    LanguageModelError.rateLimited(.init()), LanguageModelError.refusal(.init()),
    LanguageModelError.timeout(.init()), LanguageModelError.guardrailViolation(.init()),
    LanguageModelError.unsupportedCapability(.init()),
    LanguageModelError.unsupportedTranscriptContent(.init()),
    LanguageModelError.unsupportedGenerationGuide(.init()),
    LanguageModelError.unsupportedLanguageOrLocale(.init()),
    PrivateCloudComputeLanguageModel.Error.quotaLimitReached(.init()),
    PrivateCloudComputeLanguageModel.Error.networkFailure(.init()),
    PrivateCloudComputeLanguageModel.Error.serviceUnavailable(.init()),
]
for error in errors {
    Stage.with { $0.error = error }
    print("error:", await ask(system))
}
Stage.with { stage in
    stage.error = nil
    stage.answer = "not JSON"
}
print("not JSON:", await ask(system))
Stage.with { stage in
    stage.answer = "{}"
    stage.reasoning = []
}

print("cloud:", cloud.label ?? "none", cloud.maxAttempts, cloud.responseTimeout, await ask(cloud))
let claude = ClaudeLanguageModel(
    name: .opus5, auth: .proxied(headers: [:]), baseURL: .init(filePath: "/"))
let backed = AirshipFoundationModel.backed(by: claude, label: "claude") {
    .unavailable(reason: .notEnabled)
}
print("backed:", backed.label ?? "none", backed.responseTimeout, word(backed.availability))
print("backed answers:", await ask(backed))
print("deep:", await ask(AirshipFoundationModel.backed(by: claude, reasoningLevel: .deep)))
let unreasoning = AirshipFoundationModel.backed(
    by: SystemLanguageModel.default, reasoningLevel: .deep)
print("unreasoning:", word(unreasoning.availability), await ask(unreasoning))
print("reasoning:", Stage.with { $0.reasoning })
let gemini = FirebaseAI.firebaseAI(backend: .googleAI()).geminiLanguageModel(name: "gemini")
print("unguided:", await ask(AirshipFoundationModel.backed(by: gemini)))
print("shows:", cloud, Mirror(reflecting: cloud).children.count)
