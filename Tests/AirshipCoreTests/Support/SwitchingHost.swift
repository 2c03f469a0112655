// A manager whose user switches on-device AI off and on again, once, when the test says.

import AirshipCore

struct SwitchingHost: AirshipAI.FeatureHost {
    enum Moment: CaseIterable, Sendable {
        /// The feature has decided to ask, and nobody was asked yet.
        case beforeAsking
        /// The answer is on its way to the feature.
        case afterAnswer
        /// The feature has looked at the consent, and reports.
        case beforeReport
    }

    private let fixture: Fixture
    private let moment: Locked<Moment?>

    init(_ fixture: Fixture, switchesAt moment: Moment) {
        self.fixture = fixture
        self.moment = Locked(moment)
    }

    private func come(_ current: Moment) {
        let isNow = moment.withLock { moment in
            guard moment == current else { return false }
            moment = nil
            return true
        }
        if isNow { fixture.switchOffAndOn() }
    }

    func evaluate<Asked: AirshipAI.Evaluation>(
        _ evaluation: Asked, additionalContext: AirshipAI.Context
    ) async -> AirshipAI.Evaluated<Asked.Output> {
        come(.beforeAsking)
        let evaluated = await fixture.evaluator.evaluate(
            evaluation, additionalContext: additionalContext)
        come(.afterAnswer)
        return evaluated
    }

    func report(_ kind: AirshipAI.FeatureEvent.Kind) { fixture.evaluator.report(kind) }

    func report(
        _ kind: AirshipAI.FeatureEvent.Kind, under consent: AirshipAI.Consent
    ) -> Bool {
        come(.beforeReport)
        return fixture.evaluator.report(kind, under: consent)
    }

    var consent: AirshipAI.Consent { fixture.evaluator.consent }

    func gatedModel(for usage: AirshipAI.AnyUsage) -> GatedModel? {
        fixture.evaluator.gatedModel(for: usage)
    }

    func availabilityHints(for usage: AirshipAI.AnyUsage) -> AsyncStream<Void> {
        fixture.evaluator.availabilityHints(for: usage)
    }
}

extension Fixture {
    func switchOffAndOn() {
        privacy.disableFeatures(.onDeviceAI)
        privacy.enableFeatures(.onDeviceAI)
    }
}
