// The demonstration's day with material that is not the demonstration's.

import AirshipCore
import EvalogLog
import Foundation
import Testing

@testable import Commands

// Without a time limit: beside tests that block threads it waits for its turn as long as they take.
@Suite("A day of an app") struct AppDayTests {
    /// Suppresses whatever it is asked about.
    private struct Strict: DayModels, AirshipAI.ModelProtocol {
        let maxAttempts = 1
        let responseTimeout: TimeInterval = 30

        func model(
            for usage: AirshipAI.AnyUsage, isUpdated: Bool, holds: Bool
        ) -> any AirshipAI.ModelProtocol { self }

        func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON {
            ["allow": false, "reason": "r"]
        }
    }

    @Test("ends when every scene's schedule is over, or there is none", arguments: [0, 2])
    func finishedScenes(count: Int) async throws {
        let fixture = CommandFixture()
        var material = DayMaterial.demonstration
        material.scenes = (0..<count).map {
            DayMaterial.Scene(id: "s-\($0)", condition: "c", missBehavior: .cancel)
        }
        let parts = DayParts(
            directory: LogDirectory(path: fixture.path("log")),
            time: VirtualTime(midnight: 1_795_824_000_000_000), models: Strict(),
            material: material, seed: 1, random: { .random(in: .min ... .max) },
            recorderRandom: { .random(in: .min ... .max) })
        let rows = [DayRow(6, 0, .opens), DayRow(6, 1, .registersModels), DayRow(6, 2, .scenes(5))]
        let played = await AppDay(parts, showProgress: { _, _ in }).play(rows)
        #expect(played.isWritten && played.evaluationCount == count)
    }
}
