import Base

/// A source of a query whose name is resolved.
package struct ResolvedSource {
    /// Where the rows of the source come from.
    package enum Kind {
        /// The documents of a collection.
        case documents(SourceTable)
        /// The elements of an array, read from the array itself.
        case elements
        /// The elements of an array, from the table of an array index.
        case arrayTable(String)
        /// The rows of a nested query.
        case rows(NestedRows)
    }

    /// The documents that the source includes (Query 5.1).
    enum Visibility {
        case live
        case deleted
        case all
    }

    /// Where the rows of the source come from.
    package var kind: Kind

    /// The name by which paths refer to the source, and its alias in SQL; `nil` for the source of an index.
    package var alias: String?

    /// The name of the row in a trigger, where there are no aliases.
    var rowName: String?

    /// The collection as written, if it has a scope and no alias.
    var scopedPath: CollectionPath?

    /// The source as written.
    package var syntax: Source

    var visibility = Visibility.live

    /// For elements: the position of the source that contains the array, and the path of the array there.
    var parent: (index: Int, path: PropertyPath)?

    /// For elements: the collection that contains them, and the path of the array in the form of array indexes, `a[].b`.
    package var arrayOrigin: (table: SourceTable, path: String)?

    /// The prefix of the source's columns in SQL.
    var qualifier: String {
        (alias ?? rowName).map { SQLText.identifier($0) + "." } ?? ""
    }

    /// The collection; `nil` if the source is not the documents of one.
    package var table: SourceTable? {
        if case .documents(let table) = kind { table } else { nil }
    }
}

/// The sources of one SELECT, which resolve the names in it (Query 1.4).
package struct SourceScope {
    /// The sources in the order of FROM, the main one first.
    package var sources: [ResolvedSource] = []

    var main: ResolvedSource? { sources.first }

    /// Returns the source that a path names at its beginning, and the rest of the path; `nil` if it names none.
    package func explicitSource(of path: PropertyPath) -> (index: Int, rest: PropertyPath)? {
        guard let first = path.firstKey else { return nil }
        if let index = self.index(ofAlias: first) { return (index, path.dropFirst()) }
        let matches = sources.indices.filter { first.isExactly(sources[$0].scopedPath?.name) }
        if matches.count == 1 { return (matches[0], path.dropFirst()) }
        if path.components.count > 1, case .key(let second) = path.components[1],
            let index = self.index(ofAlias: "\(first).\(second)")
        {
            return (index, path.dropFirst(2))
        }
        return nil
    }

    /// Returns the prefixes that can assign a name to a source: its alias and, for a collection without alias, its name without scope if no
    /// other source has that name (Query 6.4).
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

    /// Returns the source that a path belongs to. A path without an alias belongs to the only source; `nil` if there are several.
    package func source(of path: PropertyPath) -> (index: Int, rest: PropertyPath)? {
        if let explicit = explicitSource(of: path) { return explicit }
        // An empty path denotes the document of the main source.
        if path.isEmpty, !sources.isEmpty { return (0, path) }
        return sources.count == 1 ? (0, path) : nil
    }

    /// Returns the source of documents that `meta(alias)` refers to. Without an alias, there must be only one source.
    ///
    /// - Parameter field: The requested field, for the error message.
    /// - Throws: ``QueryError`` if `alias` is no source of documents, or without an alias if there is not exactly one source.
    package func documentSource(forMetaOf alias: String?, field: PropertyPath = [.key("meta()")]) throws(QueryError) -> Int {
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
package enum MetaField: String, CaseIterable {
    /// The document ID.
    case id
    /// The sequence of the current revision.
    case sequence
    /// Whether the document is deleted. A query that does not mention this reads live documents only.
    case deleted
    /// The time of expiration in milliseconds since 1970; MISSING if there is none.
    case expiration
    /// The revision ID as a text.
    case revisionID
    /// The row ID of the document in its table, which joins it with the tables of indexes.
    case rowID

    /// Creates the field that a path names; `nil` if the path is not just the name of a field.
    package init?(path: PropertyPath) {
        guard let key = path.onlyKey, key.first == "_" else { return nil }
        self.init(rawValue: String(key.dropFirst()))
    }

    /// Creates the field with this name in `meta()`.
    ///
    /// - Throws: ``QueryError`` if there is no such field.
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
