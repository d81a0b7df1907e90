package import QueryLanguage

/// The document property to which a key path of a model refers.
enum ModelKeyPath {
    /// The ID of the document.
    case id
    case property(PropertyPath)

    /// Determines the document property for a key path.
    ///
    /// - Throws: `invalidQuery` if the property is not stored in documents, such as a computed property.
    init(_ keyPath: AnyKeyPath, of type: Any.Type, _ types: ModelTypes) throws(QueryError) {
        if let path = types.documentKeys(type)?[keyPath] {
            self = .property(try PropertyPath(encoded: path))
            return
        }
        guard let model = type as? any Decodable.Type else { throw .unsupportedPredicate("\(type) is not Decodable") }
        self = try Self.find(keyPath, in: model, types)
    }

    var isID: Bool { if case .id = self { true } else { false } }

    /// Returns ``id`` if this is the property that represents the ID of the document.
    func identified(by idKey: String?) -> ModelKeyPath {
        if let idKey, case .property(let path) = self, path == [.key(idKey)] { return .id }
        return self
    }

    private static func find<Model: Decodable>(
        _ keyPath: AnyKeyPath,
        in model: Model.Type,
        _ types: ModelTypes
    ) throws(QueryError) -> ModelKeyPath {
        guard let keyPath = keyPath as? PartialKeyPath<Model> else {
            throw .unsupportedPredicate("\(keyPath) is not a property of \(model)")
        }
        let probe = ModelProbe(model, types)
        switch probe.place(of: keyPath) {
        case .found(let path): return .property(PropertyPath(path.map { .key($0) }))
        case .id: return .id
        case .unknown:
            // The type rejects sample values, or the property is an optional of such a type.
            if let name = keyPath.storedName, probe.accepts(key: name) { return .property([.key(name)]) }
            let property = "\(keyPath.storedName ?? "a property") of \(model)"
            guard let rejecting = probe.rejecting, rejecting is any RawRepresentable.Type else {
                throw .unsupportedPredicate("\(property) is not found in documents; see DocumentKeyProviding")
            }
            throw .unsupportedPredicate(
                """
                \(property) is not found in documents, because no case of \(rejecting) is known; declare it CaseIterable, or see \
                DocumentKeyProviding
                """
            )
        case .tooLarge:
            throw .unsupportedPredicate(
                """
                \(model) has more than \(ProbeRecord.maximumLeafCount) values, too many to find out where a property is stored; see \
                DocumentKeyProviding
                """
            )
        case .computed:
            throw .unsupportedPredicate("a property of \(model) is computed and not stored in documents")
        }
    }
}

extension QueryError {
    /// Returns the error that a predicate has no counterpart in the query language.
    package static func unsupportedPredicate(_ reason: String) -> QueryError {
        .invalidQuery("The predicate cannot be translated to a query: \(reason)")
    }
}

extension PartialKeyPath {
    /// The name of a stored property of a structure or final class; `nil` for other key paths, which do not reveal a name.
    fileprivate var storedName: String? {
        let start = "\\\(Root.self)."
        guard debugDescription.hasPrefix(start) else { return nil }
        let name = debugDescription.dropFirst(start.count)
        return name.contains { ".<?!".contains($0) } ? nil : String(name)
    }
}
