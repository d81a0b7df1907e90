import Base
import DocumentStore
import QueryLanguage
import SQLiteEngine

/// The layout of a full-text index: an FTS4 table that triggers on the documents' table keep up to date (Storage format 5.4).
struct FullTextIndexLayout: IndexLayout {
    private let columns: [PropertyPath]
    private let options: FullTextIndexOptions
    private let condition: QueryExpression?
    private let source: SourceTable

    init(_ specification: IndexSpecification, _ options: FullTextIndexOptions, on collection: CollectionStore) throws {
        columns = try IndexCompiler.fullTextColumns(of: specification.expressions)
        self.options = options
        _ = try SynonymList(options.synonyms)
        condition = specification.condition
        source = collection.sourceTable
        if let language = options.languageCode, !FullTextLanguage.isKnown(language) {
            EngineLog.log(
                .warning,
                .query,
                "full-text search does not support the language \"\(language)\": words are indexed without stemming"
            )
        }
    }

    let kind = IndexInfo.Kind.fullText

    func table(ofIndex name: String) -> String? { tableName(name) }

    private func tableName(_ name: String) -> String { "\(source.liveTable)::\(StoreName.mangled(name))" }

    func matches(_ existing: IndexInfo, on connection: Connection) throws -> Bool {
        // In an older file, the index may have a table with a name that queries do not use.
        let table = tableName(existing.storedName)
        guard table.isExactly(existing.table) else { return false }
        guard try createTable(table).isExactly(RegistryTable.sql(ofTable: table, on: connection)) else { return false }
        let synonyms = try SynonymList.stored(forTable: table, on: connection)
        guard synonyms.elementsEqual(options.synonyms, by: { $0.elementsEqual($1) { $0.isExactly($1) } }) else { return false }
        let wanted = try condition.map { try IndexCompiler.condition($0, on: source) }
        do {
            let found = try existing.conditionTree().map { try IndexCompiler.condition($0, on: source) }
            return found.map { ExactString($0) } == wanted.map { ExactString($0) }
        } catch is QueryError {
            return false
        }
    }

    func create(named name: String, on connection: Connection, _ progress: IndexProgress) throws {
        let table = tableName(name)
        // A program that does not maintain the registry may have left the table.
        try IndexTables.drop(table, on: connection)
        try connection.execute(createTable(table))
        try SynonymList.store(options.synonyms, forTable: table, on: connection)
        try progress.execute(try fill(table), on: connection)
        for statement in try triggers(table) { try connection.execute(statement) }
    }

    /// Rebuilds an index from the documents, with the tokenizer of the existing table.
    static func rebuild(_ index: IndexInfo, of collection: CollectionStore, on connection: Connection) throws {
        guard let table = index.table, let statement = try RegistryTable.sql(ofTable: table, on: connection),
            let specification = try? index.fullTextSpecification
        else { return }
        let layout = try FullTextIndexLayout(specification, FullTextIndexOptions(), on: collection)
        try IndexTables.drop(table, on: connection)
        for statement in [statement, try layout.fill(table)] + (try layout.triggers(table)) {
            // Each is prepared alone: in an untrusted file, the SQL of a table may contain more than one statement, which is rejected.
            try connection.prepare(statement).run()
        }
    }

    // MARK: SQL

    private func createTable(_ table: String) -> String {
        let names = columns.map { $0.encoded.quotedIdentifier } + ["tokenize=unicodesn"]
        let tokenizer = options.tokenizerArguments.map { " \"\($0)\"" }.joined()
        return "CREATE VIRTUAL TABLE \(table.quotedIdentifier) USING fts4(\(names.joined(separator: ", "))\(tokenizer))"
    }

    /// The quoted column names, separated by commas.
    var columnList: String { columns.map { $0.encoded.quotedIdentifier }.joined(separator: ", ") }

    private var indexedTexts: String { columns.map { "fl_fts_value(new.body, \($0.encoded.quotedLiteral))" }.joined(separator: ", ") }

