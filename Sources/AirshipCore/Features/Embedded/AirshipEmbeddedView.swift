// The SwiftUI face of embedded content: draws what an EmbeddedSession displays, decides nothing.

#if canImport(SwiftUI)
    public import SwiftUI

    /// A place in an app where embedded content of one id is displayed.
    public struct AirshipEmbeddedView<Placeholder: View>: View {
        private let embeddedID: String
        private let selection: AirshipEmbeddedSelection
        private let size: AirshipEmbeddedSize?
        private let placeholder: Placeholder

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
            self.embeddedID = embeddedID
            self.selection = selection
            size = embeddedSize
            self.placeholder = placeholder()
        }

        public var body: some View {
            // Another id at the same place is another view, with a session of its own.
            EmbeddedPlace(
                embeddedID: embeddedID, selection: selection, size: size,
                placeholder: AnyView(placeholder)
            )
            .id(embeddedID)
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

    /// What is displayed for one id while the view is there.
    private struct EmbeddedPlace: View {
        private let selection: AirshipEmbeddedSelection
        private let size: AirshipEmbeddedSize?
        private let placeholder: AnyView

        @StateObject private var model: EmbeddedViewModel
        @Environment(\.airshipEmbeddedStyle) private var style

        init(
            embeddedID: String, selection: AirshipEmbeddedSelection, size: AirshipEmbeddedSize?,
            placeholder: AnyView
        ) {
            self.selection = selection
            self.size = size
            self.placeholder = placeholder
            _model = StateObject(
                wrappedValue: EmbeddedViewModel(embeddedID: embeddedID, selection: selection))
        }

        var body: some View {
            // At every render, because a comparator is a closure and the latest one counts.
            let _ = model.select(selection)
            ZStack {
                style(
                    AirshipEmbeddedViewStyleConfiguration(
                        selected: model.displayed.map(selected), placeHolder: placeholder))
                // A view without content never appears, so its task would never begin: this one is always there.
                Color.clear.frame(width: 0, height: 0).task { await model.run() }
            }
        }

        private func selected(_ info: AirshipEmbeddedInfo) -> AirshipEmbeddedContentView {
            AirshipEmbeddedContentView(
                embeddedInfo: info, content: AirshipEmbeddedContent.draw(info, size),
                onDismiss: { model.dismiss(info) })
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
