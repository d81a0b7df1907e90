import Fleece

#if canImport(_FoundationICU)
import _FoundationICU
#else
import Foundation
#endif

/// The full Unicode collation algorithm (Query 3.5) of ICU, which the original also uses. On Apple systems ICU is available only through
/// Foundation, as in the original.
final class UnicodeCollator {
    #if canImport(_FoundationICU)
    /// `nil` if memory is exhausted; texts are then ordered by their bytes.
    private let collator: OpaquePointer?

    init(_ collation: UnicodeCollation) {
        var status = U_ZERO_ERROR
        // An unknown locale falls back to the root locale.
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

    /// Returns a negative number, 0 or a positive number if the first UTF-8 text sorts before, equal to or after the second. Invalid UTF-8
    /// counts as U+FFFD.
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

    /// Returns a negative number, 0 or a positive number if the first UTF-8 text sorts before, equal to or after the second.
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
