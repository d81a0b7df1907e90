import Synchronization

/// An object that several threads may use.
public typealias SharedObject = AnyObject & Sendable

/// Objects by the positions of the encoded values for which they were made, so that the same value has the same object while that object is
/// referenced elsewhere. Thread-safe.
public final class WeakObjects: Sendable {
    private struct WeakReference {
        weak var object: (any SharedObject)?
    }

    private struct State {
        var objects: [Int: WeakReference] = [:]
        var pruningCount = 32

        /// Removes references to released objects, so that iterating over a long array does not accumulate them.
        mutating func prune() {
            objects = objects.filter { $0.value.object != nil }
            pruningCount = max(32, objects.count * 2)
        }
    }
    private let state = Mutex(State())

    public init() {}

    /// Returns the object for a position; if there is none, the one that `make` returns.
    public func object(at position: Int, make: () -> (any SharedObject)?) -> (any SharedObject)? {
        state.withLock { state -> (any SharedObject)? in
            if let object = state.objects[position]?.object { return object }
            guard let object = make() else { return nil }
            if state.objects.count >= state.pruningCount { state.prune() }
            state.objects[position] = WeakReference(object: object)
            return object
        }
    }
}
