public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error

    func receive<S: Subscriber>(subscriber: S) where Failure == S.Failure, Output == S.Input
}

public protocol Subscriber<Input, Failure> {
    associatedtype Input
    associatedtype Failure: Error
}

public protocol Cancellable {
    func cancel()
}

public protocol Subscription: Cancellable {}

public protocol Subject<Output, Failure>: AnyObject, Publisher {
    func send(_ value: Output)
}

public enum Subscribers {
    public struct Demand: Equatable, Sendable {}

    public enum Completion<Failure: Error> {
        case finished
        case failure(Failure)
    }
}

public enum Publishers {
    public struct HandleEvents<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public func receive<S: Subscriber>(subscriber: S) where Failure == S.Failure, Output == S.Input { fatalError() }
    }
}

public struct AnyPublisher<Output, Failure: Error>: Publisher {
    public func receive<S: Subscriber>(subscriber: S) where Failure == S.Failure, Output == S.Input { fatalError() }
}

public struct Deferred<DeferredPublisher: Publisher>: Publisher {
    public typealias Output = DeferredPublisher.Output
    public typealias Failure = DeferredPublisher.Failure

    public init(createPublisher: @escaping () -> DeferredPublisher) { fatalError() }

    public func receive<S: Subscriber>(subscriber: S) where Failure == S.Failure, Output == S.Input { fatalError() }
}

public final class PassthroughSubject<Output, Failure: Error>: Subject {
    public init() {}

    public final func send(_ input: Output) { fatalError() }
    public final func receive<S: Subscriber>(subscriber: S) where Failure == S.Failure, Output == S.Input { fatalError() }
}

extension Publisher {
    public func handleEvents(
        receiveSubscription: ((any Subscription) -> Void)? = nil,
        receiveOutput: ((Output) -> Void)? = nil,
        receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
        receiveCancel: (() -> Void)? = nil,
        receiveRequest: ((Subscribers.Demand) -> Void)? = nil
    ) -> Publishers.HandleEvents<Self> { fatalError() }

    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { fatalError() }
}
