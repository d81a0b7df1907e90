import Base
package import DocumentStore
import SQLiteEngine

extension IndexRegistry {
    /// Returns the definitions of the indexes of a collection, from which they can be created on another one, and the names of those that
    /// this library cannot create.
    package func definitions(of collection: CollectionStore) throws -> (definitions: [IndexDefinition], others: [String]) {
        try file.read { context in
            var result: (definitions: [IndexDefinition], others: [String]) = ([], [])
            let vectors = try VectorRegistry.entries(of: collection.tables.store, on: context.connection).map(\.info)
            let rows = try OriginalVectorIndex.described(RegistryTable.rows(of: collection, on: context.connection), context.connection)
            for index in rows + vectors {
                if let definition = try index.definition ?? fullTextDefinition(index, context.connection) {
                    result.definitions.append(definition)
                } else {
                    result.others.append(index.name)
                }
            }
            return result
        }
    }

    /// Returns the definition of a full-text index, whose options only the statement of its table contains.
    private func fullTextDefinition(_ index: IndexInfo, _ connection: Connection) throws -> IndexDefinition? {
        guard index.kind == .fullText, let table = index.table,
            let statement = try RegistryTable.sql(ofTable: table, on: connection),
            var options = FullTextIndexOptions(tableStatement: statement)
        else { return nil }
        options.synonyms = try SynonymList.stored(forTable: table, on: connection)
        return IndexDefinition(name: index.name, kind: .fullText(options), source: index.source)
    }
}

extension FullTextIndexOptions {
    /// Reads the options from the statement of a full-text table; `nil` if it has arguments that these options do not express.
    init?(tableStatement: String) {
        self.init(ignoresAccents: true)
        guard let tokenizer = tableStatement.firstRange(of: "tokenize=unicodesn") else { return nil }
        let arguments = tableStatement[tokenizer.upperBound...].split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
        disablesStemming = true
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { return nil }
            switch parts[0] {
            case "stopwords": language = parts[1]
            case "stopwordlist": stopWords = parts[1]
            case "stemmer":
                language = parts[1]
                disablesStemming = false
            case "remove_diacritics": ignoresAccents = parts[1] != "0"
            default: return nil
            }
        }
        // A list of stop words can contain the mark of a language, which is not known then.
        guard tokenizerArguments == arguments else { return nil }
    }
}
