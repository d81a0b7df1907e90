public import CSQLiteSystem

// Parameters are numbered from 1, as in SQL. Binding throws if the statement has no such parameter, the value exceeds SQLite's size limit
// (1,000,000,000 bytes unless lowered), or the statement is on a row.

/// Makes SQLite copy the bytes before the call returns (`SQLITE_TRANSIENT`, a cast in C that Swift does not import).
@inlinable @inline(__always)
var copyingDestructor: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

extension UnsafeRawBufferPointer {
    /// The address of the bytes, which is not null even for an empty buffer: SQLite would treat a null pointer as NULL.
    @inlinable @inline(__always)
    var nonNullAddress: UnsafeRawPointer {
        baseAddress ?? UnsafeRawPointer(("" as StaticString).utf8Start)
    }
}

extension Statement {
    /// Sets a parameter to NULL. Parameters are numbered from 1, here and below.
    @inlinable
    package func bindNull(at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_null(handle, Int32(truncatingIfNeeded: index)))
    }

    /// Sets a parameter to an integer.
    @inlinable
    package func bind(_ value: Int64, at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_int64(handle, Int32(truncatingIfNeeded: index), value))
    }

    /// Sets a parameter to an integer. This overload is used for literals.
    @inlinable
    package func bind(_ value: Int, at index: Int) throws(SQLiteError) {
        try bind(Int64(value), at: index)
    }

    /// Sets a parameter to a floating-point number. SQLite stores NaN as NULL.
    @inlinable
    package func bind(_ value: Double, at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_double(handle, Int32(truncatingIfNeeded: index), value))
    }

    /// Sets a parameter to a text, which is copied.
    @inlinable
    package func bindText(_ text: String, at index: Int) throws(SQLiteError) {
        var text = text
        let result = text.withUTF8 { utf8 in
            bindTextBytes(UnsafeRawBufferPointer(utf8), at: index, copyingDestructor)
        }
        try check(result)
    }

    /// Sets a parameter to a text in UTF-8, which is copied.
    @inlinable
    package func bindText(_ utf8: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
        try check(bindTextBytes(utf8, at: index, copyingDestructor))
    }

    /// Sets a parameter to a text in UTF-8, which is **not** copied: the bytes must stay valid and unchanged until the parameter is bound
    /// again or cleared, or the statement is finalized.
    @inlinable
    package func bindText(borrowing utf8: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
        try check(bindTextBytes(utf8, at: index, nil))
    }

    /// Sets a parameter to a BLOB, which is copied. An empty buffer is a BLOB of length 0, not NULL.
    @inlinable
    package func bindBlob(_ bytes: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
        try check(bindBlobBytes(bytes, at: index, copyingDestructor))
    }

    /// Sets a parameter to a BLOB, which is **not** copied: the bytes must stay valid and unchanged until the parameter is bound again or
    /// cleared, or the statement is finalized. An empty buffer is a BLOB of length 0, not NULL.
    @inlinable
    package func bindBlob(borrowing bytes: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
        try check(bindBlobBytes(bytes, at: index, nil))
    }

    /// Sets a parameter to a BLOB, which is copied.
    package func bindBlob(_ bytes: [UInt8], at index: Int) throws(SQLiteError) {
        try check(bytes.withUnsafeBytes { bindBlobBytes($0, at: index, copyingDestructor) })
    }

    @inlinable @inline(__always)
    func bindTextBytes(_ utf8: UnsafeRawBufferPointer, at index: Int, _ destructor: sqlite3_destructor_type?) -> Int32 {
        sqlite3_bind_text64(
            handle,
            Int32(truncatingIfNeeded: index),
            utf8.nonNullAddress.assumingMemoryBound(to: CChar.self),
            UInt64(truncatingIfNeeded: utf8.count),
            destructor,
            UInt8(SQLITE_UTF8)
        )
    }

    @inlinable @inline(__always)
    func bindBlobBytes(_ bytes: UnsafeRawBufferPointer, at index: Int, _ destructor: sqlite3_destructor_type?) -> Int32 {
        sqlite3_bind_blob64(
            handle,
            Int32(truncatingIfNeeded: index),
            bytes.nonNullAddress,
            UInt64(truncatingIfNeeded: bytes.count),
            destructor
        )
    }

    @inlinable @inline(__always)
    func check(_ result: Int32) throws(SQLiteError) {
        if result != SQLITE_OK { throw failure(result) }
    }
}
