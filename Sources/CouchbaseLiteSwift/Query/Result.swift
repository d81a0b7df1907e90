import Fleece
import QueryEngine

/// A row of a query's results: an array of its columns, and a dictionary from their titles to their values.
///
/// Immutable and safe to use from any thread; it stays as it is when the ``ResultSet`` goes on. A column that is missing
/// and one that is null both read as nil; ``contains(key:)`` tells them apart.
public final class Result: ArrayProtocol, DictionaryProtocol, Sequence, @unchecked Sendable {
    // Unchecked because of the cache, which locks itself.
    let row: Int
    let table: ResultTable
    private let cache = LazyContainerCache(keepsFirst: true)

    init(_ row: Int, of table: ResultTable) {
        self.row = row
        self.table = table
    }

    private var source: FleeceSource { table.source }

    /// The database that was asked.
    var database: Database? { source.database }

    /// How many columns there are.
    public var count: Int { table.titles.count }

    /// The titles of all columns, in order.
    public var keys: [String] { table.titles }

    // MARK: Access

    /// The stored value of a column; nil when it is missing. An index out of range is a programming error.
    private func stored(_ index: Int) -> Value? {
        guard index >= 0, index < count else { _CBLMisuse.outOfRange(index, count: count) }
        return table.rows.value(row: row, column: index)
    }

    private func held(_ index: Int) -> PropertyValue? {
        stored(index).map(PropertyValue.stored)
    }

    private func object(_ index: Int) -> PropertyObject? {
        stored(index).flatMap { cache.object(for: $0, in: source) }
    }

    private func any(_ index: Int) -> Any? {
        guard let value = stored(index), !value.isNull else { return nil }
        return PropertyValue.scalar(value)?.any ?? object(index)?.reference
    }

    // MARK: By index

    /// The value of a column; nil when it is missing or null.
    public func value(at index: Int) -> Any? { any(index) }

    /// The string in a column; nil when there is none.
    public func string(at index: Int) -> String? { held(index)?.string }

    /// The number or boolean in a column; nil when there is none.
    public func number(at index: Int) -> NSNumber? { held(index)?.number }

    /// The number in a column, truncated towards zero and clamped; 1 for true; else 0.
    public func int(at index: Int) -> Int { held(index)?.int ?? 0 }

    /// The number in a column, truncated towards zero and clamped; 1 for true; else 0.
    public func int64(at index: Int) -> Int64 { held(index)?.int64 ?? 0 }

    /// The number in a column; 1 for true; else 0.
    public func double(at index: Int) -> Double { held(index)?.double ?? 0 }

    /// The number in a column; 1 for true; else 0.
    public func float(at index: Int) -> Float { held(index)?.float ?? 0 }

    /// Whether the value of a column is anything but false, zero, null or missing.
    public func boolean(at index: Int) -> Bool { held(index)?.boolean ?? false }

    /// The blob in a column; nil when there is none.
    public func blob(at index: Int) -> Blob? { object(index)?.blob }

    /// The date that the string in a column says in ISO-8601; nil when there is none.
    public func date(at index: Int) -> Date? { held(index)?.date }

    /// The array in a column; nil when there is none.
    public func array(at index: Int) -> ArrayObject? { object(index)?.array }

    /// The dictionary in a column; nil when there is none.
    public func dictionary(at index: Int) -> DictionaryObject? { object(index)?.dictionary }

    /// The values of all columns as plain Swift ones; missing and null both give `NSNull`.
    public func toArray() -> [Any] {
        (0..<count).map { held($0)?.resolved(in: source).plain ?? NSNull() }
    }

    /// The column, which need not exist, as a step of a path.
    public subscript(index: Int) -> Fragment { Fragment(array: self, index: index) }

    // MARK: By title

    private func value<Value>(_ key: String, _ read: (Int) -> Value?) -> Value? {
        table.index(of: key).flatMap(read)
    }

    /// The value of a column; nil when it is missing or null, or there is no such column.
    public func value(forKey key: String) -> Any? { value(key, any) }

    /// The string in a column; nil when there is none.
    public func string(forKey key: String) -> String? { value(key, string(at:)) }

    /// The number or boolean in a column; nil when there is none.
    public func number(forKey key: String) -> NSNumber? { value(key, number(at:)) }

    /// The number in a column, truncated towards zero and clamped; 1 for true; else 0.
    public func int(forKey key: String) -> Int { value(key, int(at:)) ?? 0 }

    /// The number in a column, truncated towards zero and clamped; 1 for true; else 0.
    public func int64(forKey key: String) -> Int64 { value(key, int64(at:)) ?? 0 }

    /// The number in a column; 1 for true; else 0.
    public func double(forKey key: String) -> Double { value(key, double(at:)) ?? 0 }

    /// The number in a column; 1 for true; else 0.
    public func float(forKey key: String) -> Float { value(key, float(at:)) ?? 0 }

    /// Whether the value of a column is anything but false, zero, null or missing.
    public func boolean(forKey key: String) -> Bool { value(key, boolean(at:)) ?? false }

    /// The blob in a column; nil when there is none.
    public func blob(forKey key: String) -> Blob? { value(key, blob(at:)) }

    /// The date that the string in a column says in ISO-8601; nil when there is none.
    public func date(forKey key: String) -> Date? { value(key, date(at:)) }

    /// The array in a column; nil when there is none.
    public func array(forKey key: String) -> ArrayObject? { value(key, array(at:)) }

    /// The dictionary in a column; nil when there is none.
    public func dictionary(forKey key: String) -> DictionaryObject? { value(key, dictionary(at:)) }

    /// Whether there is a column of that title and it is not missing; null counts.
    public func contains(key: String) -> Bool { value(key, stored) != nil }

    /// The values by title as plain Swift ones. Missing columns are left out, null is `NSNull`.
    public func toDictionary() -> [String: Any] {
        var plain: [String: Any] = [:]
        for (index, title) in table.titles.enumerated() {
            if let value = held(index) { plain[title] = value.resolved(in: source).plain }
        }
        return plain
    }

    /// The column, which need not exist, as a step of a path.
    public subscript(key: String) -> Fragment { Fragment(dictionary: self, key: key) }

    /// Goes through the titles.
    public func makeIterator() -> IndexingIterator<[String]> { keys.makeIterator() }

    /// The values as a JSON array, columns in order, for the log. Missing ones are null.
    var jsonOfColumns: String {
        var writer = JSONWriter()
        writer.append(ascii: "[")
        for index in table.titles.indices {
            if index > 0 { writer.append(ascii: ",") }
            if let value = stored(index), var json = source.json(value) {
                json.withUTF8 { writer.append(raw: UnsafeRawBufferPointer($0)) }
            } else {
                writer.appendNull()
            }
        }
        writer.append(ascii: "]")
        return writer.string
    }

    /// The row as a JSON object, columns in order. Missing ones are left out.
    public func toJSON() -> String {
        var writer = JSONWriter()
        writer.append(ascii: "{")
        for (index, title) in table.titles.enumerated() {
            guard let value = stored(index), var json = source.json(value) else { continue }
            if writer.count > 1 { writer.append(ascii: ",") }
            writer.append(title)
            writer.append(ascii: ":")
            json.withUTF8 { writer.append(raw: UnsafeRawBufferPointer($0)) }
        }
        writer.append(ascii: "}")
        return writer.string
    }
}
