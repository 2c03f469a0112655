// The SwiftUI face of embedded content: draws what an EmbeddedSession displays, decides nothing.

#if canImport(SwiftUI)
    public import SwiftUI

    /// A place in an app where embedded content of one id is displayed.
    public struct AirshipEmbeddedView<Placeholder: View>: View {
        private let selection: AirshipEmbeddedSelection
        private let size: AirshipEmbeddedSize?
        private let placeholder: Placeholder

        @StateObject private var model: EmbeddedViewModel
        @Environment(\.airshipEmbeddedStyle) private var style

        /// - Parameters:
        ///   - embeddedID: The id of an embedded content view style.
        ///   - embeddedSize: What percentages refer to where the layout system cannot tell.
        ///   - selection: How to choose among several pending instances.
        ///   - placeholder: Shown while nothing is displayed.
        public init(
            embeddedID: String, embeddedSize: AirshipEmbeddedSize? = nil,
            selection: AirshipEmbeddedSelection = .priority,
            @ViewBuilder placeholder: () -> Placeholder
        ) {
            self.selection = selection
            size = embeddedSize
            self.placeholder = placeholder()
            _model = StateObject(
                wrappedValue: EmbeddedViewModel(embeddedID: embeddedID, selection: selection))
        }

        public var body: some View {
            // At every render, because a comparator is a closure and the latest one counts.
            let _ = model.select(selection)
            style(
                AirshipEmbeddedViewStyleConfiguration(
                    selected: model.displayed.map(selected), placeHolder: AnyView(placeholder))
            )
            .task { await model.run() }
        }

        private func selected(_ info: AirshipEmbeddedInfo) -> AirshipEmbeddedContentView {
            AirshipEmbeddedContentView(
                embeddedInfo: info, content: AirshipEmbeddedContent.draw(info, size),
                onDismiss: { model.dismiss(info) })
        }
    }

    extension AirshipEmbeddedView where Placeholder == EmptyView {
        /// A view that shows nothing while nothing is displayed.
        public init(
            embeddedID: String, embeddedSize: AirshipEmbeddedSize? = nil,
            selection: AirshipEmbeddedSelection = .priority
        ) {
            self.init(
                embeddedID: embeddedID, embeddedSize: embeddedSize, selection: selection,
                placeholder: { EmptyView() })
        }
    }

    /// Turns a session's stream into something that a view can observe.
    @MainActor
    private final class EmbeddedViewModel: ObservableObject {
        @Published private(set) var displayed: AirshipEmbeddedInfo?
        private let session: EmbeddedSession
        private var latest: AirshipEmbeddedSelection

        init(embeddedID: String, selection: AirshipEmbeddedSelection) {
            latest = selection
            session = EmbeddedSession(
                embeddedID: embeddedID, selection: selection, host: Airship.evaluator)
        }

        /// Follows the session until the view's task is cancelled.
        func run() async {
            let running = Task { [session] in await session.run() }
            for await info in await session.displayed() { displayed = info }
            running.cancel()
        }

        func select(_ selection: AirshipEmbeddedSelection) {
            latest = selection
            // Reads the latest when it runs, so that no order of tasks can bring back an older one.
            Task { await session.select(latest) }
        }

        func dismiss(_ info: AirshipEmbeddedInfo) {
            session.dismiss(instanceID: info.instanceID)
        }
    }
#endif
