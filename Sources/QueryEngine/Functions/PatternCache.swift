/// What has been made last of patterns on a connection. They are mostly literals, so a few are enough.
///
/// Patterns are told apart by their bytes: those that look alike may match otherwise.
struct PatternCache<Compiled> {
    private struct Entry {
        var kind: String
        var pattern: [UInt8]
        var compiled: Compiled
    }

    private static var capacity: Int { 8 }
    private var entries: [Entry] = []

    /// What belongs to a pattern, made now if it is not there.
    ///
    /// - Parameter kind: What else it depends on.
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
