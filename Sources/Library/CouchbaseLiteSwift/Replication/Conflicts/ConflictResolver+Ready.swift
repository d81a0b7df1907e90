#if Replication
import Fleece
import ModelCoding

// The resolvers that the library makes. Each leaves deletions to the rule of the default resolver, and adds the changes of counters.

extension ConflictResolver {
    /// A resolver that merges the versions property by property, by comparing both with their common ancestor.
    ///
    /// A property that only one version has changed, added or removed is as this version has it. The properties of a dictionary that both have
    /// changed are merged in the same way; arrays and blobs are replaced as a whole. If both have changed a property to different values, the
    /// newer version decides, also about a removal: the one with more changes in its history or, with equally many, the one with the greater
    /// revision ID. Changes of a ``Counter`` are added. A deletion wins.
    ///
    /// The result does not depend on which version is the local one, so that devices which resolve the same conflict agree. Without the common
    /// ancestor, see ``Conflict/baseDocument``, a property that only one version has is kept.
    public static var fieldByField: any ConflictResolverProtocol { FieldByField() }

    /// A resolver for which the version wins whose model has the greater value, such as the later date.
    ///
    /// ```swift
    /// configuration.conflictResolver = ConflictResolver.newest(\Note.changed)
    /// ```
    ///
    /// With equal values, the default resolver decides. A version that cannot be decoded as the model loses against one that can; a warning is
    /// logged. Changes of a ``Counter`` are added. A deletion wins.
    ///
    /// - Parameter keyPath: The property of the model.
    public static func newest<Model: Codable, Value: Comparable>(
        _ keyPath: KeyPath<Model, Value>
    ) -> any ConflictResolverProtocol {
        NewestModel<Model, Value>(keyPath: keyPath)
    }

    /// A resolver for which the version wins whose model has the greater value, as for a property that is no optional.
    /// `nil` is less than any value.
    public static func newest<Model: Codable, Value: Comparable>(
        _ keyPath: KeyPath<Model, Value?>
    ) -> any ConflictResolverProtocol {
        NewestOptional<Model, Value>(keyPath: keyPath)
    }

    /// A resolver for which the version wins that has the greater value of a property, such as the later date, as for a
    /// property of a model.
    ///
    /// Numbers are compared by value, ISO-8601 dates by time, and other strings by their bytes. A date is greater than a number, another string
    /// greater than a date, and a number greater than any other value or none.
    ///
    /// - Parameter property: The name of the property.
    public static func newest(_ property: String) -> any ConflictResolverProtocol {
        NewestProperty(property: property)
    }

    /// A resolver that calls a function with the versions as models.
    ///
    /// ```swift
    /// configuration.conflictResolver = ConflictResolver.merging(Note.self) { base, mine, theirs in
    ///     var note = theirs
    ///     note.tags = mine.tags + theirs.tags.filter { !mine.tags.contains($0) }
    ///     return note
    /// }
    /// ```
    ///
    /// The function is called on background threads; see ``ConflictResolverProtocol``. It is not called if a version is deleted: then the
    /// deletion wins. Properties that the type does not have are merged as by ``fieldByField``. A ``Counter`` has the sum of both versions'
    /// changes, whatever the function returns; what the function itself changes is added.
    ///
    /// If devices replicate with each other in both directions, the function should return the same for exchanged versions.
    ///
    /// - Parameters:
    ///   - type: The type of the models. An ID is not needed, but filled in if there is one.
    ///   - fallback: Resolves the conflict, after a warning was logged, if a version cannot be decoded, or the result not encoded. By default
    ///     ``default``.
    ///   - merge: Receives the common ancestor, the local version and that of the other side, and returns the result; `nil` deletes the document.
    ///     The ancestor is `nil` if there is no ``Conflict/baseDocument``, or if it cannot be decoded.
    @preconcurrency
    public static func merging<Model: Codable>(
        _ type: Model.Type,
        undecodable fallback: any ConflictResolverProtocol = ConflictResolver.default,
        _ merge: @escaping @Sendable (_ base: Model?, _ mine: Model, _ theirs: Model) -> Model?
    ) -> any ConflictResolverProtocol {
        TypedMerge(merge: merge, fallback: fallback)
    }
}

