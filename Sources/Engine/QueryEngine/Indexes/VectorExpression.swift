import DocumentStore
import QueryLanguage
import VectorSearch

/// The SQL that computes the vectors of documents, or the values from which the app computes them.
struct VectorExpression {
    /// The call that computes a vector; see `fl_vector`. The table of documents has the alias `new`.
    private let vector: String
    private let source: String
    private let entry: VectorIndexEntry
    private let tables: CollectionTables

    /// - Throws: ``QueryError`` if the expression cannot be indexed.
    init(_ entry: VectorIndexEntry, of collection: CollectionStore) throws {
        let expression = try entry.expression
        self.entry = entry
        tables = collection.tables
        vector = try IndexCompiler.vector(
            of: expression,
            dimensions: entry.options.dimensions,
            on: collection.sourceTable,
            row: "new"
        )
        source = try IndexCompiler.vectorSource(of: expression, on: collection.sourceTable, row: "new")
    }

    private var documents: String { "\(tables.liveName.quotedIdentifier) AS new" }
    private var liveCondition: String { tables.liveTableMayHaveTombstones ? "(new.flags & 1) = 0" : "1" }
    private var rows: String { entry.tables.rows.quotedIdentifier }

    /// The vector of the live document with a row number.
    var vectorOfRow: String { "SELECT \(vector) FROM \(documents) WHERE new.rowid = ?1 AND \(liveCondition)" }

    /// The row numbers, IDs and vectors of all live documents.
    var vectorsOfAll: String { "SELECT new.rowid, new.key, \(vector) FROM \(documents) WHERE \(liveCondition) ORDER BY new.rowid" }

    /// The marked rows: row number, cell, slot, bucket, code, whether there is a live document, its ID and its vector.
    var markedRows: String {
        "SELECT r.docid, r.cell, r.slot, r.bucket, r.code, new.rowid, new.key, CASE WHEN new.rowid IS NOT NULL THEN \(vector) END "
            + "FROM \(rows) AS r INDEXED BY \(entry.tables.dirtyIndex) "
            + "LEFT JOIN \(documents) ON new.rowid = r.docid AND \(liveCondition) WHERE r.state = 0 ORDER BY r.docid LIMIT ?1"
    }

    /// The documents after a sequence that need a vector of the app: sequence, row number, and the value of the expression.
    var sourcesOfUnset: String {
        "SELECT new.sequence, new.rowid, \(source) FROM \(documents) WHERE new.sequence > ?1 AND \(liveCondition) "
            + "AND NOT EXISTS (SELECT 1 FROM \(rows) WHERE docid = new.rowid) ORDER BY new.sequence"
    }

    /// The vectors of the live documents of which the index has nothing.
    var vectorsOfUnknown: String {
        "SELECT \(vector) FROM \(documents) LEFT JOIN \(rows) AS r ON r.docid = new.rowid "
            + "WHERE \(liveCondition) AND ifnull(r.state, 1) = 1"
    }

    /// What is stored of each vector: row number, cell, slot and code, those of a cell together.
    var storedVectors: String { "SELECT docid, cell, slot, code FROM \(rows) WHERE state >= 2 ORDER BY cell, slot" }

    /// The sequence of the live document with a row number.
    var sequenceOfRow: String { "SELECT new.sequence FROM \(documents) WHERE new.rowid = ?1 AND \(liveCondition)" }
}
