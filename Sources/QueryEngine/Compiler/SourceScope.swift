import ExactStrings

/// A source of a query with everything known about it.
struct ResolvedSource {
    enum Kind {
        /// The documents of a collection.
        case documents(SourceTable)
        /// The elements of an array, one by one from the array itself.
        case elements
        /// The elements of an array, from the table of an array index.
        case arrayTable(String)
    }

    /// Which documents the source delivers (Query 5.1).
    enum Visibility {
        case live
        case deleted
        case all
    }

    var kind: Kind

    /// The name by which paths refer to the source, and its alias in SQL. The source of an index has none.
    var alias: String?

    /// In a trigger, which has no aliases, the name of the row.
    var rowName: String?

    /// The collection as written, when it goes by a path with a scope and not by an alias.
    var scopedPath: CollectionPath?

    /// As written.
    var syntax: Source

    var visibility = Visibility.live

    /// For elements: the position of the source that has the array, and the path of the array there.
    var parent: (index: Int, path: PropertyPath)?

    /// For elements: the collection they are from, and the path of the array in the form of array indexes, `a[].b`.
    var arrayOrigin: (table: SourceTable, path: String)?

    /// The prefix of its columns in SQL.
    var qualifier: String {
        (alias ?? rowName).map { SQLText.identifier($0) + "." } ?? ""
    }

    var table: SourceTable? {
        if case .documents(let table) = kind { table } else { nil }
    }
}

/// The sources of one SELECT, and what names in it mean (Query 1.4).
struct SourceScope {
    var sources: [ResolvedSource] = []

    var main: ResolvedSource? { sources.first }

    /// The source that the beginning of a path names, and the rest of the path.
    func explicitSource(of path: PropertyPath) -> (index: Int, rest: PropertyPath)? {
        guard let first = path.firstKey else { return nil }
        if let index = index(ofAlias: first) { return (index, path.dropFirst()) }
        let matches = sources.indices.filter { first.isExactly(sources[$0].scopedPath?.name) }
        if matches.count == 1 { return (matches[0], path.dropFirst()) }
        if path.components.count > 1, case .key(let second) = path.components[1],
            let index = index(ofAlias: "\(first).\(second)")
        {
            return (index, path.dropFirst(2))
        }
        return nil
    }

    /// What may stand in front of a name to say that it is one of a source: its alias; for a collection that goes by its path, its
    /// name alone too, if no other has it (Query 6.4).
    func prefixes(ofSourceAt position: Int) -> [String] {
        let source = sources[position]
        var names = [source.alias].compactMap(\.self)
        if let name = source.scopedPath?.name, index(ofAlias: name) == nil,
            sources.count(where: { name.isExactly($0.scopedPath?.name) }) == 1
        {
            names.append(name)
        }
        return names.filter { !$0.isEmpty }.map { $0 + "." }
    }

    /// The source a path belongs to; without an alias in front that is the only source there is.
    func source(of path: PropertyPath) -> (index: Int, rest: PropertyPath)? {
        if let explicit = explicitSource(of: path) { return explicit }
        // The whole document is that of the main source.
        if path.isEmpty, !sources.isEmpty { return (0, path) }
        return sources.count == 1 ? (0, path) : nil
    }

    /// The source of documents that `meta(alias)` is about. Without an alias there must be no other source.
    ///
    /// - Parameter field: What is asked of it, for the error.
    func documentSource(forMetaOf alias: String?, field: PropertyPath = [.key("meta()")]) throws(QueryError) -> Int {
        guard let alias else {
            guard sources.count < 2 else { throw QueryError.undeclaredAlias(field) }
            guard main?.table != nil else { throw QueryError.invalidQuery("meta() requires a collection") }
            return 0
        }
        guard let (index, rest) = explicitSource(of: [.key(alias)]), rest.isEmpty, sources[index].table != nil else {
            throw QueryError.invalidQuery("database alias '\(alias)' does not match a declared 'AS' alias")
        }
        return index
    }

    private func index(ofAlias alias: String) -> Int? {
        sources.firstIndex { alias.isExactly($0.alias) }
    }
}

/// The properties of the document itself that paths can name (Query 1.4), and the fields of `meta()`.
enum MetaField: String, CaseIterable {
    case id
    case sequence
    case deleted
    case expiration
    case revisionID
    case rowID

    /// The field a path names when it is nothing but that name.
    init?(path: PropertyPath) {
        guard let key = path.onlyKey, key.first == "_" else { return nil }
        self.init(rawValue: String(key.dropFirst()))
    }

    /// The field that `meta()` has under that name.
    init(metaKey key: String) throws(QueryError) {
        guard let field = MetaField.allCases.first(where: { $0.metaKey == key }) else {
            throw QueryError.invalidQuery("'\(key)' is not a valid Meta key")
        }
        self = field
    }

    private var metaKey: String { self == .rowID ? "rowid" : rawValue }

    /// The column or expression in SQL (Query 5.3).
    func sql(_ qualifier: String) -> String {
        switch self {
        case .id: "\(qualifier)key"
        case .sequence: "\(qualifier)sequence"
        case .deleted: "(\(qualifier)flags & 1 != 0)"
        case .expiration: "\(qualifier)expiration"
        case .revisionID: "fl_version(\(qualifier)version)"
        case .rowID: "\(qualifier)rowid"
        }
    }
}
