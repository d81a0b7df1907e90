import DatabaseRuntime
import Fleece
import QueryEngine

/// A row of a query result. It can be read as an array of its columns, or as a dictionary with the column titles as keys.
///
/// Immutable and thread-safe; it remains valid when the ``ResultSet`` advances. A row keeps the recorded rows of the whole result in
/// memory, and the ``Database`` object alive. The getters return `nil` for missing and for null columns alike; ``contains(key:)`` tells
/// them apart. An index outside `0..<count` is a programming error and ends the process; a key without a column is like a missing column.
public final class Result: ArrayProtocol, DictionaryProtocol, Sequence, Sendable {
    let row: Int
    let table: ResultTable
    private let cache = LazyContainerCache(keepsFirst: true)

    init(_ row: Int, of table: ResultTable) { (self.row, self.table) = (row, table) }

    private var source: FleeceSource { table.source }

    /// The database that the query read.
    var database: Database? { source.database }

    /// The number of columns.
    public var count: Int { table.titles.count }

    /// The titles of all columns, in the order of the columns.
    public var keys: [String] { table.titles }

    // MARK: Access

    /// Returns the recorded value of the column; `nil` if it is missing. An index out of range is a programming error.
    private func stored(_ index: Int) -> Value? {
        guard index >= 0, index < count else { _CBLMisuse.outOfRange(index, count: count) }
        return table.rows.value(row: row, column: index)
    }

    private func storedValue(_ index: Int) -> PropertyValue? { stored(index).map(PropertyValue.stored) }

    private func object(_ index: Int) -> PropertyObject? { stored(index).flatMap { cache.object(for: $0, in: source) } }

    private func any(_ index: Int) -> Any? {
        guard let value = stored(index), !value.isNull else { return nil }
        return PropertyValue.stored(value).any(object(index))
    }

    // MARK: By index

    /// Returns the value of the column at `index`; `nil` if it is missing or null.
    public func value(at index: Int) -> Any? { any(index) }

    // The typed getters, which `ArrayProtocol` documents.

    public func string(at index: Int) -> String? { storedValue(index)?.string }
    public func number(at index: Int) -> NSNumber? { storedValue(index)?.number }
    public func int(at index: Int) -> Int { storedValue(index)?.int ?? 0 }
    public func int64(at index: Int) -> Int64 { storedValue(index)?.int64 ?? 0 }
    public func double(at index: Int) -> Double { storedValue(index)?.double ?? 0 }
    public func float(at index: Int) -> Float { storedValue(index)?.float ?? 0 }
    public func boolean(at index: Int) -> Bool { storedValue(index)?.boolean ?? false }
    public func blob(at index: Int) -> Blob? { object(index)?.blob }
    public func date(at index: Int) -> Date? { storedValue(index)?.date }
    public func array(at index: Int) -> ArrayObject? { object(index)?.array }
    public func dictionary(at index: Int) -> DictionaryObject? { object(index)?.dictionary }

    /// Returns the values of all columns as plain Swift values: strings, `NSNumber`, arrays, dictionaries, `NSNull`, and ``Blob``. Both
    /// missing and null columns become `NSNull`.
    ///
    /// - Complexity: O(*n*) in the size of the row.
    public func toArray() -> [Any] { (0..<count).map { storedValue($0)?.resolved(in: source).plain ?? NSNull() } }

    /// A fragment for the column, with which a path into its value can be written. The column need not exist.
    public subscript(index: Int) -> Fragment { Fragment(array: self, index: index) }

    // MARK: By title

    private func value<Value>(_ key: String, _ read: (Int) -> Value?) -> Value? { table.rows.columnIndex(of: key).flatMap(read) }

    /// Returns the value of the column titled `key`; `nil` if it is missing or null, or if there is no such column.
    public func value(forKey key: String) -> Any? { value(key, any) }

    // The typed getters, which `DictionaryProtocol` documents.

    public func string(forKey key: String) -> String? { value(key, string(at:)) }
    public func number(forKey key: String) -> NSNumber? { value(key, number(at:)) }
    public func int(forKey key: String) -> Int { value(key, int(at:)) ?? 0 }
    public func int64(forKey key: String) -> Int64 { value(key, int64(at:)) ?? 0 }
    public func double(forKey key: String) -> Double { value(key, double(at:)) ?? 0 }
    public func float(forKey key: String) -> Float { value(key, float(at:)) ?? 0 }
    public func boolean(forKey key: String) -> Bool { value(key, boolean(at:)) ?? false }
    public func blob(forKey key: String) -> Blob? { value(key, blob(at:)) }
    public func date(forKey key: String) -> Date? { value(key, date(at:)) }
    public func array(forKey key: String) -> ArrayObject? { value(key, array(at:)) }
    public func dictionary(forKey key: String) -> DictionaryObject? { value(key, dictionary(at:)) }

    /// Returns whether there is a column titled `key` whose value is not missing; true for null.
    public func contains(key: String) -> Bool { value(key, stored) != nil }

    /// Returns the values by title as plain Swift values: strings, `NSNumber`, arrays, dictionaries, `NSNull` for null, and ``Blob``.
    /// Missing columns are left out.
    ///
    /// - Complexity: O(*n*) in the size of the row.
    public func toDictionary() -> [String: Any] {
        var plain: [String: Any] = [:]
        for (index, title) in table.titles.enumerated() {
            if let value = storedValue(index) { plain[title] = value.resolved(in: source).plain }
        }
        return plain
    }

    /// A fragment for the column, with which a path into its value can be written. The column need not exist.
    public subscript(key: String) -> Fragment { Fragment(dictionary: self, key: key) }

    /// Returns an iterator over the titles of the columns.
    public func makeIterator() -> IndexingIterator<[String]> { keys.makeIterator() }

    /// Returns the row as a JSON object, with the columns in order. Missing columns are left out.
    ///
    /// - Complexity: O(*n*) in the size of the row.
    public func toJSON() -> String { table.rows.jsonObject(row: row) }
}
