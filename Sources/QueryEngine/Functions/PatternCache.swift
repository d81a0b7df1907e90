/// The most recently compiled patterns of a connection. Most patterns are literals, so a few entries are enough.
///
/// Patterns are compared by their bytes, because patterns that look the same may match differently.
struct PatternCache<Compiled> {
    private struct Entry {
        var kind: String
        var pattern: [UInt8]
        var compiled: Compiled
    }

    private static var capacity: Int { 8 }
    private var entries: [Entry] = []

    /// Returns the compiled form of a pattern. Compiles it with `make` if it is not in the cache.
    ///
    /// - Parameter kind: What the compiled form depends on besides the pattern, such as a collation.
    mutating func value<Failure>(
        for pattern: UnsafeRawBufferPointer,
        of kind: String = "",
        make: ([UInt8]) throws(Failure) -> Compiled
    ) throws(Failure) -> Compiled {
        for entry in entries
        where entry.kind == kind && entry.pattern.count == pattern.count && entry.pattern.elementsEqual(pattern) {
            return entry.compiled
        }
        let bytes = [UInt8](pattern)
        let compiled = try make(bytes)
        if entries.count == Self.capacity { entries.removeFirst() }
        entries.append(Entry(kind: kind, pattern: bytes, compiled: compiled))
        return compiled
    }
}
