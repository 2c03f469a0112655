// Small apps around the product documentation's examples, which the tests fill in: that they compile
// is the contract. Around them only what an app would have of its own.

/// Context, observing and routing.
let documentedCalls = #"""
    import AirshipCore
    import Foundation

    struct Analytics: Sendable {
        func track(_ name: String, _ properties: [String: Any]) {}
    }

    struct Silent: AirshipAI.ModelProtocol {
        func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON { nil }
    }

    let myAnalytics = Analytics()
    let myPrivateComputeModel = Silent()
    let myFallbackModel = Silent()

    func provideSuppressionContext() {
        // DOCUMENTATION 6 bdab90924a0d70bd
    }

    func provideSelectionContext() {
        // DOCUMENTATION 6 b6d747c4c811b7b1
    }

    func observe() {
        // DOCUMENTATION 8 9e6c675cffb3faea
    }

    func route() {
        // DOCUMENTATION 6 a897d3ac1ee12560
    }

    @MainActor
    func fallBack() {
        // DOCUMENTATION 6 472d76749dca5ffb
    }
    """#

/// The custom model.
let documentedModel = #"""
    #if canImport(FoundationNetworking)
    import FoundationNetworking
    #endif

    // DOCUMENTATION 99 712f4ecb25ff2bdc
    """#

/// The SwiftUI examples: where there is no SwiftUI, they are compiled against the stub module of
/// SwiftUIStub.swift.
let documentedViews = #"""
    import AirshipCore
    import SwiftUI

    struct Views: View {
        @State var contextVersion = 0

        var body: some View {
            // DOCUMENTATION 2 c30d3c1fef72e468
            // DOCUMENTATION 3 4a5789c4f99f3e4e
            // DOCUMENTATION 1 0a578967f1c5b89c
            // DOCUMENTATION 6 ef949acd653d6738
            // DOCUMENTATION 4 96ef53afbf3f479f
        }
    }

    struct Pinned: View {
        // DOCUMENTATION 7 0b7d283127bfa7fa
    }

    enum Measured {
        // DOCUMENTATION 15 f20650a3d4782c5d
    }

    // DOCUMENTATION 14 62c97c966758175d

    // DOCUMENTATION 15 7884f57899dd1349

    struct Styled: View {
        var body: some View {
            // DOCUMENTATION 2 8f960101d46be904
        }
    }

    // DOCUMENTATION 13 86df5c0e153d228c
    """#
