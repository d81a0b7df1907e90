import Base
import DocumentStore
import SQLiteEngine

/// The terms of a full-text table, in the order of their bytes, and the texts that contain them.
struct Vocabulary {
    private let index: SearchIndex
    private let context: ConnectionContext
    /// The name of the virtual table with the terms, once it has been created.
    private var terms: String?

    init(of index: SearchIndex, on context: ConnectionContext) { (self.index, self.context) = (index, context) }

    /// What is read after a term.
    enum Next {
        case next, stop
        /// The first term that is not before this text.
        case seek([UInt8])
    }

    /// Calls `body` with each term from `first` on, and the number of documents that contain it, until it returns `false`.
    mutating func forEachTerm(from first: [UInt8], _ body: (UnsafeRawBufferPointer, Int) -> Bool) throws {
        try readTerms(from: first) { body($0, $1) ? .next : .stop }
    }

    /// Calls `body` with a term from `first` on, the number of documents that contain it, and then with the terms that it wants.
    mutating func readTerms(from first: [UInt8], _ body: (UnsafeRawBufferPointer, Int) -> Next) throws {
        let table = try termTable()
        let statement = try context.connection.prepare("SELECT term, documents FROM temp.\(table) WHERE term >= ? AND col = '*'")
        defer { statement.finalize() }
        var start: [UInt8]? = first
        while let bytes = start {
            start = nil
            statement.reset()
            try statement.bindText(String(decoding: bytes, as: UTF8.self), at: 1)
            reading: while try statement.step() {
                switch body(statement.textBytes(at: 0), Int(clamping: statement.int64(at: 1))) {
                case .next: break
                case .stop: return
                case .seek(let text):
                    start = text
                    break reading
                }
            }
        }
    }

    /// Calls `body` with each text of the documents with a term, until it returns `false`.
    func forEachText(with term: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) -> Bool) throws {
        let columns = index.columns.map(\.quotedIdentifier).joined(separator: ", ")
        let table = index.table.quotedIdentifier
        let statement = try context.connection.prepare("SELECT \(columns) FROM \(table) WHERE \(table) MATCH ?")
        defer { statement.finalize() }
        try statement.bindText(String(decoding: [FullTextAnalyzer.exactMark] + term, as: UTF8.self), at: 1)
        while try statement.step() {
            for column in 0..<statement.columnCount where !statement.isNull(at: column) {
                guard body(statement.textBytes(at: column).assumingMemoryBound(to: UInt8.self)) else { return }
            }
        }
    }

    /// Returns the name of the virtual table with the terms, in SQL. It belongs to the connection, reads the index whenever it is read, and
    /// stays, because creating it makes SQLite read its schema again.
    private mutating func termTable() throws -> String {
        if let terms { return terms }
        // The terms of documents that were saved in the same transaction are in memory. A savepoint writes them.
        if context.isWriter { try context.connection.savepoint("terms") {} }
        let name = "terms of \(index.table)".quotedIdentifier
        try context.connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.\(name) USING fts4aux(main, \(index.table.quotedIdentifier))"
        )
        terms = name
        return name
    }
}
