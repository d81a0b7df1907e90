import Fleece
import Synchronization

/// The objects that were created for a container's values, so that the same value returns the same object while that
/// object is referenced elsewhere (API 1.4).
final class ContainerCache: Sendable {
    private struct WeakReference {
        weak var object: AnyObject?
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

    /// Returns the cached object for `value`, or creates it with `source`.
    func object(for value: Value, in source: FleeceSource) -> PropertyObject? {
        state.withLock { state -> PropertyObject? in
            switch state.objects[value.position]?.object {
            case let blob as Blob: return .blob(blob)
            case let array as ArrayObject: return .array(array)
            case let dictionary as DictionaryObject: return .dictionary(dictionary)
            default: break
            }
            guard let object = source.makeObject(for: value) else { return nil }
            if state.objects.count >= state.pruningCount { state.prune() }
            state.objects[value.position] = WeakReference(object: object.reference)
            return object
        }
    }
}

/// A cache that is created on first use, because most documents are read without one.
///
/// The first object of a dictionary is retained, which costs much less than a weak reference; it has no reference back
/// to its owner. Most dictionaries are never asked for a second object.
struct LazyContainerCache: ~Copyable, Sendable {
    private let keepsFirst: Bool
    private let first = SetOnceReference<FirstObject>()
    private let others = SetOnceReference<ContainerCache>()

    /// - Parameter keepsFirst: Whether the first object may be retained as long as the owner exists, even if nothing else references it.
    init(keepsFirst: Bool) { self.keepsFirst = keepsFirst }

    final class FirstObject: Sendable {
        let position: Int
        let object: PropertyObject

        init(_ object: PropertyObject, at position: Int) { (self.object, self.position) = (object, position) }
    }

    /// Returns the blob, array or dictionary that `value` is; for a stored one, the object for that part of the data of `source`.
    func object(of value: PropertyValue, in source: FleeceSource?) -> PropertyObject? {
        switch value {
        case .stored(let stored):
            guard let source, stored.type == .array || stored.type == .dictionary else { return nil }
            return object(for: stored, in: source)
        case .blob(let blob): return .blob(blob)
        case .array(let array): return .array(array)
        case .dictionary(let dictionary): return .dictionary(dictionary)
        default: return nil
        }
    }

    func object(for value: Value, in source: FleeceSource) -> PropertyObject? {
        var first = first.load()
        if first == nil, keepsFirst {
            guard let object = source.makeObject(for: value) else { return nil }
            first = self.first.storeIfNil(FirstObject(object, at: value.position))
        }
        if let first, first.position == value.position { return first.object }
        let cache = others.load() ?? others.storeIfNil(ContainerCache())
        return cache.object(for: value, in: source)
    }
}
