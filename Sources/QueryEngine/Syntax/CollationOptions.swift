/// How strings compare: the options of COLLATE (Query 1.6).
///
/// An option that is `nil` is not stated: it is taken from the COLLATE around this one, or else from the default.
package struct CollationOptions: Sendable, Hashable {
    /// Unicode collation instead of the order of bytes. Default: no.
    package var isUnicode: Bool?

    /// Default: yes.
    package var isCaseSensitive: Bool?

    /// Default: yes. It has a meaning in Unicode collation only.
    package var isDiacriticSensitive: Bool?

    /// The locale's identifier; the empty string is the root locale, which is the default.
    package var locale: String?

    package init(isUnicode: Bool? = nil, isCaseSensitive: Bool? = nil, isDiacriticSensitive: Bool? = nil, locale: String? = nil) {
        self.isUnicode = isUnicode
        self.isCaseSensitive = isCaseSensitive
        self.isDiacriticSensitive = isDiacriticSensitive
        self.locale = locale
    }

    /// These options, with those of `outer` where nothing is stated.
    package func inheriting(from outer: CollationOptions) -> CollationOptions {
        CollationOptions(
            isUnicode: isUnicode ?? outer.isUnicode,
            isCaseSensitive: isCaseSensitive ?? outer.isCaseSensitive,
            isDiacriticSensitive: isDiacriticSensitive ?? outer.isDiacriticSensitive,
            locale: locale ?? outer.locale
        )
    }

    /// The name of the collation in SQL, or `nil` for the order of bytes, which is SQLite's default (Query 3.5).
    package var collationName: String? {
        let isCaseSensitive = isCaseSensitive ?? true
        guard isUnicode ?? false else { return isCaseSensitive ? nil : "NOCASE" }
        let caseMark = isCaseSensitive ? "_" : "C"
        let diacriticMark = isDiacriticSensitive ?? true ? "_" : "D"
        return "LCUnicode_\(caseMark)\(diacriticMark)_\(locale ?? "")"
    }
}
