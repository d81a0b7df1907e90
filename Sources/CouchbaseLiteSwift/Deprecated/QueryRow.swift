import QueryEngine

/// The rows of a ``PredicateQuery``, to be gone through once.
@available(*, deprecated, message: "Use ResultSet")
public class QueryIterator: Sequence, IteratorProtocol {
    private let results: ResultSet
    private let shape: PredicateRowShape
    private let query: Query

    init(_ results: ResultSet, shape: PredicateRowShape, of query: Query) {
        self.results = results
        self.shape = shape
        self.query = query
    }

    /// The next row, a ``FullTextQueryRow`` if the query has searched for words; nil after the last.
    public func next() -> QueryRow? {
        guard let result = results.next() else { return nil }
        guard let matches = result.table.rows.matches(row: result.row) else { return QueryRow(result, shape: shape) }
        return FullTextQueryRow(result, shape: shape, matches, of: query)
    }
}

/// A row of a ``PredicateQuery``. Its columns are those of `returning`, or else the document's ID and sequence; an index beyond
/// them is a programming error.
@available(*, deprecated, message: "Use Result")
public class QueryRow {
    private let result: Result
    private let shape: PredicateRowShape

    init(_ result: Result, shape: PredicateRowShape) {
        self.result = result
        self.shape = shape
    }

    /// The ID of the document the row stands for. Rows of groups and of distinct columns stand for none: a programming error.
    public var documentID: String { result.string(at: identityColumn) ?? "" }

    /// The sequence of the document the row stands for, as it was then; see ``documentID``.
    public var sequence: UInt64 { UInt64(clamping: result.int64(at: identityColumn + 1)) }

    /// The document the row stands for, as it is now; an empty one if it has been deleted since. See ``documentID``. It is
    /// loaded every time it is asked for.
    public var document: Document {
        let id = documentID
        return result.database?.document(withID: id) ?? MutableDocument(id: id)
    }

    /// The value of a column; nil when it is missing or null.
    public func value(at index: Int) -> Any? { result.value(at: checked(index)) }

    /// The value of a column; nil when it is missing or null.
    public subscript(index: Int) -> Any? { value(at: index) }

    /// The string in a column; nil when there is none.
    public subscript(index: Int) -> String? { result.string(at: checked(index)) }

    /// The date that the string in a column says in ISO-8601; nil when there is none.
    public subscript(index: Int) -> Date? { result.date(at: checked(index)) }

    /// Whether the value of a column is anything but false, zero, null or missing.
    public subscript(index: Int) -> Bool { result.boolean(at: checked(index)) }

    /// The number in a column, truncated towards zero and clamped; 1 for true; else 0.
    public subscript(index: Int) -> Int { result.int(at: checked(index)) }

    /// The number in a column, truncated towards zero and clamped; 1 for true; else 0.
    public subscript(index: Int) -> Int64 { result.int64(at: checked(index)) }

    /// The number in a column; 1 for true; else 0.
    public subscript(index: Int) -> Float { result.float(at: checked(index)) }

    /// The number in a column; 1 for true; else 0.
    public subscript(index: Int) -> Double { result.double(at: checked(index)) }

    private func checked(_ index: Int) -> Int {
        guard index >= 0, index < shape.columnCount else { _CBLMisuse.outOfRange(index, count: shape.columnCount) }
        return index
    }

    private var identityColumn: Int {
        guard let column = shape.identityColumn else {
            _CBLMisuse.inconsistency("Rows of groups and of distinct columns do not stand for single documents.")
        }
        return column
    }
}

/// Documents that a query found, to be gone through once. Each is loaded when it is its turn; those deleted since are left out.
@available(*, deprecated, message: "Select Meta.id, and get the documents from their collection")
public class DocumentIterator: Sequence, IteratorProtocol {
    private let results: ResultSet?
    private let idColumn: Int

    init(_ results: ResultSet, idColumn: Int) {
        self.results = results
        self.idColumn = idColumn
    }

    /// No documents.
    init() {
        results = nil
        idColumn = 0
    }

    /// The next document; nil after the last.
    public func next() -> Document? {
        while let result = results?.next() {
            if let id = result.string(at: idColumn), let document = result.database?.document(withID: id) {
                return document
            }
        }
        return nil
    }
}
