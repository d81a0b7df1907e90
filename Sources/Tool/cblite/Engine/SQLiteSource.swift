import CouchbaseLiteSwift
import DocumentStore
import Fleece
import SQLiteEngine

/// A table of an SQLite database, of which each row is a document.
final class SQLiteSource: DocumentSource {
    /// What becomes of binary values.
    enum Binary: String, CaseIterable {
        /// Blobs of the document.
        case blob
        case base64
    }

    private let connection: Connection
    private let statement: Statement
    private let columns: [String]
    /// The column that is the primary key; `nil` if there is none, or it has several columns.
    private let keyColumn: Int?
    private let binary: Binary
    private let collection: DocumentCollection
    private var writer = JSONWriter(capacity: 4096)
    private(set) var position: SourcePosition
    private(set) var bytesConsumed = 0

    /// - Throws: ``Failure`` if there is no such table; `SQLiteError` if the file is not a database.
    init(_ path: String, table: String, binary: Binary, into collection: DocumentCollection) throws {
        connection = try Connection(path: path, mode: .readOnly)
        let tables = try SQLiteTables.names(connection)
        guard tables.contains(where: { $0.lowercased() == table.lowercased() }) else {
            let question = Suggestion.question(table, among: tables).map { $0 + " " } ?? ""
            let list = tables.joined(separator: ", ")
            throw Failure(.notFound, "there is no table \"\(table)\" in \(path)", hint: "\(question)Tables of the file: \(list)")
        }
        columns = try connection.texts("SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid", table)
        let keys = try connection.texts("SELECT cid FROM pragma_table_xinfo(?) WHERE hidden <> 1 AND pk > 0", table)
        let places = try connection.texts("SELECT cid FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid", table)
        keyColumn = keys.count == 1 ? places.firstIndex(of: keys[0]) : nil
        let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
        statement = try connection.prepare("SELECT \(list) FROM \(table.quotedIdentifier)")
        self.binary = binary
        self.collection = collection
        position = SourcePosition(file: "\(path), table \(table), row", line: 0, column: 1)
    }

    deinit {
        statement.finalize()
        try? connection.close()
    }

    func withNext<Result>(_ body: (SourceDocument) throws -> Result) throws -> Result? {
        guard try statement.step() else { return nil }
        position.line += 1
        writer.removeAll()
        writer.append(ascii: "{")
        for (index, column) in columns.enumerated() {
            position.column = index + 1
            if index > 0 { writer.append(ascii: ",") }
            writer.append(column)
            writer.append(ascii: ":")
            try writeValue(index)
        }
        position.column = 1
        writer.append(ascii: "}")
        let id = keyColumn.flatMap(key)
        return try writer.withBytes { try body(SourceDocument(text: $0, fallbackID: id)) }
    }

    /// Returns the value of a primary key as the ID of a document; `nil` if it can be none.
    private func key(_ column: Int) -> String? {
        switch statement.columnType(column) {
        case .integer: return String(statement.int64(at: column))
        case .text:
            let text = String(validating: statement.textBytes(at: column), as: UTF8.self)
            return text?.isEmpty == false ? text : nil
        default: return nil
        }
    }

    private func writeValue(_ index: Int) throws {
        switch statement.columnType(index) {
        case .null: writer.appendNull()
        case .integer: writer.append(statement.int64(at: index))
        case .real:
            let number = statement.double(at: index)
            guard number.isFinite else { throw ImportProblem(position: position, message: "JSON has no infinite number") }
            bytesConsumed += 8
            writer.append(number)
        case .text:
            let bytes = statement.textBytes(at: index)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw ImportProblem(position: position, message: "the text is not valid UTF-8")
            }
            bytesConsumed += bytes.count
            writer.append(text)
        case .blob:
            let bytes = statement.blob(at: index)
            bytesConsumed += bytes.count
            guard binary == .blob else { return writer.append(data: bytes) }
            let digest = try collection.database.openFile().blobs.store(bytes)
            var json = BlobDictionary.json(digest: digest.string, length: UInt64(bytes.count), contentType: "application/octet-stream")
            json.withUTF8 { writer.append(raw: UnsafeRawBufferPointer($0)) }
        }
    }
}
