import Base

/// `search({…})` in FROM: the best documents of a collection for words, for a vector, or for both (Query 12.7).
///
/// Each half is a query of its own, whose rows are the row numbers of documents and their scores or distances, best first. The fusion of both
/// is computed when the query runs.
package struct SearchSource: Sendable, Hashable {
    /// The arguments as written.
    package let arguments: [DictionaryEntry]

    /// The collection that is searched.
    package let collection: CollectionPath

    /// The name of the full-text index; `nil` if no words are searched.
    package let textIndex: String?
    /// The query for the words: the row numbers and scores of the best documents, best first.
    package let text: SelectStatement?

    /// The expression of the vector index; `nil` if no vector is searched.
    package let vectorExpression: QueryExpression?
    /// The query for the vector: the row numbers and distances of the nearest documents, nearest first.
    package let vector: SelectStatement?

    /// The values that are computed when the query runs: of ``SearchArgument/fusion`` and the ones after it. `nil` if they are not given.
    package func setting(_ argument: SearchArgument) -> QueryExpression? { SearchArguments(arguments)[argument] }

    /// The alias if none is written, which is the name of the function.
    package static let functionName = "search"

    /// The titles of the columns of a row.
    package static let columns = ["document", "id", "score", "textScore", "vectorDistance", "snippet"]

    /// The largest number of documents, of each half and of the result.
    package static let maximumCount = 10_000

    /// The number of levels of a query that a search counts as. Both halves contain the condition, so each level of searches in conditions doubles
    /// the number of queries that are compiled. This limits the levels to five in SQL++ and six in JSON.
    static let nestingCost = 2 * SelectStatement.nestingCost

    /// The number of documents that are returned if no limit is given.
    package static let usualLimit = 10

    /// Returns how many documents each half contributes to so many fused ones, if the number is not given: a document that is far down in both
    /// lists can be ahead of the first ones of each.
    package static func candidateCount(limit: Int) -> Int { max(50, min(limit, maximumCount / 4) * 4) }

    /// Creates a source with these arguments.
    ///
    /// - Throws: ``QueryError`` that names the argument, if one is unknown or missing, or has a value that it cannot have.
    package init(_ arguments: [DictionaryEntry]) throws(QueryError) {
        try Self.checkNames(arguments)
        let given = SearchArguments(arguments)
        try given.checkPairs()
        for argument in SearchArgument.allCases where argument.isIndependent { try given.checkIndependence(of: argument) }
        try given.checkSettings()
        let (path, index) = (try given.collection(), try given.text(of: .in))
        let expression = try given.indexedExpression()
        let count = given.candidateCount(isFused: index != nil && expression != nil)
        text = index.map { given.search(of: path, $0, limit: count) }
        vector = expression.map { given.search(of: path, by: $0, limit: count) }
        (self.arguments, collection, textIndex, vectorExpression) = (arguments, path, index, expression)
    }

    private static func checkNames(_ arguments: [DictionaryEntry]) throws(QueryError) {
        let names = SearchArgument.allCases.map(\.name)
        var found: [String] = []
        for entry in arguments {
            guard names.contains(where: { $0.isExactly(entry.key) }) else {
                let meant = entry.key.nearest(in: names).map { "did you mean '\($0)'? " } ?? ""
                throw .invalidQuery(
                    "search() has no argument '\(entry.key)'",
                    hint: "; \(meant)its arguments are \(names.joined(separator: ", "))"
                )
            }
            guard !found.contains(where: { $0.isExactly(entry.key) }) else {
                throw .invalidQuery("search() has the argument '\(entry.key)' twice")
            }
            found.append(entry.key)
        }
    }

    /// Returns the source with changed values.
    ///
    /// - Throws: ``QueryError`` as the initializer.
    func mapValues(_ change: (QueryExpression) throws(QueryError) -> QueryExpression) throws(QueryError) -> SearchSource {
        try SearchSource(
            arguments.map { entry throws(QueryError) in DictionaryEntry(key: entry.key, value: try change(entry.value)) }
        )
    }

    /// Calls `body` with the queries of both halves, and with the other expressions of the arguments.
    func forEachExpression<Failure>(_ body: (QueryExpression) throws(Failure) -> Void) throws(Failure) {
        for half in [text, vector].compactMap(\.self) { try body(.select(half)) }
        for argument in SearchArgument.settings { if let value = setting(argument) { try body(value) } }
    }
}

/// The arguments while a source is created.
private struct SearchArguments {
    private let entries: [DictionaryEntry]

    init(_ entries: [DictionaryEntry]) { self.entries = entries }

    subscript(_ argument: SearchArgument) -> QueryExpression? { entries.first { argument.name.isExactly($0.key) }?.value }

    /// Checks that there is something to search for, and where.
    func checkPairs() throws(QueryError) {
        for (what, place, name) in [(SearchArgument.text, SearchArgument.in, "full-text"), (.vector, .by, "vector")] {
            if self[what] != nil, self[place] == nil {
                throw .invalidQuery("search() needs the argument '\(place.name)', the \(name) index, because it has '\(what.name)'")
            }
            if self[what] == nil, self[place] != nil {
                throw .invalidQuery("search() needs the argument '\(what.name)', because it has '\(place.name)'")
            }
        }
        guard self[.text] != nil || self[.vector] != nil else {
            throw .invalidQuery("search() needs the argument 'text' with 'in', or 'vector' with 'by', or all of them")
        }
    }

