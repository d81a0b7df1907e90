import Fleece
import QueryLanguage
import SQLiteEngine

/// The columns that ``ValueTemplate/column(_:)`` refers to.
enum ComputedColumns {
    case none
    /// The current row of a statement.
    case row(Statement)
    /// A row that was recorded earlier.
    case recorded(RecordedRows, row: Int)
}

/// A value to be stored in documents, computed from an expression.
///
/// Literals and parameters are written as they are, so that booleans, data and blobs keep their types. SQLite computes the rest, as columns
/// of a statement.
indirect enum ValueTemplate {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    /// The value of a parameter.
    case parameter(FleeceData)
    /// A column of the statement that computes values. NULL in SQL is MISSING.
    case column(Int)
    case missing
    case array([ValueTemplate])
    case dictionary([(key: String, value: ValueTemplate)])

    /// Creates the template of an expression.
    ///
    /// - Parameter columns: The expressions that SQLite has to compute; those of this expression are appended.
    init(_ expression: QueryExpression, _ parameters: QueryParameters, columns: inout [QueryExpression]) {
        switch expression {
        case .missing: self = .missing
        case .null: self = .null
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .array(let items): self = .array(items.map { ValueTemplate($0, parameters, columns: &columns) })
        case .dictionary(let entries):
            self = .dictionary(entries.map { ($0.key, ValueTemplate($0.value, parameters, columns: &columns)) })
        case .parameter(let name):
            self = parameters[name].map { .parameter($0) } ?? .missing
        default:
            self = .column(columns.count)
            columns.append(expression)
        }
    }

    /// Whether the value is MISSING.
    func isMissing(in columns: ComputedColumns) -> Bool {
        switch self {
        case .missing: true
        case .column(let index): columns.isMissing(index)
        default: false
        }
    }

    /// Writes the value, which must not be MISSING. Items of arrays and entries of dictionaries that are MISSING are omitted.
    func write(_ columns: ComputedColumns, to encoder: inout Encoder) {
        switch self {
        case .missing, .null: encoder.writeNull()
        case .boolean(let value): encoder.write(value)
        case .integer(let value): encoder.write(value)
        case .double(let value): encoder.write(value)
        case .string(let value): encoder.write(value)
        case .parameter(let data): data.withRoot { encoder.write($0, keys: .other(.empty)) } ?? encoder.writeNull()
        case .column(let index): columns.write(index, to: &encoder)
        case .array(let items):
            encoder.beginArray()
            for item in items where !item.isMissing(in: columns) { item.write(columns, to: &encoder) }
            encoder.endArray()
        case .dictionary(let entries):
            encoder.beginDictionary()
            for entry in entries where !entry.value.isMissing(in: columns) {
                encoder.writeKey(entry.key)
                entry.value.write(columns, to: &encoder)
            }
            encoder.endDictionary()
        }
    }

    /// The text of a string; `nil` if the value is not one.
    func text(_ columns: ComputedColumns) -> String? {
        switch self {
        case .string(let text): text
        case .parameter(let data): data.withRoot { $0.string } ?? nil
        case .column(let index): columns.text(index)
        default: nil
        }
    }

    /// Whether the value is a dictionary.
    func isDictionary(_ columns: ComputedColumns) -> Bool {
        switch self {
        case .dictionary: true
        case .parameter(let data): data.withRoot { $0.dictionary != nil } ?? false
        case .column(let index): columns.isDictionary(index)
        default: false
        }
    }
}

extension ComputedColumns {
    fileprivate func isMissing(_ index: Int) -> Bool {
        switch self {
        case .none: true
        case .row(let statement): statement.isNull(at: index)
        case .recorded(let rows, let row): rows.value(row: row, column: index) == nil
        }
    }

    fileprivate func text(_ index: Int) -> String? {
        switch self {
        case .none: nil
        case .row(let statement): statement.columnType(index) == .text ? statement.text(at: index) : nil
        case .recorded(let rows, let row): rows.value(row: row, column: index)?.string
        }
    }

    fileprivate func isDictionary(_ index: Int) -> Bool {
        switch self {
        case .none: false
        case .row(let statement):
            statement.columnType(index) == .blob && Value(root: statement.blob(at: index))?.dictionary != nil
        case .recorded(let rows, let row): rows.value(row: row, column: index)?.dictionary != nil
        }
    }

    fileprivate func write(_ index: Int, to encoder: inout Encoder) {
        switch self {
        case .none: encoder.writeNull()
        case .row(let statement): encoder.write(column: index, of: statement)
        case .recorded(let rows, let row):
            if let value = rows.value(row: row, column: index) { encoder.write(value, keys: .other(.empty)) } else { encoder.writeNull() }
        }
    }
}

extension Encoder {
    /// Writes the value of a column; containers and booleans are Fleece there (Query 5.6).
    fileprivate mutating func write(column: Int, of row: Statement) {
        switch row.columnType(column) {
        case .null: writeNull()
        case .integer: write(row.int64(at: column))
        case .real: write(row.double(at: column))
        case .text: write(utf8: row.textBytes(at: column))
        case .blob:
            if let value = Value(root: row.blob(at: column)) { write(value, keys: .other(.empty)) } else { writeNull() }
        }
    }
}
