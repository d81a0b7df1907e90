import Foundation

/// Converts text to units that are equal if the collation treats the characters as equal. Used by LIKE and `contains`, which compare
/// character by character (Query 3.8, 3.9).
struct CharacterFolding {
    let isCaseInsensitive: Bool
    let isDiacriticInsensitive: Bool
    /// Whether characters that remain in parts without their diacritics, for example the syllables of Korean, are one unit each.
    private let composes: Bool
    /// Whether only ASCII letters are folded, as by `NOCASE`.
    private let isASCII: Bool

    /// Creates the folding of a collation from its name in SQL (Query 3.5).
    ///
    /// - Parameter composes: Whether a collation that ignores diacritics compares whole characters. The units of `contains` and `fl_like` are
    ///   always their parts, because indexes store the results. Default: `false`.
    init(collationName: String, composes: Bool = false) {
        self.composes = composes
        if let collation = UnicodeCollation(name: collationName) {
            isCaseInsensitive = collation.isCaseInsensitive
            isDiacriticInsensitive = collation.isDiacriticInsensitive
            isASCII = false
        } else {
            isCaseInsensitive = collationName.uppercased() == "NOCASE"
            isDiacriticInsensitive = false
            isASCII = true
        }
    }

    /// Returns the units of a text, one per character.
    func units(of utf8: UnsafeRawBufferPointer) -> [UInt32] {
        if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.map { foldASCII(UInt32($0)) } }
        let text = String(decoding: utf8, as: UTF8.self)
        if isASCII { return text.unicodeScalars.map { foldASCII($0.value) } }
        guard isDiacriticInsensitive else { return text.precomposedStringWithCanonicalMapping.unicodeScalars.map(fold) }
        var scalars = text.decomposedStringWithCanonicalMapping.unicodeScalars
        scalars.removeAll { $0.properties.generalCategory == .nonspacingMark }
        if composes, scalars.contains(where: Self.isPart) { scalars = String(scalars).precomposedStringWithCanonicalMapping.unicodeScalars }
        return scalars.map(fold)
    }

    /// Whether a scalar that is no nonspacing mark may be composed with the one before it: a letter of a Korean syllable, or a spacing mark.
    private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x0900 else { return false }
        return (0x1100...0x11FF).contains(scalar.value) || scalar.properties.generalCategory == .spacingMark
    }

    private func foldASCII(_ value: UInt32) -> UInt32 { isCaseInsensitive && value >= 0x41 && value <= 0x5A ? value | 0x20 : value }

    /// Applies simple case folding. A character whose mapping has more than one character is returned unchanged.
    private func fold(_ scalar: Unicode.Scalar) -> UInt32 {
        guard isCaseInsensitive else { return scalar.value }
        if scalar.isASCII { return foldASCII(scalar.value) }
        let mapped = scalar.properties.lowercaseMapping.unicodeScalars
        guard mapped.count == 1, let single = mapped.first else { return scalar.value }
        return single.value
    }
}
