// A model of somebody else's, which nobody is sent to before the user said yes.

public import AirshipCore
public import Foundation

/// A model that is not enabled until the user has allowed its terms, and follows the answer.
///
/// The answer is looked at again for every call. A call that is not allowed, or no longer, is
/// cancelled and no failure; nothing is sent for it, and nothing of its answer is used.
public struct ConsentGatedModel: AirshipAI.ModelProtocol {
    private let gated: GatedModel
    private let provider: String

    /// - Parameters:
    ///   - model: Give the gate the model itself: what is wrapped around the gate passes it at each call.
    ///   - terms: What the user is asked.
    ///   - store: Where the answer is.
    public init(
        _ model: any AirshipAI.ModelProtocol, terms: ConsentTerms, store: ConsentStore
    ) {
        gated = GatedModel(model, gate: TermsGate(terms: terms, store: store))
        provider = terms.provider
    }

    public var availability: AirshipAI.Availability { gated.availability }

    public var availabilityUpdates: AsyncStream<AirshipAI.Availability> {
        gated.availabilityUpdates
    }

    public var maxAttempts: Int { gated.maxAttempts }
    public var responseTimeout: TimeInterval { gated.responseTimeout }

    /// The provider and the model's own label, such as `OpenAI/gpt-4o`, in letters that records
    /// may have.
    public var label: String? {
        let name = String(
            provider.unicodeScalars.map { Self.isNameScalar($0) ? Character($0) : "-" })
        let whole = gated.label.map { "\(name)/\($0)" } ?? name
        return String(whole.prefix(ConsentLimits.labelByteMax))
    }

    public func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON {
        try await gated.respond(request)
    }

    private static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", "A"..."Z", "a"..."z", ".", "_", "-", "@": true
        default: false
        }
    }
}

/// A store's answer to some terms.
private struct TermsGate: ModelGate {
    let terms: ConsentTerms
    let store: ConsentStore

    var isOpen: Bool { store.answer(to: terms) == .allowed }

    func follow(_ changed: @Sendable () -> Void) async {
        for await _ in ChangeSignal.merged([store.change]) { changed() }
    }

    func pass(
        _ call: @escaping @Sendable () async throws -> AirshipJSON
    ) async throws -> AirshipJSON {
        try await store.run(under: terms, call)
    }
}
