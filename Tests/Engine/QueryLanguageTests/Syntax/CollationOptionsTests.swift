import Testing

@testable import QueryLanguage

@Suite("Collation options")
struct CollationOptionsTests {
    @Test(
        "collation options map to the name of an SQL collation",
        arguments: [
            (CollationOptions(), nil),
            (CollationOptions(isCaseSensitive: false), "NOCASE"),
            (CollationOptions(isDiacriticSensitive: false), nil),
            (CollationOptions(isUnicode: true), "LCUnicode____"),
            (CollationOptions(isUnicode: true, isCaseSensitive: false), "LCUnicode_C__"),
            (CollationOptions(isUnicode: true, isCaseSensitive: false, isDiacriticSensitive: false), "LCUnicode_CD_"),
            (CollationOptions(isUnicode: true, isCaseSensitive: false, locale: "se"), "LCUnicode_C__se"),
            (CollationOptions(locale: "se"), nil),
        ] as [(CollationOptions, String?)]
    )
    func names(options: CollationOptions, name: String?) {
        #expect(options.collationName == name)
    }

    @Test("unspecified collation options are inherited")
    func inherits() {
        let outer = CollationOptions(isUnicode: true, isCaseSensitive: false, locale: "se")
        let inner = CollationOptions(isCaseSensitive: true, locale: "")
        #expect(inner.inheriting(from: outer) == CollationOptions(isUnicode: true, isCaseSensitive: true, locale: ""))
    }
}
