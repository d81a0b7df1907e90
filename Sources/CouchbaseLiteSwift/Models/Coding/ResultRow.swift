import ExactStrings
import Fleece
import QueryEngine

/// A row of a query's results, for decoding an object: its columns, and the properties of a dictionary in one of the
/// columns. A column has precedence over a property with the same name.
struct ResultRow {
    private let table: ResultTable
    private let row: Int
    private let dictionary: DictionaryValue?

    /// - Parameter dataKey: The name of the column with the dictionary.
    /// - Throws: `invalidQuery` if there is no such column; `decodingError` if it contains another type.
    init(_ row: Int, of table: ResultTable, dataKey: String?) throws {
        self.table = table
        self.row = row
        guard let dataKey else {
            dictionary = nil
            return
        }
        guard let column = table.index(of: dataKey) else {
            throw NSError.couchbaseLite(code: CBLError.invalidQuery, message: "The query has no column \"\(dataKey)\"")
        }
        let value = table.rows.value(row: row, column: column)
        dictionary = value?.dictionary
        guard let value, dictionary == nil, !value.isNull else { return }
        throw NSError.couchbaseLite(code: CBLError.decodingError, message: "The column \"\(dataKey)\" does not contain a dictionary")
    }

    func value(for key: String) -> Value? {
        if let column = table.index(of: key), let value = table.rows.value(row: row, column: column) { return value }
        return dictionary?.value(for: key, sharedKeys: table.source.sharedKeys)
    }

    /// The names of columns that have a value, followed by the other keys of the dictionary.
    var keys: [String] {
        var keys = table.titles.indices.filter { table.rows.value(row: row, column: $0) != nil }.map {
            table.titles[$0]
        }
        let titles = Set(exactly: keys)
        dictionary?.forEach { key, _ in
            if let key = key.text(table.source.sharedKeys), !titles.contains(key) { keys.append(key) }
        }
        return keys
    }

    /// Decodes the row.
    ///
    /// - Throws: `invalidQuery` if a property is missing; `decodingError` if one has another type; an error that the
    ///   type throws.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        do {
            return try T(from: ValueDecoder(ModelDecoding(table.source), .row(self)))
        } catch let error as DecodingError {
            if case .keyNotFound(_, let context) = error, context.codingPath.isEmpty {
                throw error.publicError(code: CBLError.invalidQuery)
            }
            throw error
        }
    }
}
