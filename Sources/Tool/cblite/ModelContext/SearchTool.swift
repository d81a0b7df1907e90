import CouchbaseLiteSwift

/// Finds documents by words.
struct SearchTool: AssistantTool {
    let name = "search"
    let description = """
        Finds documents by words in a full-text index, best matches first: their IDs, ranks (BM25), parts of the text with the words \
        between **, and documents. The words may end with * for a prefix; "two words" is a phrase; OR, NOT and NEAR are operators.
        """
    let arguments = [
        ToolArgument.database, .collection, ToolArgument("words", .string, "The words to find.", isRequired: true),
        ToolArgument("index", .string, "The full-text index. May be omitted if the collection has one."),
        ToolArgument("limit", .integer, "The most documents. Default: 10."),
    ]
    private let databases: ServedDatabases
    private let limits: ToolLimits

    init(_ databases: ServedDatabases, _ limits: ToolLimits) { (self.databases, self.limits) = (databases, limits) }

    func call(_ arguments: MessageArguments, endedBy cancellation: RunCancellation) throws -> String {
        let words = try arguments.requiredString("words")
        let limit = try arguments.count("limit", upTo: limits.rows) ?? min(10, limits.rows)
        return try databases.opening(arguments.string("database")).using(.reading) { database in
            let collection = try arguments.collection(in: database)
            let index = try self.index(arguments.string("index"), of: collection)
            let statement = """
                SELECT META(d).id AS id, BM25(d.\(index.quotedName)) AS rank, SNIPPET(d.\(index.quotedName)) AS snippet, d AS document \
                FROM \(collection.scope.name.quotedName).\(collection.name.quotedName) AS d \
                WHERE MATCH(d.\(index.quotedName), $words) ORDER BY rank DESC, id LIMIT \(limit)
                """
            let parameters = Parameters().setString(words, forName: "words")
            return try ToolQuery(statement, parameters, limits, on: database).run(rows: limit, endedBy: cancellation)
        }
    }

    private func index(_ name: String?, of collection: DocumentCollection) throws -> String {
        let names = try collection.indexDescriptions().filter(\.isFullText).map(\.name)
        guard let name else {
            if names.count == 1 { return names[0] }
            guard names.isEmpty else {
                throw Failure(.usage, "the argument index is missing", hint: "The indexes are: \(names.joined(separator: ", "))")
            }
            throw Failure(
                .notFound,
                "the collection \(collection.fullName) has no full-text index",
                hint:
                    "Use LIKE or contains() with the tool query. A full-text index is made with: cblite index create DATABASE NAME PROPERTY --full-text"
            )
        }
        guard names.contains(where: { $0.isSame(as: name) }) else {
            throw Failure(.notFound, "there is no full-text index \"\(name)\"", hint: Suggestion.question(name, among: names))
        }
        return name
    }
}

extension String {
    /// The name as it is written in SQL++.
    var quotedName: String { "`" + replacing("`", with: "``") + "`" }
}
