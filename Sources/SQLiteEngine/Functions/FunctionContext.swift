internal import CSQLiteSystem

/// The call of a function from SQL, to which the function gives its result. Borrowed: valid during the call.
///
/// One pointer wide; everything is the C call, inlined. A function that sets no result returns NULL; the last result set counts.
@frozen
package struct FunctionContext {
    @usableFromInline let pointer: OpaquePointer

    /// Wraps what SQLite passes to a function, which is never null.
    @inlinable @inline(__always)
    package init(_ pointer: OpaquePointer?) {
        self.pointer = pointer.unsafelyUnwrapped
    }
}

// MARK: - Results

extension FunctionContext {
    /// The result is NULL.
    @inlinable @inline(__always)
    package func resultNull() { sqlite3_result_null(pointer) }

    /// The result is an integer.
    @inlinable @inline(__always)
    package func resultInt64(_ value: Int64) { sqlite3_result_int64(pointer, value) }

    /// The result is a floating-point number; NaN becomes NULL.
    @inlinable @inline(__always)
    package func resultDouble(_ value: Double) { sqlite3_result_double(pointer, value) }

    /// The result is 1 or 0.
    @inlinable @inline(__always)
    package func resultBool(_ value: Bool) { sqlite3_result_int(pointer, value ? 1 : 0) }

    /// The result is a text in UTF-8, which is copied. No bytes are the empty text, not NULL.
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

    /// The result is a text, which is copied.
    @inlinable
    package func resultText(_ text: String) {
        var text = text
        text.withUTF8 { resultText(UnsafeRawBufferPointer($0)) }
    }

    /// The result is a BLOB, which is copied. No bytes are a BLOB of length 0, not NULL.
    @inlinable @inline(__always)
    package func resultBlob(_ bytes: UnsafeRawBufferPointer) {
        sqlite3_result_blob64(pointer, bytes.nonNullAddress, UInt64(truncatingIfNeeded: bytes.count), copyingDestructor)
    }

    /// The result is a BLOB of length 0.
    @inlinable @inline(__always)
    package func resultEmptyBlob() { sqlite3_result_zeroblob(pointer, 0) }

    /// The result is a copy of a value, such as an argument.
    @inlinable @inline(__always)
    package func resultValue(_ value: SQLValue) { sqlite3_result_value(pointer, value.pointer) }

    /// The result is a pointer that only a function asking for the same type name gets to see; SQL sees NULL.
    package func resultPointer(
        _ value: UnsafeMutableRawPointer,
        type: StaticString,
        destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)? = nil
    ) {
        let name = UnsafeRawPointer(type.utf8Start).assumingMemoryBound(to: CChar.self)
        sqlite3_result_pointer(pointer, value, name, destroy)
    }

    /// The statement fails with this message, and the code 1 (`SQLITE_ERROR`).
    package func resultError(_ message: String) {
        var message = message
        message.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            sqlite3_result_error(pointer, bytes.nonNullAddress.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count))
        }
    }

    /// The statement fails because memory has run out.
    package func resultNoMemory() { sqlite3_result_error_nomem(pointer) }

    /// The statement fails because the result would be larger than SQLite's limit.
    package func resultTooBig() { sqlite3_result_error_toobig(pointer) }

    /// The statement fails as one that was interrupted.
    package func resultInterrupted() {
        resultError("interrupted")
        sqlite3_result_error_code(pointer, SQLITE_INTERRUPT)
    }

    /// Puts a small number (8 bits) on the result, for the function that takes it as an argument. Not stored in tables, and not kept
    /// by indexes. Call it after the result has been set.
    @inlinable @inline(__always)
    package func setSubtype(_ subtype: UInt32) { sqlite3_result_subtype(pointer, subtype) }
}

// MARK: - State

extension FunctionContext {
    /// The object the function was registered with, not retained for the call; the registration keeps it.
    ///
    /// - Precondition: the function was registered with an object of this class; not checked in release builds.
    @inlinable @inline(__always)
    package func userData<Object: AnyObject>(as type: Object.Type) -> Object? {
        guard let address = sqlite3_user_data(pointer) else { return nil }
        assert(Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue() is Object, "user data of another class")
        return Unmanaged<Object>.fromOpaque(address).takeUnretainedValue()
    }

    /// What an earlier call of this function in the same statement has kept for an argument that is constant: a parsed path, a
    /// compiled pattern. `nil` if nothing is kept; SQLite may drop it at any time between calls.
    @inlinable @inline(__always)
    package func auxiliaryData(at argument: Int) -> UnsafeMutableRawPointer? {
        sqlite3_get_auxdata(pointer, Int32(truncatingIfNeeded: argument))
    }

    /// Keeps something for an argument that is constant throughout the statement. SQLite owns it from here on and **may destroy it
    /// before this returns**: use it first, set it last.
    @inlinable @inline(__always)
    package func setAuxiliaryData(
        _ data: UnsafeMutableRawPointer,
        at argument: Int,
        destroy: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void
    ) {
        sqlite3_set_auxdata(pointer, Int32(truncatingIfNeeded: argument), data, destroy)
    }

    /// The memory of an aggregate for one group of rows: `byteCount` zero bytes at the first call, the same memory at every later one.
    /// `nil` if memory has run out. What the bytes own must be given back in the final function, which is always called.
    @inlinable @inline(__always)
    package func aggregateContext(byteCount: Int) -> UnsafeMutableRawPointer? {
        sqlite3_aggregate_context(pointer, Int32(truncatingIfNeeded: byteCount))
    }

    /// In a final function: the memory of the group; `nil` if no row came.
    @inlinable @inline(__always)
    package var existingAggregateContext: UnsafeMutableRawPointer? {
        sqlite3_aggregate_context(pointer, 0)
    }
}
