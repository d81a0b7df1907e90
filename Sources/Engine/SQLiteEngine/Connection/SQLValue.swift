internal import CSQLiteSystem

/// A value owned by SQLite: an argument of a function called from SQL, or a column of a row.
///
/// Borrowed: valid during the function call, or until the statement is stepped or reset. It has the size of one pointer, and every accessor
/// is the inlined C call. Reading it as a type other than ``type`` converts the value in place and invalidates bytes that were read before.
@frozen
package struct SQLValue {
    @usableFromInline let pointer: OpaquePointer

    /// Wraps a pointer that SQLite has passed to a function.
    @inlinable @inline(__always)
    package init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// The type of the value. Read it before converting.
    @inlinable @inline(__always)
    package var type: SQLiteType { SQLiteType(code: sqlite3_value_type(pointer)) }

    /// Whether the value is NULL of SQL. Converts nothing.
    @inlinable @inline(__always)
    package var isNull: Bool { sqlite3_value_type(pointer) == SQLITE_NULL }

    /// Whether the value is a number, or a text that is completely a number. Such a text is converted to the number.
    @inlinable @inline(__always)
    package var isNumeric: Bool {
        let type = sqlite3_value_numeric_type(pointer)
        return type == SQLITE_INTEGER || type == SQLITE_FLOAT
    }

    /// The value as an integer. 0 for NULL.
    @inlinable @inline(__always)
    package var int64: Int64 { sqlite3_value_int64(pointer) }

    /// The value as a floating-point number. 0 for NULL.
    @inlinable @inline(__always)
    package var double: Double { sqlite3_value_double(pointer) }

    /// The value's text in UTF-8, not copied. Empty for NULL.
    @inlinable @inline(__always)
    package var textBytes: UnsafeRawBufferPointer {
        let start = sqlite3_value_text(pointer)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(pointer)))
    }

    /// The value's text. Empty for NULL. Invalid UTF-8 is replaced by replacement characters.
    @inlinable
    package var text: String { String(decoding: textBytes, as: UTF8.self) }

    /// The value's bytes, not copied. Empty for NULL.
    @inlinable @inline(__always)
    package var blobBytes: UnsafeRawBufferPointer {
        let start = sqlite3_value_blob(pointer)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(pointer)))
    }

    /// The subtype that another function has set on its result with ``FunctionContext/setSubtype(_:)``. 0 if there is none. The function
    /// that reads it must be registered with ``FunctionFlags/subtype``.
    @inlinable @inline(__always)
    package var subtype: UInt32 { sqlite3_value_subtype(pointer) }
}

/// The arguments of a function called from SQL. Borrowed: only valid during the call.
@frozen
package struct FunctionArguments {
    @usableFromInline let values: UnsafeMutablePointer<OpaquePointer?>
    /// The number of arguments of this call.
    package let count: Int

    /// Wraps the arguments that SQLite passes to a function. `values` may only be null if `count` is 0.
    @inlinable @inline(__always)
    package init(_ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
        self.count = Int(count)
        self.values = values.unsafelyUnwrapped
    }

    /// Returns an argument, numbered from 0. Not checked in release builds: a function registered with a fixed number of arguments always
    /// gets that number.
    @inlinable @inline(__always)
    package subscript(index: Int) -> SQLValue {
        assert(index >= 0 && index < count, "a function asked for an argument it was not given")
        return SQLValue(values[index].unsafelyUnwrapped)
    }
}
