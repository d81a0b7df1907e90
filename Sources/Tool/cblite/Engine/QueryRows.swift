import Base
import CouchbaseLiteSwift
import Fleece
import QueryEngine
import Synchronization

/// Some rows of a query, one after the other. The public API has no text of a single value, does not show the type of a number, and holds
/// all rows in memory.
struct RowBatch {
    fileprivate let rows: RecordedRows

    var titles: [String] { rows.columnTitles }
    /// The columns with documents of which tables show the properties: `*` and `source.*`.
    var documentColumns: [Int] { rows.documentColumns }
    var count: Int { rows.count }

    /// Calls `body` with the value in a column of a row; `nil` if it is missing.
    fileprivate func withValue<Result>(_ row: Int, _ column: Int, _ body: (Value?) throws -> Result) rethrows -> Result {
        // The value references the memory of `rows`.
        try withExtendedLifetime(rows) {
            try body(rows.value(row: row, column: column).flatMap { $0.isUndefined ? nil : $0 })
        }
    }

    /// Returns the value for people: strings without quotes, other values as JSON, and nothing for a missing value.
    func cell(_ row: Int, _ column: Int) throws -> Table.Cell {
        try withValue(row, column) { value in
            guard let value else { return .missing }
            return try Self.cell(value)
        }
    }

    private static func cell(_ value: Value) throws -> Table.Cell {
        Table.Cell(try value.string ?? JSON.string(value, form: .canonical), isNumber: value.type == .number)
    }

    /// Returns the names of the properties of a document, sorted by their bytes; `nil` if the value is no document.
    func propertyNames(_ row: Int, _ column: Int) -> [ExactString]? {
        withValue(row, column) { $0?.dictionary.map { $0.pairs.compactMap { $0.key.text(.empty).map { ExactString($0) } }.sorted() } }
    }

    /// Returns the properties of a document, and the others as JSON; ``cell(_:_:)`` of a value that is no document as the latter.
    ///
    /// - Parameter names: The names of the properties, for each of which there is a cell.
    func cells(_ row: Int, _ column: Int, names: [ExactString: Int]) throws -> (properties: [Table.Cell], rest: Table.Cell) {
        var cells = [Table.Cell](repeating: .missing, count: names.count)
        return try withValue(row, column) { value in
            guard let dictionary = value?.dictionary else { return (cells, try cell(row, column)) }
            var rest = Encoder()
            var restCount = 0
            rest.beginDictionary()
            for (key, value) in dictionary.pairs {
                guard let name = key.text(.empty) else { continue }
                if let place = names[ExactString(name)] {
                    cells[place] = try Self.cell(value)
                } else {
                    restCount += 1
                    rest.writeKey(name)
                    rest.write(value, keys: .other(.empty))
                }
            }
            rest.endDictionary()
            guard restCount > 0 else { return (cells, .missing) }
            return (cells, Table.Cell(try rest.finishedData().withRoot { try JSON.string($0, form: .canonical) } ?? ""))
        }
    }

    /// Returns the same text as ``cell(_:_:)``, with all its characters; `nil` if the value is missing or null.
    func text(_ row: Int, _ column: Int) throws -> String? {
        try withValue(row, column) { value in
            guard let value, value.type != .null else { return nil }
            return try value.string ?? JSON.string(value, form: .canonical)
        }
    }

    func isMissing(_ row: Int, _ column: Int) -> Bool { withValue(row, column) { $0 == nil } }
}

/// Writes rows as JSON objects, keyed by column title. Columns whose value is missing are omitted.
struct RowJSON: ~Copyable {
    private var writer = JSONWriter()

    /// Calls `body` with the text of a row, which is valid only during the call.
    mutating func withText(of row: Int, in batch: RowBatch, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        writer.removeAll()
        writer.beginObject()
        for (column, title) in batch.titles.enumerated() {
            try batch.withValue(row, column) { value in
                guard let value else { return }
                writer.name(title)
                try writer.append(value, form: .canonical)
            }
        }
        writer.endObject()
        try writer.withBytes(body)
    }
}

extension Query {
    /// Runs the query and passes its rows on while it reads them.
    ///
    /// - Parameters:
    ///   - cancellation: Ends the run, also before it begins.
    ///   - body: Called for each batch, at least once.
    /// - Throws: `CancellationError` if the run was ended; otherwise as `execute()`.
    func forEachBatch(endedBy cancellation: RunCancellation, _ body: (RowBatch) throws -> Void) throws {
        try stream(endedBy: cancellation.cancellation) { rows in
            try body(RowBatch(rows: rows))
            return true
        }
    }
}

/// Ends the run of a query or a task, also one that begins later.
final class RunCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var handler: (@Sendable () -> Void)?
    }
    fileprivate let cancellation = QueryCancellation()
    private let state = Mutex(State())

    func cancel() {
        cancellation.cancel()
        let handler = state.withLock { state in
            state.isCancelled = true
            return state.handler
        }
        handler?()
    }

    /// Calls `handler` when the run is cancelled; at once if it is cancelled already. Replaces the handler of an earlier run.
    func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            state.handler = handler
            return state.isCancelled
        }
        if isCancelled { handler() }
    }
}

extension ResultSet {
    /// All rows.
    var batch: RowBatch { RowBatch(rows: rows) }
}

/// An index as it was created; the public API has the names only.
struct IndexDescription {
    fileprivate let info: IndexInfo
    /// What a vector index contains; `nil` for other kinds.
    let vectors: (count: Int, isTrained: Bool)?

    var name: String { info.name }
    /// The name of the kind; `nil` if it is unknown.
    var kind: String? { info.kind?.name }
    var isFullText: Bool { info.kind == .fullText }
    var expressions: String { info.expressions }
    var language: String { info.isSQL ? "SQL++" : "JSON" }
    var condition: String? { info.condition }
    var arrayPath: String? { info.arrayPath }
    /// The name of the model of a predictive index; `nil` for other kinds.
    var modelName: String? { info.modelName }

    /// The configuration of a vector index; `nil` for other kinds.
    var vectorConfiguration: VectorDescription? { info.vectorOptions.map { VectorDescription($0) } }
}

extension DocumentCollection {
    func indexDescriptions() throws -> [IndexDescription] {
        let registry = IndexRegistry(try database.openFile())
        return try registry.indexes(of: store).map { info in
            // A damaged index is listed without its state.
            let state = info.vectorOptions.flatMap { _ in try? registry.vectorState(of: info.name, on: store) }
            return IndexDescription(info: info, vectors: state.map { ($0.vectorCount, $0.isTrained) })
        }
    }
}
