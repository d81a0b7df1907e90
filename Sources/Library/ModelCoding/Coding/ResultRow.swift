package import Base
import DatabaseRuntime
import Fleece
package import Foundation
package import QueryEngine
import QueryLanguage

/// A row of a query's results, for decoding an object: its columns, and the properties of a dictionary in one of the
/// columns. A column has precedence over a property with the same name.
package struct ResultRow {
    private let row: Int
    private let rows: RecordedRows
    private let columns: [ExactString: Int]
    private let dictionary: DictionaryValue?

    /// - Parameters:
    ///   - columns: The indexes of the columns by their titles.
    ///   - dataKey: The name of the column with the dictionary.
    /// - Throws: `invalidQuery` if there is no such column; ``ResultRowError`` if it contains another type.
    package init(_ row: Int, of rows: RecordedRows, columns: [ExactString: Int], dataKey: String?) throws {
        self.row = row
        self.rows = rows
        self.columns = columns
        guard let dataKey else {
            dictionary = nil
            return
        }
        guard let column = columns[ExactString(dataKey)] else { throw QueryError.invalidQuery("The query has no column \"\(dataKey)\"") }
        let value = rows.value(row: row, column: column)
        dictionary = value?.dictionary
        guard let value, dictionary == nil, !value.isNull else { return }
        throw ResultRowError.noDictionary(column: dataKey)
    }

    // Recorded rows have no shared keys.

    func value(for key: String) -> Value? {
        if let column = columns[ExactString(key)], let value = rows.value(row: row, column: column) { return value }
        return dictionary?.value(for: key, sharedKeys: .empty)
    }

    /// The names of columns that have a value, followed by the other keys of the dictionary.
    var keys: [String] {
        let titles = rows.columnTitles
        var keys = titles.indices.filter { rows.value(row: row, column: $0) != nil }.map { titles[$0] }
        let columns = Set(exactly: keys)
        dictionary?.forEach { key, _ in
            if let key = key.text(.empty), !columns.contains(key) { keys.append(key) }
        }
        return keys
    }
}

/// The error that a row of a query's results cannot be decoded as an object.
package enum ResultRowError: PublicErrorConvertible {
    /// The column whose dictionary should be decoded contains another type.
    case noDictionary(column: String)
    /// There is neither a column nor an entry of the dictionary for a property.
    case missingValue(DecodingError)

    package var publicError: NSError {
        switch self {
        case .noDictionary(let column):
            LibraryError(LibraryError.Code.decodingError, "The column \"\(column)\" does not contain a dictionary")
        case .missingValue(let error): LibraryError(LibraryError.Code.invalidQuery, error.modelMessage, underlying: error)
        }
    }
}
