import Base
package import DocumentStore
import Fleece
import QueryLanguage
import SQLiteEngine

/// What a statement did.
package struct DataStatementOutcome: Sendable {
    /// The number of created, changed or deleted documents.
    package let count: Int
    /// The number of documents that UPDATE has selected but not changed, because they have no such property or item, or another value in place of
    /// the object or array that contains it.
    package let skippedCount: Int
    /// The rows of RETURNING, one for each of these documents; without columns if the statement has no such clause.
    package let rows: RecordedRows
}

extension DataStatement {
    /// Runs the statement in a transaction: all its changes are stored, or none. Inside a transaction of this thread it is a part of that
    /// one.
    ///
    /// The documents are selected first, and then changed one after another, so that a changed document cannot be selected again. In memory
    /// are the IDs of the selected documents, one document, and the rows of RETURNING; also all new values, if nested queries compute them.
    ///
    /// - Throws: ``QueryError`` if the statement is invalid, or its parameters are not those that it has; `StoreError` if a document cannot
    ///   be stored; `CancellationError`.
    package func run(
        on file: DatabaseFile,
        databaseName: String,
        parameters: QueryParameters = QueryParameters(),
        cancellation: QueryCancellation = QueryCancellation()
    ) throws -> DataStatementOutcome {
        try file.statement { writer in
            try cancellation.run(on: writer.connection) {
                let run = try DataStatementRun(self, writer, file, StoreResolver(file: file, databaseName: databaseName), parameters)
                let outcome = try run.run(cancellation)
                // Cancelling interrupts only a running statement of SQLite, and may come between two of them.
                try cancellation.check()
                return outcome
            }
        }
    }
}

/// One run of a statement, in a transaction.
private final class DataStatementRun {
    private let statement: DataStatement
    private let writer: Writer
    private let file: DatabaseFile
    private let resolver: StoreResolver
    private let parameters: QueryParameters
    private let collection: CollectionStore
    /// Computes the rows of RETURNING.
    private var returning: DocumentStatement?
    private var recorder: RowRecorder?
    /// The documents whose rows of RETURNING are computed when all changes are made, because nested queries must see all of them; `nil` if
    /// each row is computed at once.
    private var returnedLater: [String]?
    private var (count, skippedCount) = (0, 0)

    init(
        _ statement: DataStatement,
        _ writer: Writer,
        _ file: DatabaseFile,
        _ resolver: StoreResolver,
        _ parameters: QueryParameters
    ) throws {
        (self.statement, self.writer, self.file, self.resolver, self.parameters) = (statement, writer, file, resolver, parameters)
        let ids = try QueryCompiler.compile(
            SelectStatement(items: [SelectItem(.meta("id"))], sources: [statement.target]),
            resolver: resolver
        )
        guard let store = ids.sources.first?.storeName, let id = CollectionID(storeName: store), let collection = try file.collection(id)
        else { throw QueryError.invalidQuery("the statement names no collection") }
        self.collection = collection
        try statement.forEachExpression { expression throws(QueryError) in
            try expression.checkDepth()
            try expression.checkLiteralKeys()
        }
        try parameters.check(areThoseOf: statement)
        returning = try Self.returning(of: statement, parameters, resolver, writer.context)
        if let returning { recorder = RowRecorder(returning.compiled, searching: nil) }
        if statement.returning.contains(where: \.expression.containsNestedQuery) { returnedLater = [] }
    }

    func run(_ cancellation: QueryCancellation) throws -> DataStatementOutcome {
        switch statement.change {
        case .insert(.values(let rows), let replaces): try insert(rows, replaces: replaces)
        case .insert(.select(let select, let key, let value), let replaces):
            try insert(select, key: key, value: value, replaces: replaces, cancellation)
        case .update(let assignments):
            try update(assignments, cancellation)
        case .delete:
            let ids = try selectedIDs(cancellation)
            if returning != nil { for id in ids { try recordNow(id) } }
            for id in ids {
                try cancellation.check()
                guard case .saved = try collection.delete(id, base: .latest, in: writer) else { throw QueryError.lost(id) }
                count += 1
            }
        }
        // Nested queries may search texts of new documents.
        if returnedLater != nil {
            try writer.indexDeferredTexts()
            // Which indexes they can use may depend on the changes.
            returning = try Self.returning(of: statement, parameters, resolver, writer.context)
        }
        for id in returnedLater ?? [] { try recordNow(id) }
        return DataStatementOutcome(
            count: count,
            skippedCount: skippedCount,
            rows: recorder.take()?.finish() ?? RecordedRows(columnTitles: [])
        )
    }

