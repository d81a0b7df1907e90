/// How strings are compared: the options of COLLATE (Query 1.6).
///
/// An option that is `nil` is inherited from the enclosing COLLATE, or else has its default.
package struct CollationOptions: Sendable, Hashable {
    /// Whether to use Unicode collation instead of byte order. Default: `false`.
    package var isUnicode: Bool?

    /// Whether the comparison is case-sensitive. Default: `true`.
    package var isCaseSensitive: Bool?

    /// Whether the comparison is diacritic-sensitive. Default: `true`. It has an effect only with Unicode collation.
    package var isDiacriticSensitive: Bool?

    /// The identifier of the locale. Default: the empty string, which is the root locale.
    package var locale: String?

    package init(isUnicode: Bool? = nil, isCaseSensitive: Bool? = nil, isDiacriticSensitive: Bool? = nil, locale: String? = nil) {
        self.isUnicode = isUnicode
        self.isCaseSensitive = isCaseSensitive
        self.isDiacriticSensitive = isDiacriticSensitive
        self.locale = locale
    }

    /// Returns these options, with those of `outer` for the options that are `nil`.
    package func inheriting(from outer: CollationOptions) -> CollationOptions {
        CollationOptions(
            isUnicode: isUnicode ?? outer.isUnicode,
            isCaseSensitive: isCaseSensitive ?? outer.isCaseSensitive,
            isDiacriticSensitive: isDiacriticSensitive ?? outer.isDiacriticSensitive,
            locale: locale ?? outer.locale
        )
    }

    /// The name of the collation in SQL; `nil` for byte order, which is SQLite's default (Query 3.5).
    package var collationName: String? {
        let isCaseSensitive = isCaseSensitive ?? true
        guard isUnicode ?? false else { return isCaseSensitive ? nil : "NOCASE" }
        let caseMark = isCaseSensitive ? "_" : "C"
        let diacriticMark = isDiacriticSensitive ?? true ? "_" : "D"
        return "LCUnicode_\(caseMark)\(diacriticMark)_\(locale ?? "")"
    }
}
