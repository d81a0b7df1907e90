@_exported public import Foundation

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View

    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

@resultBuilder public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { fatalError() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)> { fatalError() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> ConditionalContent<First, Second> { fatalError() }
    public static func buildEither<First: View, Second: View>(second: Second) -> ConditionalContent<First, Second> { fatalError() }
}

// SwiftUI's own name has an underscore.
public struct ConditionalContent<First: View, Second: View>: View {
    public var body: Never { fatalError() }
}

public struct TupleView<Content>: View {
    public var body: Never { fatalError() }
}

public struct EmptyView: View {
    public init() {}
    public var body: Never { fatalError() }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError() }
}

public protocol DynamicProperty {}

@propertyWrapper public struct State<Value>: DynamicProperty {
    public init(wrappedValue value: Value) { fatalError() }
    public init(initialValue value: Value) { fatalError() }

    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set { fatalError() }
    }
    public var projectedValue: Binding<Value> { fatalError() }
}

extension State: Sendable where Value: Sendable {}

@propertyWrapper public struct Binding<Value> {
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { fatalError() }

    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set { fatalError() }
    }
    public var projectedValue: Binding<Value> { fatalError() }
}

public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
    public init(_ value: String) { fatalError() }
    public init(stringLiteral value: String) { fatalError() }
}

public struct Text: Equatable, View {
    public init(_ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil) { fatalError() }
    @_disfavoredOverload public init<S: StringProtocol>(_ content: S) { fatalError() }
    public var body: Never { fatalError() }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {}

extension ForEach: View where Content: View {
    public var body: Never { fatalError() }
}

@MainActor @preconcurrency public struct List<SelectionValue: Hashable, Content: View>: View {
    public init<Data: RandomAccessCollection, RowContent: View>(
        _ data: Data,
        @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    ) where Content == ForEach<Data, Data.Element.ID, RowContent>, Data.Element: Identifiable, SelectionValue == Never { fatalError() }

    public var body: Never { fatalError() }
}

public struct ProgressView<Label: View, CurrentValueLabel: View>: View {
    public init() where Label == EmptyView, CurrentValueLabel == EmptyView { fatalError() }
    public var body: Never { fatalError() }
}

public struct Alignment: Equatable, Sendable {
    public static let center = Alignment()
}

extension View {
    public func overlay<V: View>(alignment: Alignment = .center, @ViewBuilder content: () -> V) -> some View { EmptyView() }
    public func navigationTitle(_ key: LocalizedStringKey) -> some View { EmptyView() }
    @_disfavoredOverload public func navigationTitle<S: StringProtocol>(_ title: S) -> some View { EmptyView() }
}

// MARK: Apps

@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene

    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: Scene {}

@resultBuilder public struct SceneBuilder {
    public static func buildExpression<Content: Scene>(_ content: Content) -> Content { content }
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene

    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}

public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) { fatalError() }
    public var body: Never { fatalError() }
}

public struct BackgroundTask<Request, Response> {
    public static func appRefresh(_ identifier: String) -> BackgroundTask<Void, Void> where Request == Void, Response == Void { fatalError() }
}

extension Scene {
    public func backgroundTask<D: Sendable, R: Sendable>(
        _ task: BackgroundTask<D, R>,
        action: @escaping @Sendable (D) async -> R
    ) -> some Scene { self }
}