    /// Returns what computes the rows of RETURNING; `nil` if the statement has no such clause.
    private static func returning(
        of statement: DataStatement,
        _ parameters: QueryParameters,
        _ resolver: StoreResolver,
        _ context: ConnectionContext
    ) throws -> DocumentStatement? {
        guard !statement.returning.isEmpty else { return nil }
        return try DocumentStatement(statement.returning, of: statement.target, parameters, resolver, context)
    }

    // MARK: UPDATE and DELETE

    /// Returns the IDs of the documents that the statement selects.
    private func selectedIDs(_ cancellation: QueryCancellation) throws -> SelectedIDs {
        let select = SelectStatement(
            items: [SelectItem(.meta("id"))],
            sources: [statement.target],
            condition: statement.condition,
            limit: statement.limit
        )
        let query = try PreparedQuery(select, on: file, databaseName: resolver.databaseName)
        return SelectedIDs(try query.run(on: file, parameters: parameters.only(query.compiled.parameterNames), cancellation: nil))
    }

    private func update(_ assignments: [DataStatement.Assignment], _ cancellation: QueryCancellation) throws {
        var columns: [QueryExpression] = []
        let edit = try DocumentEdit.combining(
            assignments.map { assignment in
                let edit = assignment.value.map { DocumentEdit.set(ValueTemplate($0, parameters, columns: &columns)) }
                return (assignment.path, edit ?? .remove)
            }
        )
        let items = columns.map { SelectItem($0) }
        let values =
            items.isEmpty ? nil : try DocumentStatement(items, of: statement.target, parameters, resolver, writer.context)
        let ids = try selectedIDs(cancellation)
        // Nested queries see the documents before the first change.
        let recorded = columns.contains(where: \.containsNestedQuery) ? try values.map { try self.recorded($0, ids) } : nil
        for (row, id) in ids.enumerated() {
            try cancellation.check()
            let outcome =
                if let recorded {
                    try update(id, edit, .recorded(recorded, row: row))
                } else if let values {
                    try values.withRow(of: id) { try self.update(id, edit, .row($0)) } ?? .missing
                } else {
                    try update(id, edit, .none)
                }
            switch outcome {
            case .saved?:
                count += 1
                try record(id)
            case nil: skippedCount += 1
            default: throw QueryError.lost(id)
            }
        }
    }

    /// Computes the columns of a statement for all documents.
    private func recorded(_ values: DocumentStatement, _ ids: SelectedIDs) throws -> RecordedRows {
        var recorder = RowRecorder(values.compiled, searching: nil)
        for id in ids {
            guard try values.withRow(of: id, { try recorder.record($0) }) != nil else { throw QueryError.lost(id) }
        }
        return recorder.finish()
    }

    private func update(_ id: String, _ edit: DocumentEdit, _ columns: ComputedColumns) throws -> DocumentSaveOutcome? {
        try collection.update(id, in: writer) { body, keys, encoder in
            var editor = DocumentEditor(columns: columns, keys: keys, budget: ValueBudget(for: body))
            try editor.write(edit, of: body, to: &encoder)
            return editor.hasEffect
        }
    }

    // MARK: INSERT and UPSERT

    private func insert(_ rows: [DataStatement.Row], replaces: Bool) throws {
        // Nested queries see the documents before the first change, so all values are computed first.
        let new = try rows.enumerated().map { number, row in
            var columns: [QueryExpression] = []
            let key = row.key.map { ValueTemplate($0, parameters, columns: &columns) }
            let value = ValueTemplate(row.value, parameters, columns: &columns)
            let place = "VALUES number \(number + 1)"
            let computed = try values(of: columns)
            let id = try key.map { try Self.documentID($0.text(computed), place) }
            guard value.isDictionary(computed) else { throw QueryError.isNoObject(place) }
            return (id: id, value: value, columns: computed)
        }
        for document in new {
            try insert(document.id, replaces: replaces) { document.value.write(document.columns, to: &$0) }
        }
    }

