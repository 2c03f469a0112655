// How embedded content is drawn and dressed in SwiftUI.

#if canImport(SwiftUI)
    public import SwiftUI

    /// How the app draws the content of an instance; this module knows no layouts.
    @MainActor
    public enum AirshipEmbeddedContent {
        /// Draws an instance in at most that size, which percentages of its layout refer to.
        /// Nothing is drawn until it is set.
        public static var draw: (AirshipEmbeddedInfo, AirshipEmbeddedSize?) -> AnyView = { _, _ in
            AnyView(EmptyView())
        }
    }

    /// The displayed instance, for a style.
    public struct AirshipEmbeddedContentView {
        public let embeddedInfo: AirshipEmbeddedInfo
        /// The drawn instance.
        public let content: AnyView
        /// Dismisses the instance; the next one is displayed.
        public let onDismiss: @MainActor () -> Void
    }

    /// What a style has to work with.
    public struct AirshipEmbeddedViewStyleConfiguration {
        /// Nil while there is nothing to display.
        public let selected: AirshipEmbeddedContentView?
        public let placeHolder: AnyView
    }

    /// Dresses an embedded view.
    @MainActor
    public protocol AirshipEmbeddedViewStyle {
        associatedtype Body: View
        @ViewBuilder func makeBody(configuration: AirshipEmbeddedViewStyleConfiguration) -> Body
    }

    /// The content as it is, or the placeholder.
    public struct DefaultAirshipEmbeddedViewStyle: AirshipEmbeddedViewStyle {
        public init() {}

        public func makeBody(
            configuration: AirshipEmbeddedViewStyleConfiguration
        ) -> some View {
            if let selected = configuration.selected {
                selected.content
            } else {
                configuration.placeHolder
            }
        }
    }

    /// A style without its type.
    struct AnyEmbeddedStyle: Sendable {
        private let make: @MainActor @Sendable (AirshipEmbeddedViewStyleConfiguration) -> AnyView

        @MainActor
        init(_ style: some AirshipEmbeddedViewStyle & Sendable) {
            make = { AnyView(style.makeBody(configuration: $0)) }
        }

        private init(
            make: @escaping @MainActor @Sendable (AirshipEmbeddedViewStyleConfiguration) -> AnyView
        ) {
            self.make = make
        }

        static let standard = AnyEmbeddedStyle { configuration in
            AnyView(DefaultAirshipEmbeddedViewStyle().makeBody(configuration: configuration))
        }

        @MainActor
        func callAsFunction(_ configuration: AirshipEmbeddedViewStyleConfiguration) -> AnyView {
            make(configuration)
        }
    }

    private struct EmbeddedStyleKey: EnvironmentKey {
        static let defaultValue = AnyEmbeddedStyle.standard
    }

    extension EnvironmentValues {
        var airshipEmbeddedStyle: AnyEmbeddedStyle {
            get { self[EmbeddedStyleKey.self] }
            set { self[EmbeddedStyleKey.self] = newValue }
        }
    }

    extension View {
        /// Dresses every embedded view inside.
        public func setAirshipEmbeddedStyle(
            _ style: some AirshipEmbeddedViewStyle & Sendable
        ) -> some View {
            environment(\.airshipEmbeddedStyle, AnyEmbeddedStyle(style))
        }

        /// Keeps the view's own size in the binding, for ``AirshipEmbeddedSize``.
        public func airshipMeasureView(_ size: Binding<CGSize?>) -> some View {
            onGeometryChange(for: CGSize.self, of: \.size) { size.wrappedValue = $0 }
        }
    }
#endif
