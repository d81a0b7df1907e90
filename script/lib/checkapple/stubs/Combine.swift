public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error

    func receive<S: Subscriber>(subscriber: S) where Failure == S.Failure, Output == S.Input
}

public protocol Subscriber<Input, Failure> {
    associatedtype Input
    associatedtype Failure: Error

    func receive(subscription: any Subscription)
    func receive(_ input: Input) -> Subscribers.Demand
    func receive(completion: Subscribers.Completion<Failure>)
}

public protocol Cancellable {
    func cancel()
}

public protocol Subscription: Cancellable {
    func request(_ demand: Subscribers.Demand)
}

public enum Subscribers {
    public struct Demand: Equatable, Comparable, Hashable, Sendable {
        public static let unlimited = Demand()
        public static let none = Demand()

        public var max: Int? { fatalError() }
        public static func max(_ value: Int) -> Demand { fatalError() }
        public static func < (left: Demand, right: Demand) -> Bool { fatalError() }
        public static func > (left: Demand, right: Int) -> Bool { fatalError() }
        public static func += (left: inout Demand, right: Demand) { fatalError() }
        public static func += (left: inout Demand, right: Int) { fatalError() }
        public static func -= (left: inout Demand, right: Demand) { fatalError() }
        public static func -= (left: inout Demand, right: Int) { fatalError() }
    }

    public enum Completion<Failure: Error> {
        case finished
        case failure(Failure)
    }
}

public struct AnyPublisher<Output, Failure: Error>: Publisher {
    public func receive<S: Subscriber>(subscriber: S) where Failure == S.Failure, Output == S.Input { fatalError() }
}

extension Publisher {
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { fatalError() }
}