    /// Computes values that depend on no document.
    private func values(of columns: [QueryExpression]) throws -> ComputedColumns {
        guard !columns.isEmpty else { return .none }
        let compiled = try ExactQuery(resolver, writer.context) { try QueryCompiler.compile(values: columns, resolver: $0) }.compiled
        let statement = try writer.connection.prepare(query: compiled.sql)
        defer { statement.finalize() }
        try parameters.only(compiled.parameterNames).bind(to: statement, of: compiled)
        var recorder = RowRecorder(compiled, searching: nil)
        guard try statement.checkedStep(on: writer.context) else { return .none }
        try recorder.record(statement)
        return .recorded(recorder.finish(), row: 0)
    }

    private func insert(_ select: SelectStatement, key: String?, value: String, replaces: Bool, _ cancellation: QueryCancellation) throws {
        let query = try PreparedQuery(select, on: file, databaseName: resolver.databaseName)
        let titles = query.compiled.columnTitles
        func column(_ name: String) throws -> Int {
            if let index = titles.firstIndex(where: { $0.isExactly(name) }) { return index }
            throw QueryError.invalidQuery("the query has no column '\(name)'; it has \(titles.map { "'\($0)'" }.joined(separator: ", "))")
        }
        let (keyColumn, valueColumn) = (try key.map(column), try column(value))
        let rows = try query.run(on: file, parameters: parameters.only(query.compiled.parameterNames), cancellation: nil)
        for row in 0..<rows.count {
            try cancellation.check()
            let place = "row \(row + 1) of the query"
            let id = try keyColumn.map { try Self.documentID(rows.value(row: row, column: $0)?.string, place) }
            guard let value = rows.value(row: row, column: valueColumn), value.dictionary != nil else { throw QueryError.isNoObject(place) }
            try insert(id, replaces: replaces) { $0.write(value, keys: .other(.empty)) }
        }
    }

    private static func documentID(_ text: String?, _ place: String) throws(QueryError) -> String {
        guard let text else { throw QueryError.invalidQuery("the KEY in \(place) is not a string") }
        return text
    }

    /// Stores one new document. Without an ID it gets a random one.
    private func insert(_ id: String?, replaces: Bool, _ encode: (inout Encoder) -> Void) throws {
        let id = id ?? DocumentIdentifier.generate()
        let save = DocumentSave(id, base: replaces ? .latest : .none, isLikelyStored: replaces)
        let outcome = try collection.save(save, in: writer) { encoder in
            encode(&encoder)
            return nil
        }
        guard case .saved = outcome else {
            throw QueryError(.invalidParameter, "the document \"\(id)\" exists already; UPSERT replaces it")
        }
        count += 1
        try record(id)
    }

    // MARK: RETURNING

    /// Records the row of RETURNING for a document that has been changed.
    private func record(_ id: String) throws {
        if returnedLater == nil { try recordNow(id) } else { returnedLater?.append(id) }
    }

    private func recordNow(_ id: String) throws {
        guard let returning else { return }
        try returning.withRow(of: id) { try recorder?.record($0) }
    }
}

/// The IDs in the only column of a result.
private struct SelectedIDs: Sequence, IteratorProtocol {
    private let rows: RecordedRows
    private var row = 0

    init(_ rows: RecordedRows) { self.rows = rows }

    mutating func next() -> String? {
        guard row < rows.count else { return nil }
        defer { row += 1 }
        return rows.value(row: row, column: 0)?.string ?? ""
    }
}

extension QueryError {
    fileprivate static func isNoObject(_ place: String) -> QueryError { .invalidQuery("the VALUE in \(place) is not an object") }

    /// The error for a document that was selected but cannot be changed, because it is deleted.
    fileprivate static func lost(_ id: String) -> QueryError {
        .invalidQuery("the document \"\(id)\" is deleted; UPDATE and DELETE change existing documents only")
    }
}
