internal import CSQLiteSystem

/// A call of an SQL function, on which the function sets its result. Borrowed: only valid during the call.
///
/// It has the size of one pointer, and every method is the inlined C call. If no result is set, the result is NULL; a later result replaces
/// an earlier one.
@frozen
package struct FunctionContext {
    @usableFromInline let pointer: OpaquePointer

    /// Wraps the pointer that SQLite passes to a function, which is never null.
    @inlinable @inline(__always)
    package init(_ pointer: OpaquePointer?) { self.pointer = pointer.unsafelyUnwrapped }
}

// MARK: - Results

extension FunctionContext {
    /// Sets the result to NULL, which it also is if no result is set.
    @inlinable @inline(__always)
    package func resultNull() { sqlite3_result_null(pointer) }

    /// Sets the result to an integer.
    @inlinable @inline(__always)
    package func resultInt64(_ value: Int64) { sqlite3_result_int64(pointer, value) }

    /// Sets the result to a floating-point number. NaN becomes NULL.
    @inlinable @inline(__always)
    package func resultDouble(_ value: Double) { sqlite3_result_double(pointer, value) }

    /// Sets the result to the integer 1 or 0, because SQLite has no booleans.
    @inlinable @inline(__always)
    package func resultBool(_ value: Bool) { sqlite3_result_int(pointer, value ? 1 : 0) }

    /// Sets the result to a text in UTF-8, which is copied. An empty buffer is the empty text, not NULL.
    @inlinable @inline(__always)
    package func resultText(_ utf8: UnsafeRawBufferPointer) {
        sqlite3_result_text64(
            pointer,
            utf8.nonNullAddress.assumingMemoryBound(to: CChar.self),
            UInt64(truncatingIfNeeded: utf8.count),
            copyingDestructor,
            UInt8(SQLITE_UTF8)
        )
    }

    /// Sets the result to a text, which is copied.
    @inlinable
    package func resultText(_ text: String) {
        var text = text
        text.withUTF8 { resultText(UnsafeRawBufferPointer($0)) }
    }

    /// Sets the result to a BLOB, which is copied. An empty buffer is a BLOB of length 0, not NULL.
    @inlinable @inline(__always)
    package func resultBlob(_ bytes: UnsafeRawBufferPointer) {
        sqlite3_result_blob64(pointer, bytes.nonNullAddress, UInt64(truncatingIfNeeded: bytes.count), copyingDestructor)
    }

    /// Sets the result to a BLOB of length 0, which is not NULL.
    @inlinable @inline(__always)
    package func resultEmptyBlob() { sqlite3_result_zeroblob(pointer, 0) }

    /// Sets the result to a copy of a value, such as an argument.
    @inlinable @inline(__always)
    package func resultValue(_ value: SQLValue) { sqlite3_result_value(pointer, value.pointer) }

    /// Makes the statement fail with this message and the code 1 (`SQLITE_ERROR`).
    package func resultError(_ message: String) {
        var message = message
        message.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            sqlite3_result_error(pointer, bytes.nonNullAddress.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count))
        }
    }

    /// Makes the statement fail because memory is exhausted.
    package func resultNoMemory() { sqlite3_result_error_nomem(pointer) }

    /// Makes the statement fail because the result would exceed SQLite's limit.
    package func resultTooBig() { sqlite3_result_error_toobig(pointer) }

    /// Makes the statement fail like an interrupted statement.
    package func resultInterrupted() {
        resultError("interrupted")
        sqlite3_result_error_code(pointer, SQLITE_INTERRUPT)
    }

    /// Sets the subtype of the result, a number of 8 bits for the function that receives the result as an argument. It is neither stored in
    /// tables nor in indexes. Must be called after the result has been set.
    @inlinable @inline(__always)
    package func setSubtype(_ subtype: UInt32) { sqlite3_result_subtype(pointer, subtype) }
}

// MARK: - State

extension FunctionContext {
    /// Returns the object with which the function was registered. It is retained by the registration.
    ///
    /// - Precondition: The function was registered with an object of this class; not checked in release builds.
    @inlinable @inline(__always)
    package func userData<Object: AnyObject>(as type: Object.Type) -> Object? {
        guard let address = sqlite3_user_data(pointer) else { return nil }
        assert(Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue() is Object, "user data of another class")
        return Unmanaged<Object>.fromOpaque(address).takeUnretainedValue()
    }

    /// Returns the data that an earlier call of this function in the same statement has stored for a constant argument, such as a parsed
    /// path or a compiled pattern. `nil` if there is none; SQLite may discard it between calls at any time.
    @inlinable @inline(__always)
    package func auxiliaryData(at argument: Int) -> UnsafeMutableRawPointer? {
        sqlite3_get_auxdata(pointer, Int32(truncatingIfNeeded: argument))
    }

    /// Stores data for an argument that is constant throughout the statement. SQLite takes ownership and **may destroy it before this
    /// returns**: use the data first, store it last.
    @inlinable @inline(__always)
    package func setAuxiliaryData(
        _ data: UnsafeMutableRawPointer,
        at argument: Int,
        destroy: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void
    ) {
        sqlite3_set_auxdata(pointer, Int32(truncatingIfNeeded: argument), data, destroy)
    }

    /// Returns the memory of an aggregate function for one group of rows: `byteCount` zero bytes on the first call, the same memory on
    /// later calls. `nil` if memory is exhausted. Resources owned by the memory must be released in the final function, which is always
    /// called.
    @inlinable @inline(__always)
    package func aggregateContext(byteCount: Int) -> UnsafeMutableRawPointer? {
        sqlite3_aggregate_context(pointer, Int32(truncatingIfNeeded: byteCount))
    }

    /// The memory of the group, in a final function. `nil` if the group had no rows.
    @inlinable @inline(__always)
    package var existingAggregateContext: UnsafeMutableRawPointer? {
        sqlite3_aggregate_context(pointer, 0)
    }
}
