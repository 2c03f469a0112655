// The app of the demonstration's day, set up as an app engineer would: a recorder attached to the
// evaluator, models, context. From one start of the phone to the next.

import AirshipCore
import AirshipRecording
import EvalogLog
import EvalogRecording
import Foundation

/// What the app and its phone are made of on one day.
struct DayParts: Sendable {
    let directory: LogDirectory
    let time: any DayTime
    let models: any DayModels
    let material: DayMaterial
    let seed: UInt64
    /// For ids; 64 random bits a call.
    let random: @Sendable () -> UInt64
    /// The same for what the recorder draws, at moments that depend on threads.
    let recorderRandom: @Sendable () -> UInt64
    /// Outlives the phone's restart.
    let privacy = AirshipPrivacyManager(storage: MemoryFeatureStorage())
}

final class Phone: Sendable {
    /// What changes while it runs.
    private struct State: Sendable {
        var session: UUID?
        var hasModels = false
        var availability = AirshipAI.Availability.available
        var holds = true
    }

    let evaluator: AirshipAI.Evaluator
    let recorder: EvaluationRecorder
    let pending = PendingEmbedded()
    let counter = EvaluationCounter()
    private let state: Locked<State>

    init(_ parts: DayParts, isUpdated: Bool) {
        let state = Locked(State())
        self.state = state
        let (time, models) = (parts.time, parts.models)
        evaluator = AirshipAI.Evaluator(
            privacy: parts.privacy, defaults: DefaultModel(), time: time.evaluations,
            identifiers: Identifiers(random: parts.random),
            sessionID: { state.withLock { $0.session } })
        recorder = EvaluationRecorder(
            parts.directory, content: .all(days: RecordingLimits.contentDaysDefault),
            device: DeviceDescription(
                os: isUpdated ? "iOS 26.2" : "iOS 26.1", device: "iPhone17,1", app: "4.2.0"),
            options: WriterOptions(clock: time.log, hasThread: time.isReal),
            random: parts.recorderRandom)
        recorder.attach(to: evaluator)
        evaluator.attach(counter)

        evaluator.setModelResolver { usage in
            let now = state.withLock { $0 }
            guard now.hasModels else { return .defaultModel }
            return .custom(
                SystemModel(
                    model: models.model(for: usage, isUpdated: isUpdated, holds: now.holds),
                    availability: now.availability))
        }
        let (user, history) = (parts.material.user, parts.material.history)
        evaluator.setDefaultContextProvider {
            time.contextWasGiven()
            return AirshipAI.Context(items: user)
        }
        evaluator.setContextProvider(for: AirshipAI.InAppMessageSuppression.usage) { message in
            let isAboutReading = message.hints["context"] == "history"
            return AirshipAI.Context(items: user + (isAboutReading ? [history] : []))
        }
    }

    func registerModels() { state.withLock { $0.hasModels = true } }
    /// The app comes to the foreground.
    func begin(session: UUID) {
        state.withLock { $0.session = session }
        recorder.resume()
    }
    func setAvailability(_ availability: AirshipAI.Availability) {
        state.withLock { $0.availability = availability }
    }

    /// What a good model would say of the next scene.
    func expect(holds: Bool) { state.withLock { $0.holds = holds } }
}

/// Sees what the recorder sees, after it.
final class EvaluationCounter: AirshipAI.Sink {
    let evaluations = Tally()
    /// Failed because no server was there.
    let unreached = Tally()
    /// Ended with an answer.
    let completed = Tally()

    func receive(_ observation: AirshipAI.Observation) {
        guard case .evaluation(let record) = observation else { return }
        switch record.outcome {
        case .completed: completed.add()
        case .failed(let error) where AirshipAI.ErrorClass(classifying: error) == .transport:
            unreached.add()
        case .failed, .skipped: break
        }
        evaluations.add()
    }
}
