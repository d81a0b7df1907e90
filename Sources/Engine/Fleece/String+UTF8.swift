extension String {
    /// Calls `body` with the UTF-8 of the string. In contrast to `withUTF8`, it needs no variable: a copy into one would be retained and
    /// released.
    @inlinable @inline(__always)
    func withUTF8Bytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        #if canImport(ObjectiveC)
        // Strings that come from `NSString` are not stored as UTF-8.
        var copy = self
        return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        #else
        // All strings are stored as UTF-8.
        return utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }!
        #endif
    }
}
