/// A collation of the family `LCUnicode_<case><diacritics>_<locale>`, parsed from its name (Query 3.5).
package struct UnicodeCollation: Sendable {
    let isCaseInsensitive: Bool
    let isDiacriticInsensitive: Bool
    let locale: String

    /// Parses the name of a collation; returns `nil` if it is not of the family.
    package init?(name: String) {
        let prefix = "LCUnicode_"
        guard name.hasPrefix(prefix) else { return nil }
        let marks = Array(name.dropFirst(prefix.count).unicodeScalars)
        guard marks.count >= 3, marks[2] == "_", marks[0] == "_" || marks[0] == "C", marks[1] == "_" || marks[1] == "D"
        else { return nil }
        isCaseInsensitive = marks[0] == "C"
        isDiacriticInsensitive = marks[1] == "D"
        var identifier = ""
        identifier.unicodeScalars.append(contentsOf: marks.dropFirst(3))
        locale = identifier
    }

    /// Returns a function that compares two texts in UTF-8; `nil` if memory is exhausted.
    ///
    /// It is a total order. The function must be used by one thread at a time.
    package func makeComparison() -> ((UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int)? {
        guard let collator = UnicodeCollator(self) else { return nil }
        return { collator.compare($0, $1) }
    }
}
