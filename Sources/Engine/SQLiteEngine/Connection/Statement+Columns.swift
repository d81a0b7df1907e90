internal import CSQLiteSystem

// Columns are numbered from 0. Reading requires a row (`step()` has returned true); without a row, or for a column that does not exist,
// every value reads as NULL. If the accessor's type differs from the value's type, SQLite converts: `int64` of a text is its leading
// number.

/// The storage classes of SQLite.
package enum SQLiteType: Int32, Sendable {
    /// The classes, numbered from 1 as SQLite does.
    case integer = 1, real, text, blob, null

    /// Creates the type from SQLite's code, which has no other values.
    @inlinable @inline(__always)
    init(code: Int32) { self = SQLiteType(rawValue: code) ?? .null }
}

extension Statement {
    /// Returns the type of the value in a column. Call it before reading the value as another type, because the conversion changes the
    /// type.
    @inlinable
    package func columnType(_ index: Int) -> SQLiteType {
        SQLiteType(code: sqlite3_column_type(handle, Int32(truncatingIfNeeded: index)))
    }

    /// Returns whether the value in a column, numbered from 0, is NULL. Converts nothing.
    @inlinable
    package func isNull(at index: Int) -> Bool {
        sqlite3_column_type(handle, Int32(truncatingIfNeeded: index)) == SQLITE_NULL
    }

    /// Returns the value in a column as an integer. 0 for NULL.
    @inlinable
    package func int64(at index: Int) -> Int64 {
        sqlite3_column_int64(handle, Int32(truncatingIfNeeded: index))
    }

    /// Returns the value in a column as a floating-point number. 0 for NULL.
    @inlinable
    package func double(at index: Int) -> Double {
        sqlite3_column_double(handle, Int32(truncatingIfNeeded: index))
    }

    /// Returns the value in a column as a text. Empty for NULL. Invalid UTF-8 is replaced by replacement characters.
    @inlinable
    package func text(at index: Int) -> String { String(decoding: textBytes(at: index), as: UTF8.self) }

    /// Returns the value in a column as a text, or `nil` for NULL.
    @inlinable
    package func optionalText(at index: Int) -> String? { isNull(at: index) ? nil : text(at: index) }

    /// Returns the bytes of a column's text in UTF-8, not copied. They are valid until the next `step`, `reset` or finalization, and until
    /// the column is read as another type.
    @inlinable
    package func textBytes(at index: Int) -> UnsafeRawBufferPointer {
        let column = Int32(truncatingIfNeeded: index)
        let start = sqlite3_column_text(handle, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    /// Returns the bytes of a column's BLOB, not copied. They are valid until the next `step`, `reset` or finalization, and until the
    /// column is read as another type. Empty for NULL and for a BLOB of length 0; `isNull(at:)` distinguishes the two.
    @inlinable
    package func blob(at index: Int) -> UnsafeRawBufferPointer {
        let column = Int32(truncatingIfNeeded: index)
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }
}
