internal import CSQLiteSystem

// Columns are numbered from 0. Reading needs a row (`step()` has returned true); without one, and for a column that does not
// exist, everything reads as NULL. Where type and accessor differ, SQLite converts: `int64` of a text is its leading number.

/// The storage classes of SQLite.
package enum SQLiteType: Int32, Sendable {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5

    /// From SQLite's number, which has no other values.
    @inlinable @inline(__always)
    init(code: Int32) {
        self = SQLiteType(rawValue: code) ?? .null
    }
}

extension Statement {
    /// The type of the value in a column. Ask before reading it in another type: converting changes the answer.
    @inlinable
    package func columnType(_ index: Int) -> SQLiteType {
        SQLiteType(code: sqlite3_column_type(handle, Int32(truncatingIfNeeded: index)))
    }

    /// Whether the value in a column is NULL.
    @inlinable
    package func isNull(at index: Int) -> Bool {
        sqlite3_column_type(handle, Int32(truncatingIfNeeded: index)) == SQLITE_NULL
    }

    /// The value in a column as an integer; 0 for NULL.
    @inlinable
    package func int64(at index: Int) -> Int64 {
        sqlite3_column_int64(handle, Int32(truncatingIfNeeded: index))
    }

    /// The value in a column as a floating-point number; 0 for NULL.
    @inlinable
    package func double(at index: Int) -> Double {
        sqlite3_column_double(handle, Int32(truncatingIfNeeded: index))
    }

    /// The value in a column as a text; empty for NULL. Bytes that are not UTF-8 become replacement characters.
    @inlinable
    package func text(at index: Int) -> String {
        String(decoding: textBytes(at: index), as: UTF8.self)
    }

    /// The value in a column as a text; `nil` for NULL.
    @inlinable
    package func optionalText(at index: Int) -> String? {
        isNull(at: index) ? nil : text(at: index)
    }

    /// The bytes of a column's text in UTF-8, not copied: valid until the next `step`, `reset` or finalization, and until the
    /// column is read in another type.
    @inlinable
    package func textBytes(at index: Int) -> UnsafeRawBufferPointer {
        let column = Int32(truncatingIfNeeded: index)
        let start = sqlite3_column_text(handle, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    /// The bytes of a column's BLOB, not copied: valid until the next `step`, `reset` or finalization, and until the column is read
    /// in another type. Empty for NULL and for a BLOB of length 0; `isNull(at:)` tells which.
    @inlinable
    package func blob(at index: Int) -> UnsafeRawBufferPointer {
        let column = Int32(truncatingIfNeeded: index)
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    /// The value in a column as SQLite holds it; `nil` when the statement is void. Valid until the next `step`, `reset` or
    /// finalization.
    @inlinable
    package func columnValue(at index: Int) -> SQLValue? {
        guard let handle, let value = sqlite3_column_value(handle, Int32(truncatingIfNeeded: index)) else { return nil }
        return SQLValue(value)
    }
}
