import QueryEngine

/// A model that says itself under which keys documents keep its properties.
///
/// There is rarely need for it: a query finds the keys by decoding made-up documents, or by the names of stored properties. Only
/// a type that refuses made-up values, and is no structure or final class with plain properties, has to name them.
///
/// ```swift
/// extension Flight: DocumentKeyProviding {
///     static var documentKeys: [AnyKeyPath: String] { [\Flight.number: "no", \Flight.gate: "place.gate"] }
/// }
/// ```
public protocol DocumentKeyProviding {
    /// For key paths of this type, the path of the property in documents.
    static var documentKeys: [AnyKeyPath: String] { get }
}

/// What a key path of a model stands for in documents.
enum ModelKeyPath {
    /// The ID of the document.
    case id
    case property(PropertyPath)

    /// Finds it out.
    ///
    /// - Throws: `invalidQuery` for what is not stored, such as a computed property.
    init(_ keyPath: AnyKeyPath, of type: Any.Type) throws(QueryError) {
        if let provider = type as? any DocumentKeyProviding.Type, let path = provider.documentKeys[keyPath] {
            self = .property(try PropertyPath(encoded: path))
            return
        }
        guard let model = type as? any Decodable.Type else { throw PredicateTranslator.unsupported("\(type) is not Decodable") }
        self = try Self.find(keyPath, in: model)
    }

    private static func find<Model: Decodable>(_ keyPath: AnyKeyPath, in model: Model.Type) throws(QueryError) -> ModelKeyPath {
        guard let keyPath = keyPath as? PartialKeyPath<Model> else {
            throw PredicateTranslator.unsupported("\(keyPath) is not a property of \(model)")
        }
        let probe = ModelProbe(model)
        switch probe.place(of: keyPath) {
        case .found(let path): return .property(PropertyPath(path.map { .key($0) }))
        case .id: return .id
        case .unknown:
            // Types that refuse made-up values, and optional properties of such types.
            if let name = keyPath.storedName, probe.accepts(key: name) { return .property([.key(name)]) }
            throw PredicateTranslator.unsupported(
                "\(keyPath.storedName ?? "a property") of \(model) is not found in documents; see DocumentKeyProviding"
            )
        case .computed:
            throw PredicateTranslator.unsupported("a property of \(model) is computed, documents do not keep it")
        }
    }
}

extension PartialKeyPath {
    /// The name of a stored property of a structure or final class; nil for others, of which nobody knows the names.
    fileprivate var storedName: String? {
        let start = "\\\(Root.self)."
        guard debugDescription.hasPrefix(start) else { return nil }
        let name = debugDescription.dropFirst(start.count)
        return name.contains { ".<?!".contains($0) } ? nil : String(name)
    }
}
