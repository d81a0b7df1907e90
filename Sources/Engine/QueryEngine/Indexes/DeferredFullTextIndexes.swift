import Base
import DocumentStore
import QueryLanguage
import SQLiteEngine

/// The full-text indexes of a collection, of which each has the triggers that this library creates (Storage format 5.4). Indexes rows later
/// than their triggers have inserted them, see `TextDeferral`.
final class DeferredFullTextIndexes: DeferredTextIndexes {
    /// The statements of one index: the texts of a row, and their insertion.
    private struct Index {
        let texts: Statement
        let insertion: Statement
    }

    private let indexes: [Index]

    /// Returns `nil` if there are no full-text indexes, or if something else in the file than the expected triggers computes texts: an
    /// index of another program, for example, would keep the missing text.
    init?(_ collection: CollectionStore, on connection: Connection) throws {
        guard try RegistryTable.exists(on: connection) else { return nil }
        var expected: Set<ExactString> = []
        var indexes: [Index] = []
        for index in try RegistryTable.rows(of: collection, on: connection) where index.kind == .fullText {
            // If something is wrong with an index, the trigger fails, and its error is the one to report.
            guard let table = index.table, let specification = try? index.fullTextSpecification,
                let layout = try? FullTextIndexLayout(specification, FullTextIndexOptions(), on: collection),
                let triggers = try? layout.triggers(table),
                let texts = try? connection.prepare(layout.textsOfRow, persistent: true),
                let insertion = try? connection.prepare(layout.insertion(into: table), persistent: true)
            else { return nil }
            expected.formUnion(triggers.map { ExactString($0) })
            indexes.append(Index(texts: texts, insertion: insertion))
        }
        guard !indexes.isEmpty, try Self.triggers(of: collection, are: expected, on: connection) else { return nil }
        self.indexes = indexes
    }

    /// Returns whether texts are computed only by the expected triggers, all of which exist, and by triggers of other collections.
    private static func triggers(
        of collection: CollectionStore,
        are expected: Set<ExactString>,
        on connection: Connection
    ) throws -> Bool {
        let liveTable = collection.sourceTable.liveTable.asciiLowercased
        let statement = try connection.prepare("SELECT type, tbl_name, sql FROM sqlite_master WHERE instr(lower(sql), '\(function)') > 0")
        defer { statement.finalize() }
        var missing = expected.filter { $0.string.asciiLowercased.contains(function) }
        while try statement.step() {
            guard statement.text(at: 0).isExactly("trigger") else { return false }
            if missing.remove(ExactString(statement.text(at: 2))) != nil { continue }
            // A trigger on the table of an array index is fired by changes of documents too.
            let table = statement.text(at: 1)
            guard StoreName.store(ofTable: table) != nil, !table.asciiLowercased.isExactly(liveTable) else { return false }
        }
        return missing.isEmpty
    }

    /// The function that computes the text of an index.
    private static let function = "fl_fts_value"

    func index(rowID: Int64) throws {
        for index in indexes {
            let (texts, insertion) = (index.texts, index.insertion)
            defer {
                texts.reset()
                insertion.reset()
                insertion.clearBindings()
            }
            try texts.bind(rowID, at: 1)
            guard try texts.step() else { continue }
            try insertion.bind(rowID, at: 1)
            for column in 0..<texts.columnCount {
                if texts.isNull(at: column) {
                    try insertion.bindNull(at: column + 2)
                } else {
                    // Valid until the row is left, which is after the insertion.
                    try insertion.bindText(borrowing: texts.textBytes(at: column), at: column + 2)
                }
            }
            try insertion.run()
        }
    }
}
