// Just enough of Combine and SwiftUI to type-check our views where neither exists. Nothing runs.

let combineStub = #"""
    public final class ObservableObjectPublisher {
        public init() {}
        public func send() {}
    }
    public protocol ObservableObject: AnyObject {
        associatedtype ObjectWillChangePublisher = ObservableObjectPublisher
        var objectWillChange: ObjectWillChangePublisher { get }
    }
    extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
        public var objectWillChange: ObservableObjectPublisher { .init() }
    }
    @propertyWrapper public struct Published<Value> {
        public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
        public init(initialValue: Value) { wrappedValue = initialValue }
        public var wrappedValue: Value
    }
    """#

let swiftUIStub = #"""
    @_exported import Combine
    @_exported import Foundation

    @MainActor @preconcurrency public protocol View {
        associatedtype Body: View
        @ViewBuilder @MainActor @preconcurrency var body: Body { get }
    }
    extension Never: View { public var body: Never { fatalError() } }
    @resultBuilder public enum ViewBuilder {
        public static func buildExpression<V: View>(_ view: V) -> V { view }
        public static func buildBlock() -> EmptyView { EmptyView() }
        public static func buildBlock<V: View>(_ view: V) -> V { view }
        public static func buildBlock<each V: View>(
            _ view: repeat each V
        ) -> TupleView { TupleView() }
        public static func buildIf<V: View>(_ view: V?) -> V? { view }
        public static func buildEither<A: View, B: View>(first: A) -> Either<A, B> { Either() }
        public static func buildEither<A: View, B: View>(second: B) -> Either<A, B> { Either() }
    }
    public struct TupleView: View { public var body: Never { fatalError() } }
    public struct Either<A: View, B: View>: View { public var body: Never { fatalError() } }
    extension Optional: View where Wrapped: View { public var body: Never { fatalError() } }
    public struct EmptyView: View {
        public nonisolated init() {}
        public var body: Never { fatalError() }
    }
    public struct AnyView: View {
        public init(_ view: some View) {}
        public var body: Never { fatalError() }
    }
    public struct Text: View {
        public init(_ text: String) {}
        public var body: Never { fatalError() }
    }
    public struct VStack: View {
        public init<V: View>(@ViewBuilder content: () -> V) {}
        public var body: Never { fatalError() }
    }
    public struct ZStack: View {
        public init<V: View>(@ViewBuilder content: () -> V) {}
        public var body: Never { fatalError() }
    }
    public struct Color: View, Sendable {
        public static let clear = Color()
        public var body: Never { fatalError() }
    }
    public struct ScrollView: View {
        public init<V: View>(showsIndicators: Bool, @ViewBuilder content: () -> V) {}
        public var body: Never { fatalError() }
    }
    public struct Button: View {
        public init(_ title: String, action: @escaping @MainActor () -> Void) {}
        public var body: Never { fatalError() }
    }
    public struct GeometryProxy: Sendable { public let size: CGSize }
    public struct GeometryReader: View {
        public init<V: View>(@ViewBuilder content: @escaping (GeometryProxy) -> V) {}
        public var body: Never { fatalError() }
    }
    @propertyWrapper public struct Binding<Value> {
        public init() {}
        public var wrappedValue: Value { get { fatalError() } nonmutating set {} }
    }
    @propertyWrapper public struct State<Value> {
        public init(wrappedValue: Value) {}
        public init() where Value: ExpressibleByNilLiteral {}
        public var wrappedValue: Value { get { fatalError() } nonmutating set {} }
        public var projectedValue: Binding<Value> { fatalError() }
    }
    @MainActor @preconcurrency @propertyWrapper
    public struct StateObject<Object: ObservableObject> {
        public nonisolated init(wrappedValue: @autoclosure @escaping () -> Object) {}
        public var wrappedValue: Object { fatalError() }
    }
    public protocol EnvironmentKey { associatedtype Value; static var defaultValue: Value { get } }
    public struct EnvironmentValues {
        public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
            get { K.defaultValue }
            set {}
        }
    }
    @propertyWrapper public struct Environment<Value> {
        public init(_ path: KeyPath<EnvironmentValues, Value>) {}
        public var wrappedValue: Value { fatalError() }
    }
    extension View {
        public func frame(width: CGFloat?, height: CGFloat?) -> some View { EmptyView() }
        public func id(_ value: some Hashable) -> some View { EmptyView() }
        public func task(
            _ action: @escaping @MainActor @Sendable () async -> Void
        ) -> some View { EmptyView() }
        public func environment<V>(
            _ path: WritableKeyPath<EnvironmentValues, V>, _ value: V
        ) -> some View { EmptyView() }
        public nonisolated func onGeometryChange<T: Equatable & Sendable>(
            for type: T.Type, of transform: @escaping @Sendable (GeometryProxy) -> T,
            action: @escaping (T) -> Void
        ) -> some View { EmptyView() }
    }
    """#