    /// Returns the condition for indexed rows; `nil` if all rows are indexed.
    private func condition(row: String) throws -> String? {
        if let condition { return try IndexCompiler.condition(condition, on: source, row: row) }
        return source.liveTableMayContainDeleted ? "(\(row).flags & 1 = 0)" : nil
    }

    private func fill(_ table: String) throws -> String {
        "INSERT INTO \(table.quotedIdentifier) (docid, \(columnList)) \(try indexedRows)"
    }

    /// The statement that computes the rows the table should contain.
    var indexedRows: String {
        get throws {
            let rows = try condition(row: "new").map { " WHERE \($0)" } ?? ""
            return "SELECT rowid, \(indexedTexts) FROM \(source.liveTable.quotedIdentifier) AS new\(rows)"
        }
    }

    /// The statement that computes the indexed texts of the document with a row ID. It has no row if the index does not contain the document.
    var textsOfRow: String {
        get throws {
            let rows = try condition(row: "new").map { " AND \($0)" } ?? ""
            return "SELECT \(indexedTexts) FROM \(source.liveTable.quotedIdentifier) AS new WHERE new.rowid = ?1\(rows)"
        }
    }

    /// The statement that inserts the texts of a document, given after its row ID, or replaces them.
    func insertion(into table: String) -> String {
        let values = (0...columns.count).map { "?\($0 + 1)" }.joined(separator: ", ")
        return "INSERT OR REPLACE INTO \(table.quotedIdentifier) (docid, \(columnList)) VALUES (\(values))"
    }

    /// The statements that create the triggers.
    func triggers(_ table: String) throws -> [String] {
        let name = table.quotedIdentifier
        let insertion = "INSERT INTO \(name) (docid, \(columnList)) VALUES (new.rowid, \(indexedTexts));"
        let deletion = "DELETE FROM \(name) WHERE docid = old.rowid;"
        let new = try condition(row: "new")
        let old = try condition(row: "old")
        func trigger(_ suffix: String, _ event: String, _ condition: String?, _ action: String) -> String {
            let condition = condition.map { "WHEN \($0) " } ?? ""
            return "CREATE TRIGGER \("\(table)::\(suffix)".quotedIdentifier) \(event) "
                + "ON \(source.liveTable.quotedIdentifier) \(condition) BEGIN \(action) END"
        }
        return [
            trigger("ins", "AFTER INSERT", new, insertion), trigger("del", "AFTER DELETE", old, deletion),
            trigger("preupdate", "BEFORE UPDATE OF body", old, deletion),
            trigger("postupdate", "AFTER UPDATE OF body", new, insertion),
        ]
    }
}

extension FullTextIndexOptions {
    /// The language without the country; `nil` if there is none. Quotes and commas are removed, so that the code cannot end a quoted
    /// argument.
    var languageCode: String? {
        let code = (language ?? "").unicodeScalars.prefix { $0 != "_" && $0 != "-" }.filter { $0 != "\"" && $0 != "," }
        return code.isEmpty ? nil : String(String.UnicodeScalarView(code))
    }

    /// The arguments of the tokenizer, spelled as in Couchbase Lite: both libraries compare the text of the statement to decide whether two
    /// indexes are the same.
    var tokenizerArguments: [String] {
        let language = languageCode
        var arguments: [String] = []
        var stopWords = stopWords.map {
            String(String.UnicodeScalarView($0.unicodeScalars.map { $0 == "\"" || $0 == "," ? " " : $0 }))
        }
        if let language, FullTextLanguage.needsWordBreaks(language) {
            let mark = FullTextLanguage.wordBreaksMark
            stopWords = stopWords.map { $0.isEmpty ? mark : "\($0) \(mark)" } ?? mark
        }
        if let stopWords {
            arguments.append("stopwordlist=\(stopWords)")
        } else if let language {
            arguments.append("stopwords=\(language)")
        }
        if let language, !disablesStemming, FullTextLanguage.stemmer(for: language) != nil {
            arguments.append("stemmer=\(language)")
        }
        if !ignoresAccents { arguments.append("remove_diacritics=0") }
        return arguments
    }
}