    /// Returns a text that must be known before the query runs.
    func text(of argument: SearchArgument) throws(QueryError) -> String? {
        guard let value = self[argument] else { return nil }
        guard case .string(let text) = value, !text.isEmpty else { throw argument.wrongValue() }
        return text
    }

    func collection() throws(QueryError) -> CollectionPath {
        guard let written = try text(of: .of) else { return CollectionPath() }
        let names = written.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard names.count <= 2, names.allSatisfy({ !$0.isEmpty }), let name = names.last else {
            throw SearchArgument.of.error("must be the name of a collection, as 'collection' or 'scope.collection', not '\(written)'")
        }
        return CollectionPath(scope: names.count == 2 ? names[0] : nil, name: name)
    }

    func indexedExpression() throws(QueryError) -> QueryExpression? {
        guard case .string? = self[.by] else { return self[.by] }
        throw SearchArgument.by.error("must be the expression of a vector index")
    }

    func checkIndependence(of argument: SearchArgument) throws(QueryError) {
        guard let value = self[argument] else { return }
        if value.containsNestedQuery || value.contains(where: \.readsDocument) { throw argument.error("must not depend on documents") }
    }

    // MARK: Settings

    /// Checks the values that are literals. Those of parameters are checked when the query runs.
    func checkSettings() throws(QueryError) {
        if let fusion = self[.fusion], fusion.isLiteral, fusion != .string("rrf"), fusion != .string("weighted") {
            throw SearchArgument.fusion.wrongValue()
        }
        if self[.fusion] == .string("weighted"), let k = self[.k], k.isLiteral {
            throw SearchArgument.misplacedK
        }
        for argument in [SearchArgument.k, .textWeight, .vectorWeight] {
            guard let value = self[argument], value.isLiteral else { continue }
            guard let number = value.number, number >= 0, number.isFinite else { throw argument.wrongValue() }
        }
        for argument in [SearchArgument.limit, .candidates] {
            guard let value = self[argument], value.isLiteral else { continue }
            guard case .integer(let number) = value, number >= 0, number <= SearchSource.maximumCount else {
                throw argument.wrongValue()
            }
        }
    }

    /// Returns the number of documents that each half contributes.
    ///
    /// - Parameter isFused: Whether there are both halves.
    func candidateCount(isFused: Bool) -> QueryExpression {
        if let candidates = self[.candidates] { return candidates }
        let limit = self[.limit] ?? .integer(Int64(SearchSource.usualLimit))
        guard isFused else { return limit }
        if case .integer(let number) = limit {
            return .integer(Int64(SearchSource.candidateCount(limit: Int(clamping: number))))
        }
        // The same for a number that is not known yet.
        let most = Int64(SearchSource.maximumCount)
        return .conditional(
            subject: nil,
            branches: [
                ConditionalBranch(when: .operation(.greater, [limit, .integer(most / 4)]), then: .integer(most)),
                ConditionalBranch(
                    when: .operation(.greater, [limit, .integer(12)]),
                    then: .operation(.multiply, [limit, .integer(4)])
                ),
            ],
            otherwise: .integer(50)
        )
    }

    // MARK: Halves

    /// The row number of a document.
    private static let rowNumber = QueryExpression.nested(.meta(alias: nil), [.key("rowid")])

    func search(of collection: CollectionPath, _ index: String, limit: QueryExpression) -> SelectStatement {
        let match = QueryExpression.match(index: index, pattern: self[.text] ?? .null)
        return SelectStatement(
            items: [SelectItem(Self.rowNumber), SelectItem(.search(.bm25, index: index, arguments: []))],
            sources: [.collection(collection)],
            condition: self[.where].map { .operation(.and, [match, $0]) } ?? match,
            ordering: [OrderingTerm(.integer(2), isDescending: true), OrderingTerm(.integer(1))],
            limit: limit
        )
    }

    func search(of collection: CollectionPath, by expression: QueryExpression, limit: QueryExpression) -> SelectStatement {
        let distance = QueryExpression.function(name: QueryExpression.vectorDistance, arguments: [expression, self[.vector] ?? .null])
        return SelectStatement(
            items: [SelectItem(Self.rowNumber), SelectItem(distance)],
            sources: [.collection(collection)],
            condition: self[.where],
            ordering: [OrderingTerm(.integer(2)), OrderingTerm(.integer(1))],
            limit: limit
        )
    }
}

extension QueryExpression {
    /// Whether the value is known before the query runs.
    fileprivate var isLiteral: Bool {
        switch self {
        case .boolean, .integer, .double, .string, .array, .dictionary: true
        case .operation(.subtract, let operands): operands.count == 1 && operands[0].isLiteral
        default: false
        }
    }

    fileprivate var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}
