import DocumentStore
import SQLiteEngine

extension IndexRegistry {
    /// Makes anew, from the documents, what SQLite's own REINDEX knows nothing of: the tables of array and full-text indexes, and what
    /// has been lost of value indexes.
    ///
    /// The cost is that of creating all array and full-text indexes.
    package func rebuild() throws {
        try file.transaction { writer in
            let connection = writer.connection
            guard try RegistryTable.exists(on: connection) else { return }
            for id in try file.collectionIDs() {
                guard let collection = try file.collection(id) else { continue }
                let indexes = try RegistryTable.rows(of: collection, on: connection)
                for table in Set(indexes.filter { $0.kind == .array }.compactMap(\.table)) {
                    for name in IndexTables.levels(of: table).reversed().flatMap(IndexTables.possibleNames) {
                        try IndexTables.drop(name, on: connection)
                    }
                }
                for index in indexes where index.kind == .fullText {
                    try FullTextIndexLayout.rebuild(index, of: collection, on: connection)
                }
                for index in indexes {
                    guard let definition = index.definition,
                        try RegistryTable.sql(ofIndex: index.storedName, on: connection) == nil
                    else { continue }
                    let layout = try IndexSpecification(definition).layout(on: collection)
                    try layout.create(named: index.storedName, on: connection)
                }
            }
        }
    }
}

extension IndexInfo {
    /// The expressions and the condition in the language in which they were given.
    var source: IndexDefinition.Source {
        isSQL ? .text(expressions: expressions, condition: condition) : .json(expressions, condition: condition)
    }

    /// The definition by which the index can be made again; nil for kinds whose rows do not tell enough.
    var definition: IndexDefinition? {
        switch kind {
        case .value:
            return IndexDefinition(name: name, source: source)
        case .array:
            guard let path = arrayPath else { return nil }
            return IndexDefinition(name: name, kind: .array(path: path), source: source)
        case .fullText, .predictive, .vector, nil:
            return nil
        }
    }
}
