// Plays the demonstration's day: each row of the script becomes what an app and its user do to the
// real features. One thing at a time, and the next only when everything has ended, so that a seed
// decides everything.

import AirshipCore
import EvalogRecording
import EvalogText
import Foundation

/// What became of a day.
struct PlayedDay: Sendable {
    var evaluationCount = 0
    var completedCount = 0
    /// Failed because no server was there.
    var unreachedCount = 0
    /// False where the disk did not take everything.
    var isWritten = true
}

actor AppDay {
    private let parts: DayParts
    private let showProgress: @Sendable (_ done: Int, _ total: Int) -> Void
    private var phone: Phone
    private var isUpdated = false
    private var dice: Dice
    private var played = PlayedDay()

    /// Views on screen, by place.
    private var views: [String: (view: EmbeddedSession, life: Task<Void, Never>)] = [:]
    private var bannerCount = 0
    private var textCount = 0
    private var sceneCount = 0
    private var schedules: [String: ScheduleProgress] = [:]

    init(
        _ parts: DayParts, showProgress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) {
        self.parts = parts
        self.showProgress = showProgress
        phone = Phone(parts, isUpdated: false)
        dice = Dice(seed: parts.seed)
    }

    /// - Parameter shouldStop: Asked between rows; the log is closed then as well.
    func play(
        _ rows: [DayRow], shouldStop: @Sendable () -> Bool = { false }
    ) async -> PlayedDay {
        for (number, row) in rows.enumerated() where !shouldStop() {
            showProgress(number, rows.count)
            parts.time.go(toMinute: row.minute)
            await play(row.moment)
            await phone.evaluator.drained()
        }
        endPhone()
        return played
    }

    private func play(_ moment: DayMoment) async {
        switch moment {
        case .opens: phone.begin(session: randomUUID())
        case .closes: await close()
        case .registersModels: phone.registerModels()
        case .modelBecomes(let availability): phone.setAvailability(availability)
        case .onDeviceAI(true): parts.privacy.enableFeatures(.onDeviceAI)
        case .onDeviceAI(false): parts.privacy.disableFeatures(.onDeviceAI)
        case .scenes(let count):
            for _ in 0..<few(count) {
                if let scene = nextScene() { await trigger(scene) }
            }
        case .scene(let id):
            for scene in parts.material.scenes where scene.id == id { await trigger(scene) }
        case .banners(let count, let place):
            await open(place)
            for _ in 0..<few(count) { await addBanner(to: place) }
        case .overtakenBanners(let count, let place):
            await open(place)
            for _ in 0..<few(count) { await overtakeBanner(in: place) }
        case .texts(let count, let id):
            for _ in 0..<few(count) { await submitText(into: id) }
        case .overtakenTexts(let count, let id):
            for _ in 0..<few(count) { await overtakeText(in: id) }
        case .systemUpdate:
            endPhone()
            isUpdated = true
            phone = Phone(parts, isUpdated: true)
        }
    }

    /// In real time one of each has to do.
    private func few(_ count: Int) -> Int { parts.time.isReal ? min(count, 1) : count }

    private func pass(_ seconds: ClosedRange<Int>) {
        parts.time.pass(seconds: dice.roll(seconds))
    }

    private func randomUUID() -> UUID { Identifiers(random: parts.random).random4() }

    // MARK: The app

    private func close() async {
        for view in views.values {
            view.life.cancel()
            await view.life.value
        }
        views = [:]
        await phone.evaluator.drained()
        if !phone.recorder.suspend() { played.isWritten = false }
    }

    private func endPhone() {
        if !phone.recorder.close() { played.isWritten = false }
        let counter = phone.counter
        played.evaluationCount += counter.evaluations.count
        played.completedCount += counter.completed.count
        played.unreachedCount += counter.unreached.count
    }

    // MARK: Scenes

    /// The next one whose schedule is not over; nil where all are.
    private func nextScene() -> DayMaterial.Scene? {
        let scenes = parts.material.scenes
        for _ in scenes {
            let scene = scenes[sceneCount % scenes.count]
            sceneCount += 1
            if schedules[scene.id]?.phase != .finished { return scene }
        }
        return nil
    }

    private func trigger(_ scene: DayMaterial.Scene) async {
        pass(20...90)
        phone.expect(holds: scene.holds)
        var schedule = schedules[scene.id] ?? ScheduleProgress(phase: .idle, executionCount: 0)
        schedule.phase = .triggered
        let decision = await SceneSuppression.decide(
            on: SceneMessage(id: scene.id, name: scene.id),
            configuration: scene.condition.map {
                SuppressionConfiguration(
                    condition: $0, subjectHints: scene.hints, missBehavior: scene.missBehavior)
            },
            host: phone.evaluator)
        schedules[scene.id] = progress(of: schedule, after: decision, of: scene)
    }

    private func progress(
        of schedule: ScheduleProgress, after decision: SceneSuppression.Decision,
        of scene: DayMaterial.Scene
    ) -> ScheduleProgress {
        let finished = ScheduleProgress(phase: .finished, executionCount: schedule.executionCount)
        guard case .suppress(let missBehavior) = decision else {
            return ScheduleProgress(phase: .idle, executionCount: schedule.executionCount + 1)
        }
        let effect = schedule.effect(
            of: missBehavior, executionLimit: scene.executionLimit, isExpired: false)
        return switch effect {
        case .ignore: schedule
        case .remove: finished
        case .store(let progress): progress
        }
    }

    // MARK: Banners

    /// Brings the place on screen; a view that finds something to rank asks at once.
    private func open(_ place: String) async {
        guard views[place] == nil else { return }
        let view = EmbeddedSession(
            embeddedID: place, selection: .ai(prompt: parts.material.rankingPrompt),
            pending: phone.pending, host: phone.evaluator)
        let before = phone.counter.evaluations.count
        views[place] = (view, Task { await view.run() })
        if pending(in: place).count >= 2 { await phone.counter.evaluations.reaches(before + 1) }
    }

    /// A banner arrives, and is ranked if there are others.
    private func addBanner(to place: String) async {
        pass(15...75)
        let pendingMax = 4
        if pending(in: place).count >= pendingMax, let oldest = pending(in: place).first {
            phone.pending.remove(instanceID: oldest.instanceID)
        }
        let before = phone.counter.evaluations.count
        arrive(in: place)
        if pending(in: place).count >= 2 { await phone.counter.evaluations.reaches(before + 1) }
        await phone.evaluator.drained()
    }

    /// Another banner arrives before the last one is ranked.
    private func overtakeBanner(in place: String) async {
        // There must be something to rank the first one among.
        if pending(in: place).isEmpty { arrive(in: place) }
        pass(15...75)
        let before = phone.counter.evaluations.count
        parts.time.hold()
        arrive(in: place)
        await parts.time.untilThinking()
        arrive(in: place)
        await phone.counter.evaluations.reaches(before + 1)
        await parts.time.goOn()
        await phone.counter.evaluations.reaches(before + 2)
        for banner in pending(in: place).dropLast() {
            phone.pending.remove(instanceID: banner.instanceID)
        }
    }

    private func arrive(in place: String) {
        let descriptions = parts.material.banners[place] ?? []
        guard !descriptions.isEmpty else { return }
        bannerCount += 1
        phone.pending.add(
            AirshipEmbeddedInfo(
                instanceID: "banner-\(bannerCount)", embeddedID: place,
                priority: dice.roll(0...3),
                contentDescription: descriptions[bannerCount % descriptions.count],
                additionalContext: [parts.material.bannerNote]))
    }

    private func pending(in place: String) -> [AirshipEmbeddedInfo] {
        phone.pending.infos { $0.embeddedID == place }
    }

    // MARK: Texts

    private func session(of id: String) -> TextInputSession? {
        parts.material.fields[id].map { field in
            TextInputSession(
                id: id, kind: .multiline, isRequired: true,
                configuration: TextInputConfiguration(
                    prompt: field.prompt, outputSchema: field.schema),
                host: phone.evaluator, time: parts.time.typing)
        }
    }

    private func nextText(for id: String) -> String {
        let texts = parts.material.fields[id]?.texts ?? []
        textCount += 1
        return texts.isEmpty ? "" : texts[textCount % texts.count]
    }

    private func submitText(into id: String) async {
        guard let field = session(of: id) else { return }
        pass(20...120)
        await field.edited(nextText(for: id))
        await submit(field)
    }

    private func overtakeText(in id: String) async {
        guard let field = session(of: id) else { return }
        pass(20...120)
        let text = nextText(for: id)
        let before = phone.counter.evaluations.count
        parts.time.hold()
        await field.edited(text)
        await parts.time.untilThinking()
        await field.edited(text + ", and please hurry")
        await phone.counter.evaluations.reaches(before + 1)
        await parts.time.goOn()
        await submit(field)
    }

    private func submit(_ field: TextInputSession) async {
        await field.settled()
        _ = await field.submit()
        await phone.evaluator.drained()
    }
}
