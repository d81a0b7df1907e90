import DatabaseRuntime
import Fleece

/// The objects that were created for a container's values, so that the same value returns the same object while that object is referenced
/// elsewhere (API 1.4). The table is created on first use, because most documents are read without one.
///
/// The first object of a dictionary is retained, which costs much less than a weak reference; it has no reference back
/// to its owner. Most dictionaries are never asked for a second object.
struct LazyContainerCache: ~Copyable, Sendable {
    private let keepsFirst: Bool
    private let first = SetOnceReference<FirstObject>()
    private let others = SetOnceReference<WeakObjects>()

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
        case .object(let object): return object
        case .scalar: return nil
        }
    }

    func object(for value: Value, in source: FleeceSource) -> PropertyObject? {
        var first = first.load()
        if first == nil, keepsFirst {
            guard let object = source.makeObject(for: value) else { return nil }
            first = self.first.storeIfNil(FirstObject(object, at: value.position))
        }
        if let first, first.position == value.position { return first.object }
        let others = others.load() ?? self.others.storeIfNil(WeakObjects())
        switch others.object(at: value.position, make: { source.makeObject(for: value)?.reference }) {
        case let blob as Blob: return .blob(blob)
        case let array as ArrayObject: return .array(array)
        case let dictionary as DictionaryObject: return .dictionary(dictionary)
        default: return nil
        }
    }
}
