import ModelCoding

extension String {
    /// The string in lower case, for comparisons without case in `#Predicate`.
    ///
    /// ```swift
    /// let word = "soup"
    /// let soups = recipes.query(where: #Predicate { $0.title.ignoringCase.starts(with: word.ignoringCase) })
    /// ```
    ///
    /// In a query it is `LOWER(title)`, so an index on this expression speeds up a comparison.
    ///
    /// - Complexity: O(*n*) in the length of the string.
    public var ignoringCase: String { lowercased() }

    /// Returns the form of a string that a key path denotes; `nil` for any other key path.
    @Sendable
    static func form(of keyPath: AnyKeyPath) -> TextForm? {
        #if !canImport(Darwin)
        if keyPath == \String.searched { return .searched }
        #endif
        return keyPath == \String.ignoringCase ? .ignoringCase : nil
    }
}
