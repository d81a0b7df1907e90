public import Dispatch

public struct NWPath: Equatable, Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }

    public let status: Status
}

public final class NWPathMonitor: Sendable {
    public init() {}

    @preconcurrency public final var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { fatalError() }
        set { fatalError() }
    }

    public final func start(queue: DispatchQueue) { fatalError() }
    public final func cancel() { fatalError() }
}
