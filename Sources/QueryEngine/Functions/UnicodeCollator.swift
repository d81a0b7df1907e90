import Fleece

#if canImport(_FoundationICU)
import _FoundationICU
#else
import Foundation
#endif

/// The full algorithm of a Unicode collation (Query 3.5): that of ICU, which the original has too. Apple's systems offer it through
/// Foundation only, and the original takes that there.
final class UnicodeCollator {
    #if canImport(_FoundationICU)
    /// Nil when memory has run out; then texts are ordered by their bytes.
    private let collator: OpaquePointer?

    init(_ collation: UnicodeCollation) {
        var status = U_ZERO_ERROR
        // An unknown locale has the order of the root.
        collator = swift_ucol_open(collation.locale, &status)
        guard let collator else { return }
        switch (collation.isCaseInsensitive, collation.isDiacriticInsensitive) {
        case (false, false): swift_ucol_setStrength(collator, UCOL_TERTIARY)
        case (true, false): swift_ucol_setStrength(collator, UCOL_SECONDARY)
        case (true, true): swift_ucol_setStrength(collator, UCOL_PRIMARY)
        case (false, true):
            swift_ucol_setStrength(collator, UCOL_PRIMARY)
            swift_ucol_setAttribute(collator, UCOL_CASE_LEVEL, UCOL_ON, &status)
        }
    }

    deinit {
        if let collator { swift_ucol_close(collator) }
    }

    /// Negative, 0 or positive as the first text, in UTF-8, comes before, with or after the second. What is not UTF-8 counts as
    /// U+FFFD.
    func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        guard let collator else { return compareBytes(left, right) }
        var status = U_ZERO_ERROR
        // SQLite's texts are shorter than 2³¹ bytes.
        let order = swift_ucol_strcollUTF8(
            collator,
            left.assumingMemoryBound(to: CChar.self).baseAddress,
            Int32(clamping: left.count),
            right.assumingMemoryBound(to: CChar.self).baseAddress,
            Int32(clamping: right.count),
            &status
        )
        return Int(order.rawValue)
    }
    #else
    private let locale: Locale
    private let options: String.CompareOptions

    init(_ collation: UnicodeCollation) {
        locale = Locale(identifier: collation.locale)
        options = [
            collation.isCaseInsensitive ? .caseInsensitive : [],
            collation.isDiacriticInsensitive ? .diacriticInsensitive : [],
        ]
    }

    /// Negative, 0 or positive as the first text, in UTF-8, comes before, with or after the second.
    func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let order = String(decoding: left, as: UTF8.self).compare(
            String(decoding: right, as: UTF8.self),
            options: options,
            range: nil,
            locale: locale
        )
        return order.rawValue
    }
    #endif
}
