import Fleece
import QueryLanguage

/// A parser of the query engine.
package enum FuzzedParser: String, CaseIterable, Sendable {
    case sql
    case json
    case predicate
    case ordering
    case index
    case jsonIndex
    case path

    /// Parses a text and compiles the result.
    ///
    /// - Throws: The errors of the engine; an error if the result is not the same after writing and parsing it again.
    func read(_ text: String) throws {
        let resolver = NamesOnly()
        switch self {
        case .sql:
            try compile(try SQLPlusPlus.parse(text), resolver)
        case .json:
            try compile(try QueryJSON.parse(text), resolver)
        case .predicate:
            try compile(SelectStatement(condition: try PredicateString.parse(text)), resolver)
        case .ordering:
            let items = [SelectItem(try PredicateString.parseResult("count(1)"))]
            try compile(SelectStatement(items: items, ordering: [try PredicateString.parseOrdering(text)]), resolver)
        case .index:
            try index(try SQLPlusPlus.parseIndexExpressions(text), nil, resolver)
        case .jsonIndex:
            let (expressions, condition) = try QueryJSON.parseIndex(text)
            try index(expressions, condition, resolver)
        case .path:
            let path = try PropertyPath(encoded: text)
            let again = try PropertyPath(encoded: path.encoded)
            // A path that begins with an index has the same text as one with an empty first key, which is not possible.
            guard again == path else { throw NotTheSame(first: path.encoded, again: again.encoded) }
        }
    }

    /// Compiles a query, and checks that parsing its JSON returns the same query.
    private func compile(_ select: SelectStatement, _ resolver: NamesOnly) throws {
        let json = QueryJSON.text(of: select)
        let again = QueryJSON.text(of: try QueryJSON.parse(json))
        guard again == json else { throw NotTheSame(first: json, again: again) }
        _ = try QueryCompiler.compile(select, resolver: resolver)
    }

    private func index(_ expressions: [QueryExpression], _ condition: QueryExpression?, _ resolver: NamesOnly) throws {
        let table = NamesOnly.table(.defaultCollection)
        _ = try IndexCompiler.createValueIndex(name: "i", on: table, expressions: expressions, condition: condition)
    }

    /// Valid texts.
    var samples: [String] {
        switch self {
        case .sql: Self.queries + ConformanceTexts.sql
        case .json: Self.jsonQueries + ConformanceTexts.json
        case .predicate: Self.predicates + ConformanceTexts.predicates
        case .ordering:
            ["-name[c]", "sum(prices)[cd]", "a.b + 'x'", "-lowercase(x) [d]", "count(1)", "max(contact.zip) * 2"]
        case .index: Self.expressions + Self.queries.map { String($0.dropFirst("SELECT ".count).prefix(60)) }
        case .jsonIndex:
            [#"["name",[".geo.lat"],["lower()",[".x"]]]"#, #"{"WHAT":[[".name"]],"WHERE":["=",[".t"],"x"]}"#]
        case .path: ["a.b[0].c", "we\\.ird[-1]", "$x.\\$y", ".a.", "[5][6]", "é.日本[12]"]
        }
    }

    /// The tokens of the texts.
    var words: [String] {
        switch self {
        case .sql, .index: Self.sqlWords
        case .json, .jsonIndex: Self.jsonWords
        case .predicate, .ordering: Self.predicateWords
        case .path: [".", "[", "]", "\\", "$", "a", "-1", "0", "99999999999999999999", "é", "\u{0}", "[0]", "\\\\"]
        }
    }
}

private struct NotTheSame: Error {
    let first: String
    let again: String
}

/// A resolver without a database: it has the default collection, any collection whose name begins with a letter, and full-text indexes
/// on all.
private struct NamesOnly: CollectionResolver {
    let databaseName = "db"

    static func table(_ path: CollectionPath) -> SourceTable {
        let store = path == .defaultCollection ? "default" : ".\(path)"
        return SourceTable(
            storeName: store,
            liveTable: "kv_" + store,
            deletedTable: "kv_del_" + store,
            isDefault: path == .defaultCollection
        )
    }

    func table(forCollection path: CollectionPath) -> SourceTable? {
        path.name?.first?.isLetter == false && path != .defaultCollection ? nil : Self.table(path)
    }

    func fullTextTable(ofIndex index: String, in table: SourceTable) -> String? {
        index.hasPrefix("i") ? "\(table.liveTable)::\(index)" : nil
    }
}
