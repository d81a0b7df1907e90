import DocumentStore
import Fleece
import QueryEngine
import SQLiteEngine
import Testing

extension QueryDatabase {
    /// Creates a full-text index with the name `idx`.
    func createFullTextIndex(
        _ properties: String,
        named name: String = "idx",
        _ options: FullTextIndexOptions = FullTextIndexOptions(),
        where condition: String? = nil,
        in collection: String = "_default._default"
    ) throws {
        try indexes.create(
            IndexDefinition(name: name, kind: .fullText(options), text: properties, condition: condition),
            on: try self.collection(collection)
        )
    }

    /// The IDs of the documents that match a pattern, sorted.
    func ids(matching pattern: String, in source: String = "_", index: String = "idx") throws -> [String] {
        let query = try prepare("SELECT meta().id FROM \(source) WHERE match(\(index), $pattern) ORDER BY meta().id")
        let rows = try query.run(on: file, parameters: .pattern(pattern))
        return (0..<rows.count).compactMap { rows.value(row: $0, column: 0)?.string }
    }

    /// SQLite's own comparison of an index with its texts.
    func checkFullTextTable(_ table: String = "kv_default::idx") throws {
        try file.transaction { writer in
            let name = table.quotedIdentifier
            try writer.connection.execute("INSERT INTO \(name)(\(name)) VALUES ('integrity-check')")
        }
        // The rows of the index are those of the live documents.
        let stray = try file.read {
            try $0.connection.scalar("SELECT count(*) FROM \(table.quotedIdentifier) WHERE docid NOT IN (SELECT rowid FROM kv_default)")
        }
        #expect(table != "kv_default::idx" || stray == 0)
    }

    /// The statements that created an index and its triggers, sorted.
    func statements(ofTable table: String) throws -> [String] {
        try file.read { context in
            let statement = try context.connection.prepare(
                """
                SELECT sql FROM sqlite_master WHERE name = ?1 OR substr(name, 1, length(?1) + 2) = ?1 || '::' ORDER BY name
                """
            )
            try statement.bindText(table, at: 1)
            var found: [String] = []
            while try statement.step() { found.append(statement.text(at: 0)) }
            return found
        }
    }
}

extension QueryParameters {
    static func pattern(_ text: String) throws -> QueryParameters {
        var parameters = QueryParameters()
        var encoder = Encoder()
        encoder.write(text)
        parameters["pattern"] = try encoder.finishedData()
        return parameters
    }
}
