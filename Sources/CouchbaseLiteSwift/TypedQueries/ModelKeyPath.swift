import QueryEngine

/// A model type that specifies the document keys of its properties.
///
/// Rarely needed: by default a query determines the keys by decoding sample documents, or from the names of stored properties. Only a type
/// that rejects the sample values, and is not a structure or final class with plain properties, has to specify its keys.
///
/// ```swift
/// extension Flight: DocumentKeyProviding {
///     static var documentKeys: [AnyKeyPath: String] { [\Flight.number: "no", \Flight.gate: "place.gate"] }
/// }
/// ```
public protocol DocumentKeyProviding {
    /// For key paths of this type, the paths of the properties in documents. Read each time a query with such a key path is created.
    static var documentKeys: [AnyKeyPath: String] { get }
}

/// The document property to which a key path of a model refers.
enum ModelKeyPath {
    /// The ID of the document.
    case id
    case property(PropertyPath)

    /// Determines the document property for a key path.
    ///
    /// - Throws: `invalidQuery` if the property is not stored in documents, such as a computed property.
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
            // The type rejects sample values, or the property is an optional of such a type.
            if let name = keyPath.storedName, probe.accepts(key: name) { return .property([.key(name)]) }
            throw PredicateTranslator.unsupported(
                "\(keyPath.storedName ?? "a property") of \(model) is not found in documents; see DocumentKeyProviding"
            )
        case .tooLarge:
            throw PredicateTranslator.unsupported(
                """
                \(model) has more than \(ProbeRecord.maximumLeafCount) values, too many to find out where a property is stored; see \
                DocumentKeyProviding
                """
            )
        case .computed:
            throw PredicateTranslator.unsupported("a property of \(model) is computed and not stored in documents")
        }
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
