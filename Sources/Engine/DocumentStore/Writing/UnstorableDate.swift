package import Fleece

/// The error of saving a date whose year is not from 0 to 9999 (API 1.4).
package struct UnstorableDate: Error, CustomStringConvertible {
    /// The keys that lead to the date, of which the last one can be that of an array; or the name of a parameter.
    package fileprivate(set) var path: [String] = []
    /// The number of containers around the date whose keys are not in the path.
    fileprivate var depth: Int

    /// The reason as a clause, for messages that name the date otherwise.
    package static let reason = "a date is out of range: only years from 0 to 9999 can be stored"

    package var description: String {
        path.isEmpty
            ? "The value cannot be stored: \(Self.reason)"
            : "The value of \"\(path.joined(separator: "."))\" cannot be stored: \(Self.reason)"
    }
}

extension EncodingContext {
    /// Writes a value that was set. A date that cannot be stored is remembered until its key is known.
    @inlinable
    package mutating func write(_ scalar: ScalarValue, into encoder: inout Encoder) {
        if case .date(let seconds) = scalar { check(seconds) }
        encoder.write(scalar)
    }

    @usableFromInline
    mutating func check(_ seconds: Double) {
        guard unstorable == nil, ISO8601.storedMilliseconds(seconds: seconds) == nil else { return }
        unstorable = UnstorableDate(depth: depth)
    }

    /// Notices the key of a value that was written.
    @inlinable
    package mutating func noticeKey(_ key: String) {
        if unstorable != nil { name(key) }
    }

    /// Notices the key of a string that was written, and sets ``containsBlobs`` if it makes its dictionary a blob, for dictionaries that were
    /// built key by key.
    @inlinable
    package mutating func notice(_ text: String, forKey key: String) {
        if key == BlobDictionary.typeKey, text == BlobDictionary.typeValue { containsBlobs = true }
    }

    @usableFromInline
    mutating func name(_ key: String) {
        guard var found = unstorable, found.depth >= depth else { return }
        // Later keys of this dictionary, and of those inside of it, are not on the path.
        found.path.insert(key, at: 0)
        found.depth = depth - 1
        unstorable = found
    }

    /// Returns `result`, unless a date that was written cannot be stored.
    ///
    /// - Parameter name: The name of what was written; `nil` for the properties of a document.
    /// - Throws: ``UnstorableDate``.
    package func checked<Result>(_ result: Result, as name: String? = nil) throws(UnstorableDate) -> Result {
        guard var unstorable else { return result }
        if let name { unstorable.path.insert(name, at: 0) }
        throw unstorable
    }
}
