import Synchronization

/// Finds the property of a certain type, such as a property wrapper, of a model. It remembers the place of the property for each type of models.
/// Thread-safe.
package final class PropertyFinder<Property>: Sendable {
    private struct Place {
        /// The number of steps from the type of the model to the superclass that declares the property.
        let ancestor: Int
        let index: Int
    }

    /// For each type seen so far, where the property is; `nil` for a type that has none.
    private let places = Mutex<[ObjectIdentifier: Place?]>([:])

    package init() {}

    /// Returns the first such property that the type of `model` declares, or else the nearest superclass that has one; `nil` if there is none.
    package func property(of model: Any) -> Property? {
        let type = ObjectIdentifier(Swift.type(of: model))
        let known = places.withLock { $0[type] }
        if case .some(.none) = known { return nil }
        let mirror = Mirror(reflecting: model)
        let place = known ?? Self.place(in: mirror)
        if known == nil { places.withLock { $0[type] = .some(place) } }
        guard let place, let properties = mirror.ancestor(place.ancestor)?.children else { return nil }
        // It is usually the first one, and moving an index of a mirror takes 2,000 instructions.
        let first = properties.startIndex
        return properties[place.index == 0 ? first : properties.index(first, offsetBy: place.index)].value as? Property
    }

    private static func place(in mirror: Mirror) -> Place? {
        var (current, ancestor) = (Optional(mirror), 0)
        while let mirror = current {
            if let found = mirror.children.enumerated().first(where: { $0.element.value is Property }) {
                return Place(ancestor: ancestor, index: found.offset)
            }
            (current, ancestor) = (mirror.superclassMirror, ancestor + 1)
        }
        return nil
    }
}

extension Mirror {
    /// Returns the mirror of the properties that a superclass declares, after a number of steps; this mirror for none.
    fileprivate func ancestor(_ steps: Int) -> Mirror? {
        steps == 0 ? self : superclassMirror?.ancestor(steps - 1)
    }
}
