// A backend that does what the test says, and remembers the prompts that it was asked.

import AirshipCore
import AirshipFoundationModels
import Synchronization

final class ScriptedBackend: GenerationBackend {
    let label = "scripted"
    let availability: AirshipAI.Availability
    let canGuideGeneration: Bool
    private let count: @Sendable (String) throws -> TokenUse?
    private let answer: @Sendable (String) throws -> AirshipJSON
    private let asked = Mutex<[String]>([])

    init(
        availability: AirshipAI.Availability = .available, canGuideGeneration: Bool = true,
        count: @escaping @Sendable (String) throws -> TokenUse? = { _ in nil },
        answer: @escaping @Sendable (String) throws -> AirshipJSON = { _ in true }
    ) {
        self.availability = availability
        self.canGuideGeneration = canGuideGeneration
        self.count = count
        self.answer = answer
    }

    var prompts: [String] { asked.withLock { $0 } }

    func measure(_ request: AirshipAI.Request) async throws -> TokenUse? {
        try count(request.prompt())
    }

    func generate(_ request: AirshipAI.Request) async throws -> AirshipJSON {
        asked.withLock { $0.append(request.prompt()) }
        return try answer(request.prompt())
    }
}

/// A request whose prompt is its context's contents, one letter each: `a` matters most.
func letters(_ text: String) -> AirshipAI.Request {
    AirshipAI.Request(
        instructions: "Instructions", schema: .boolean(),
        context: .init(
            items: text.unicodeScalars.map {
                .init(content: String($0), priority: Double($0.value))
            }),
        render: { $0.items.map(\.content).joined() })
}
