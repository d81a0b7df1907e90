import DocumentStore
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport

/// Copies of a database with indexes, in which every query must return the same rows.
struct IndexedCopies {
    /// A copy, and what distinguishes it.
    struct Copy {
        let name: String
        let file: DatabaseFile
    }

    private(set) var copies: [Copy] = []
    /// The definitions of the indexes, for reports.
    private(set) var definitions: [String] = []

    /// Creates a copy with value indexes on expressions that the queries contain, and one with partial and array indexes.
    init(of file: DatabaseFile, in directory: TemporaryDirectory, for queries: [GeneratedQuery], _ generator: inout ExpressionGenerator)
        throws
    {
        var expressions: [QueryExpression] = []
        var conditions: [QueryExpression] = []
        for query in queries {
            expressions += query.select.indexable
            conditions += query.select.indexableConditions
        }
        expressions.shuffle(using: &generator.values.random)
        conditions.shuffle(using: &generator.values.random)
        let fitting = try add("fitting", of: file, in: directory)
        try create(expressions.prefix(24).map { ([$0], nil) }, on: fitting, "fitting")
        try create(
            [(Array(expressions.dropFirst(24).prefix(2)), nil), (Array(expressions.dropFirst(26).prefix(3)), nil)],
            on: fitting,
            "several"
        )
        let partial = try add("partial", of: file, in: directory)
        try create(
            conditions.prefix(12).map { condition in ([.property(generator.path())], condition) }
                + conditions.dropFirst(12).prefix(6).map { condition in ([condition], condition) },
            on: partial,
            "partial"
        )
        try createArrayIndexes(on: partial)
    }

    private mutating func add(_ name: String, of file: DatabaseFile, in directory: TemporaryDirectory) throws -> DatabaseFile {
        var options = DatabaseFile.Options()
        options.supportQueries()
        let path = directory.path("\(name).cblite2")
        try DatabaseCopy.copy(file.bundle, to: BundlePath(path), options: options)
        let copy = try DatabaseRegistry.open(path, options: options)
        copies.append(Copy(name: name, file: copy))
        return copy
    }

    /// Creates value indexes. Leaves those out that SQLite does not allow.
    private mutating func create(_ indexes: [([QueryExpression], QueryExpression?)], on file: DatabaseFile, _ name: String) throws {
        let collection = try file.createCollection(.default)
        let table = SourceTable(
            storeName: collection.tables.store,
            liveTable: collection.tables.liveName,
            deletedTable: collection.tables.tombstoneName,
            isDefault: true
        )
        let statements = indexes.enumerated().compactMap { number, index in
            try? IndexCompiler.createValueIndex(name: "\(name)\(number)", on: table, expressions: index.0, condition: index.1)
        }
        definitions += try file.transaction { writer in
            statements.filter { (try? writer.connection.execute($0)) != nil }
        }
    }

    private mutating func createArrayIndexes(on file: DatabaseFile) throws {
        let collection = try file.createCollection(.default)
        for path in ["t", "o", "a", "b", "t[].x", "o[].a"] {
            for (number, text) in ["", "x, y"].enumerated() {
                try IndexRegistry(file).create(
                    IndexDefinition(name: "\(path) \(number)", kind: .array(path: path), text: text),
                    on: collection
                )
                definitions.append("array index on \(path), \(text)")
            }
        }
    }

    func close() { for copy in copies { try? DatabaseRegistry.close(copy.file) } }
}

extension SelectStatement {
    /// The alias of the main source, if that is the default collection; `nil` otherwise.
    private var mainAlias: String? {
        guard let main = sources.first else { return hasNoSource ? nil : "_doc" }
        guard case .collection(let path) = main.origin, path.isDefaultCollection else { return nil }
        return main.alias ?? path.description
    }

    /// The expressions of the query, and those in them, that depend on a document of the default collection and on nothing else, relative to
    /// the document.
    fileprivate var indexable: [QueryExpression] {
        guard let alias = mainAlias else { return [] }
        var found: [QueryExpression] = []
        let all = [condition].compactMap(\.self) + grouping + ordering.map(\.expression) + items.map(\.expression)
        for expression in all {
            expression.forEachPart { part in
                if let relative = part.relative(to: alias, isOnly: sources.count < 2) { found.append(relative) }
            }
        }
        return found
    }

    /// The conditions that must hold for all rows, as far as they are ``indexable``.
    fileprivate var indexableConditions: [QueryExpression] {
        guard let alias = mainAlias, let condition else { return [] }
        var found: [QueryExpression] = []
        func collect(_ condition: QueryExpression) {
            if let relative = condition.relative(to: alias, isOnly: sources.count < 2) { found.append(relative) }
            if case .operation(.and, let operands) = condition { operands.forEach(collect) }
        }
        collect(condition)
        return found
    }
}

extension QueryExpression {
    fileprivate func forEachPart(_ body: (QueryExpression) -> Void) {
        body(self)
        forEachChild { $0.forEachPart(body) }
    }

    /// Returns the expression without the alias; `nil` if it cannot be indexed.
    ///
    /// - Parameter isOnly: Whether there is no other source, so that paths need no alias.
    fileprivate func relative(to alias: String, isOnly: Bool) -> QueryExpression? {
        var (isUsable, readsProperty) = (true, false)
        forEachPart { part in
            switch part {
            case .property(let path):
                readsProperty = true
                if !isOnly, path.firstKey != alias { isUsable = false }
                if path.components.contains(where: { if case .key(let key) = $0 { key.hasPrefix("_") } else { false } }) {
                    isUsable = false
                }
            case .parameter, .variable, .select, .meta, .distinct, .nested: isUsable = false
            case .function(let name, _): if OracleFunctions.aggregates.contains(name.lowercased()) { isUsable = false }
            default: break
            }
        }
        guard isUsable, readsProperty else { return nil }
        func relative(_ part: QueryExpression) -> QueryExpression {
            guard case .property(let path) = part else { return part.mapChildren(relative) }
            return .property(path.firstKey == alias ? path.dropFirst() : path)
        }
        return relative(self)
    }
}
