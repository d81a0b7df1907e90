import Base
import CouchbaseLiteSwift
import DocumentStore
import Fleece
import SQLiteEngine

/// A table or view of an SQLite database, of which each row is a document.
final class SQLiteSource: DocumentSource {
    /// What becomes of binary values.
    enum Binary: String, CaseIterable {
        /// Blobs of the document.
        case blob
        case base64
    }

    private let rows: SQLiteRows
    private var statement: Statement { rows.statement }
    private let binary: Binary
    private let collection: DocumentCollection
    private var writer = JSONWriter(capacity: 4096)
    private(set) var position: SourcePosition
    private(set) var bytesConsumed = 0

    /// - Parameter idColumn: A column that the table must have, because it contains the IDs; `nil` for none.
    /// - Throws: ``Failure`` if there is no such table, view or column; `SQLiteError` if the file is not a database.
    init(
        _ path: String,
        table: String,
        idColumn: String? = nil,
        binary: Binary,
        into collection: DocumentCollection,
        limits: SQLiteRows.Limits = SQLiteRows.Limits()
    ) throws {
        let connection = try Connection(path: path, mode: .readOnly)
        let entry = try SQLiteTables(connection).entry(named: table, of: path)
        rows = try SQLiteRows(connection, entry, limits: limits)
        if let idColumn, !rows.columns.contains(where: { $0.isExactly(idColumn) }) {
            throw Failure(
                .badData,
                "the \(entry.kind) \"\(entry.name)\" has no column \"\(idColumn)\", which --id-property names",
                hint: "The columns are: \(rows.columns.joined(separator: ", "))"
            )
        }
        self.binary = binary
        self.collection = collection
        position = SourcePosition(file: "\(path), \(entry.kind) \(entry.name), row", line: 0, column: 1)
    }

    /// Moves to the next row. Returns `false` if there is none.
    private func moveOn() throws -> Bool {
        do {
            return try rows.next()
        } catch let stopped as SQLiteRows.Stopped {
            throw ImportProblem(position: position, message: stopped.message, isRecoverable: false)
        } catch let error as SQLiteError where rows.entry.isView {
            // Its expressions may fail for a row.
            throw ImportProblem(position: position, message: error.message, isRecoverable: false)
        }
    }

    func withNext<Result>(_ body: (SourceDocument) throws -> Result) throws -> Result? {
        guard try moveOn() else { return nil }
        position.line += 1
        writer.removeAll()
        writer.beginObject()
        for (index, column) in rows.columns.enumerated() {
            position.column = index + 1
            writer.name(column)
            try writeValue(index)
        }
        position.column = 1
        writer.endObject()
        let id = rows.keyColumn.flatMap(key)
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
