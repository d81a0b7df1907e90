import Foundation
import QueryEngine
import QueryLanguage

/// The rows of a ``PredicateQuery``, which can be iterated once. All rows are in memory.
@available(*, deprecated, message: "Use ResultSet")
public class QueryIterator: Sequence, IteratorProtocol {
    private let results: ResultSet
    private let shape: PredicateRowShape
    private let query: Query

    init(_ results: ResultSet, shape: PredicateRowShape, of query: Query) {
        (self.results, self.shape, self.query) = (results, shape, query)
    }

    public func next() -> QueryRow? {
        guard let result = results.next() else { return nil }
        guard let matches = result.table.rows.matches(row: result.row) else { return QueryRow(result, shape: shape) }
        return FullTextQueryRow(result, shape: shape, matches, of: query)
    }
}

/// A row of a ``PredicateQuery``. Its columns are those of `returning`, or by default the document's ID and sequence. An index out of range
/// is a programming error.
@available(*, deprecated, message: "Use Result")
public class QueryRow {
    private let result: Result
    private let shape: PredicateRowShape

    init(_ result: Result, shape: PredicateRowShape) { (self.result, self.shape) = (result, shape) }

    /// The ID of the document of the row. Rows of grouped or distinct results do not belong to single documents: using this property is
    /// then a programming error.
    public var documentID: String { result.string(at: identityColumn) ?? "" }
    /// The sequence of the document of the row at the time of the query; see ``documentID``.
    public var sequence: UInt64 { UInt64(clamping: result.int64(at: identityColumn + 1)) }

    /// The current document of the row; an empty one if it was deleted since. See ``documentID``. Each access loads it from disk.
    public var document: Document {
        let id = documentID
        return result.database?.document(withID: id) ?? MutableDocument(id: id)
    }

    public func value(at index: Int) -> Any? { result.value(at: checked(index)).map { _ in result.toArray()[index] } }
    public subscript(index: Int) -> Any? { value(at: index) }
    public subscript(index: Int) -> String? { result.string(at: checked(index)) }
    public subscript(index: Int) -> Date? { result.date(at: checked(index)) }
    public subscript(index: Int) -> Bool { result.boolean(at: checked(index)) }
    public subscript(index: Int) -> Int { result.int(at: checked(index)) }
    public subscript(index: Int) -> Int64 { result.int64(at: checked(index)) }
    public subscript(index: Int) -> Float { result.float(at: checked(index)) }
    public subscript(index: Int) -> Double { result.double(at: checked(index)) }

    private func checked(_ index: Int) -> Int {
        guard index >= 0, index < shape.columnCount else { _CBLMisuse.outOfRange(index, count: shape.columnCount) }
        return index
    }

    private var identityColumn: Int {
        guard let column = shape.identityColumn else {
            _CBLMisuse.inconsistency("Rows of grouped or distinct results do not belong to single documents.")
        }
        return column
    }
}

/// A row of a ``PredicateQuery`` that contains a full-text search.
@available(*, deprecated, message: "Use FullTextFunction and Result")
public final class FullTextQueryRow: QueryRow {
    private let matches: RowMatches
    private let query: Query

    init(_ result: Result, shape: PredicateRowShape, _ matches: RowMatches, of query: Query) {
        self.matches = matches
        self.query = query
        super.init(result, shape: shape)
    }

    /// The indexed text of the property that has the first match, as it is now; `nil` if the document was deleted or reading fails.
    ///
    /// Each access reads the text from disk.
    public var fullTextMatched: String? {
        let text = try? query.withFile { try matches.firstIndexedText(on: $1) }
        knownText = .some(text)
        return text
    }

    /// The number of matches in ``fullTextMatched``.
    public var matchCount: Int { hits.count }

    /// Returns the range of a match in the text that ``fullTextMatched`` has returned last, in UTF-16 code units. The location is
    /// `NSNotFound` if `number` is not in `0..<matchCount`, or if the text has changed and has no such range any more.
    ///
    /// The first call reads the text from disk, unless ``fullTextMatched`` has done so.
    public func textRangeOfMatch(_ number: Int) -> NSRange {
        let nowhere = NSRange(location: NSNotFound, length: 0)
        guard hits.indices.contains(number), let text: String = knownText ?? fullTextMatched else { return nowhere }
        return hits[number].range(in: text).map { NSRange($0, in: text) } ?? nowhere
    }

    /// The text that ``fullTextMatched`` has returned last; `.some(nil)` if that was `nil`.
    private var knownText: String??
    private lazy var hits = matches.hitsInFirstProperty
}

/// The documents found by a query, which can be iterated once. Each document is loaded from disk when it is returned; documents deleted
/// since the query ran are skipped.
@available(*, deprecated, message: "Select Meta.id, and get the documents from their collection")
public class DocumentIterator: Sequence, IteratorProtocol {
    private let results: ResultSet?
    private let idColumn: Int

    /// - Parameter results: The rows; `nil` for no documents.
    init(_ results: ResultSet?, idColumn: Int = 0) { (self.results, self.idColumn) = (results, idColumn) }

    public func next() -> Document? {
        while let result = results?.next() {
            if let id = result.string(at: idColumn), let document = result.database?.document(withID: id) { return document }
        }
        return nil
    }
}