private struct FieldByField: ConflictResolverProtocol {
    func resolve(conflict: Conflict) -> Document? { conflict.merged(.properties) }
}

private struct NewestModel<Model: Codable, Value: Comparable>: ConflictResolverProtocol {
    // Safe because a key path is never changed. A literal in Swift 5 mode is not `Sendable`.
    nonisolated(unsafe) let keyPath: KeyPath<Model, Value>

    func resolve(conflict: Conflict) -> Document? { conflict.newest(Model.self) { $0[keyPath: keyPath] } }
}

private struct NewestOptional<Model: Codable, Value: Comparable>: ConflictResolverProtocol {
    // Safe, as above.
    nonisolated(unsafe) let keyPath: KeyPath<Model, Value?>

    func resolve(conflict: Conflict) -> Document? { conflict.newest(Model.self) { $0[keyPath: keyPath] } }
}

extension Conflict {
    /// Returns the version whose model has the greater value.
    fileprivate func newest<Model: Codable, Value: Comparable>(_ type: Model.Type, _ value: (Model) -> Value?) -> Document? {
        guard localDocument != nil, remoteDocument != nil else { return nil }
        let models = self.models(type)
        guard let local = models.local, let remote = models.remote else {
            // One that is decoded wins, even without a value.
            return merged(.counters, prefersLocal: models.local == nil && models.remote == nil ? nil : models.local != nil)
        }
        return merged(.counters, prefersLocal: isGreater(value(local), than: value(remote)))
    }
}

private struct NewestProperty: ConflictResolverProtocol {
    let property: String

    func resolve(conflict: Conflict) -> Document? {
        guard let local = conflict.localDocument, let remote = conflict.remoteDocument else { return nil }
        return conflict.merged(.counters, prefersLocal: isGreater(local.ranked(property), than: remote.ranked(property)))
    }
}

/// Returns whether the first value is greater; `nil` if they are equal. `nil` is less than any value.
private func isGreater<Value: Comparable>(_ first: Value?, than second: Value?) -> Bool? {
    guard let one = first, let other = second else { return first == nil && second == nil ? nil : first != nil }
    if one > other { return true }
    return one < other ? false : nil
}

private struct TypedMerge<Model: Codable>: ConflictResolverProtocol {
    let merge: @Sendable (Model?, Model, Model) -> Model?
    let fallback: any ConflictResolverProtocol

    func resolve(conflict: Conflict) -> Document? {
        do {
            return try conflict.merged(as: Model.self, merge)
        } catch {
            conflict.warn("another resolver decides: \(publicError(error).localizedDescription)")
            return fallback.resolve(conflict: conflict)
        }
    }
}

/// A value of a property that decides which version is the newer one. The cases are in ascending order.
private enum RankedValue: Comparable {
    case number(Double)
    case date(Date)
    case text(ExactText)

    /// A string that is ordered by its bytes.
    struct ExactText: Comparable {
        let bytes: [UInt8]

        static func < (left: ExactText, right: ExactText) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
    }
}

extension Document {
    fileprivate func ranked(_ property: String) -> RankedValue? {
        if let date = self.date(forKey: property) { return .date(date) }
        switch contents.value(forKey: property)?.resolved(in: contents.source) {
        case .scalar(.integer(let number)): return .number(Double(number))
        case .scalar(.unsigned(let number)): return .number(Double(number))
        case .scalar(.float(let number)): return .number(Double(number))
        case .scalar(.double(let number)): return .number(number)
        case .scalar(.string(let text)): return .text(RankedValue.ExactText(bytes: Array(text.utf8)))
        default: return nil
        }
    }
}
#endif
