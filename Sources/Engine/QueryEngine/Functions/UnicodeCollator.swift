import Fleece

#if canImport(_FoundationICU)
import _FoundationICU
#else
import Foundation
#endif

/// The Unicode collation algorithm of ICU (Query 3.5), which the original also uses. On Apple systems ICU is available only through
/// Foundation, as in the original.
///
/// Used by one thread at a time.
final class UnicodeCollator {
    #if canImport(_FoundationICU)
    private let collator: OpaquePointer
    /// Whether ICU's comparison gives the order of the sort keys for every two plain texts.
    private let comparesPlainTexts: Bool
    // Safe: the owner of the connection uses it, and its collations, on one thread at a time.
    @exclusivity(unchecked) private var left = CollationKey()
    @exclusivity(unchecked) private var right = CollationKey()

    /// Opens the collator of a locale, or that of the root locale if there is none for it. Returns `nil` if memory is exhausted.
    init?(_ collation: UnicodeCollation) {
        var status = U_ZERO_ERROR
        guard let collator = swift_ucol_open(collation.locale, &status) ?? Self.root(after: status) else { return nil }
        self.collator = collator
        status = U_ZERO_ERROR
        switch (collation.isCaseInsensitive, collation.isDiacriticInsensitive) {
        case (false, false): swift_ucol_setStrength(collator, UCOL_TERTIARY)
        case (true, false): swift_ucol_setStrength(collator, UCOL_SECONDARY)
        case (true, true): swift_ucol_setStrength(collator, UCOL_PRIMARY)
        case (false, true):
            swift_ucol_setStrength(collator, UCOL_PRIMARY)
            swift_ucol_setAttribute(collator, UCOL_CASE_LEVEL, UCOL_ON, &status)
        }
        // Otherwise the order of several marks of a character would make a difference, which has no meaning in Unicode.
        swift_ucol_setAttribute(collator, UCOL_NORMALIZATION_MODE, UCOL_ON, &status)
        let isUpperCaseFirst = swift_ucol_getAttribute(collator, UCOL_CASE_FIRST, &status) != UCOL_OFF
        let hasCaseLevel = swift_ucol_getAttribute(collator, UCOL_CASE_LEVEL, &status) != UCOL_OFF
        comparesPlainTexts = status.rawValue <= U_ZERO_ERROR.rawValue && !(isUpperCaseFirst && hasCaseLevel)
    }

    deinit { swift_ucol_close(collator) }

    /// The locale may have been no name of a locale at all, such as one of thousands of characters.
    private static func root(after status: UErrorCode) -> OpaquePointer? {
        guard status != U_MEMORY_ALLOCATION_ERROR else { return nil }
        var status = U_ZERO_ERROR
        return swift_ucol_open("", &status)
    }

    /// Identifies the order: if it is the same in two releases of ICU, both order all texts in the same way.
    var version: String {
        func text(_ read: (UnsafeMutablePointer<UInt8>) -> Void) -> String {
            var parts = [UInt8](repeating: 0, count: Int(U_MAX_VERSION_LENGTH))
            parts.withUnsafeMutableBufferPointer { buffer in
                if let start = buffer.baseAddress { read(start) }
            }
            return parts.map { String($0) }.joined(separator: ".")
        }
        var status = U_ZERO_ERROR
        let locale = swift_ucol_getLocaleByType(collator, ULOC_ACTUAL_LOCALE, &status).map { String(cString: $0) } ?? ""
        let version = text { swift_ucol_getVersion(collator, $0) }
        return "ICU \(version), UCA \(text { swift_ucol_getUCAVersion(collator, $0) }), \(locale)"
    }

    /// Returns a negative number, 0 or a positive number if the first UTF-8 text sorts before, equal to or after the second. Invalid UTF-8
    /// counts as U+FFFD.
    ///
    /// The order is that of the sort keys, and hence a total one. ICU's own comparison, which is faster, contradicts them for some texts with
    /// combining or ignored characters: it skips what the texts have in common at the beginning, although later characters may depend on it.
    func compare(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        if comparesPlainTexts, first.count <= CollationKey.maximumLength, second.count <= CollationKey.maximumLength,
            PlainText.isOne(first),
            PlainText.isOne(second)
        {
            var status = U_ZERO_ERROR
            let order = swift_ucol_strcollUTF8(
                collator,
                first.assumingMemoryBound(to: CChar.self).baseAddress,
                Int32(first.count),
                second.assumingMemoryBound(to: CChar.self).baseAddress,
                Int32(second.count),
                &status
            )
            if status.rawValue <= U_ZERO_ERROR.rawValue { return Int(order.rawValue) }
        }
        if compareBytes(first, second) == 0 { return 0 }
        left.set(first, collator)
        right.set(second, collator)
        return left.compare(right)
    }
    #else
    private let locale: Locale
    private let options: String.CompareOptions

    init?(_ collation: UnicodeCollation) {
        locale = Locale(identifier: collation.locale)
        options = [
            collation.isCaseInsensitive ? .caseInsensitive : [],
            collation.isDiacriticInsensitive ? .diacriticInsensitive : [],
        ]
    }

    /// Identifies the order, which may change with the system.
    var version: String { ProcessInfo.processInfo.operatingSystemVersionString }

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

#if canImport(_FoundationICU)
/// The sort key of a text, in memory that is used again for the next text.
private struct CollationKey {
    /// The number of bytes of a text that the key represents. ICU counts in 32 bits. The rest of a longer text is compared by its bytes.
    static let maximumLength = 1 << 27
    /// A longer buffer is not kept.
    private static let maximumKeptCount = 1 << 16

    private var utf16: [UChar] = Array(repeating: 0, count: 256)
    private var key: [UInt8] = Array(repeating: 0, count: 1024)
    private var keyCount = 0
    private var rest: [UInt8] = []

    mutating func set(_ text: UnsafeRawBufferPointer, _ collator: OpaquePointer) {
        let start = UnsafeRawBufferPointer(rebasing: text.prefix(Self.maximumLength))
        if !rest.isEmpty || text.count > Self.maximumLength { rest = Array(text.dropFirst(Self.maximumLength)) }
        if utf16.count < start.count || utf16.count > Self.maximumKeptCount {
            utf16 = Array(repeating: 0, count: max(start.count, 256))
        }
        var status = U_ZERO_ERROR
        var length: Int32 = 0
        swift_u_strFromUTF8WithSub(
            &utf16,
            Int32(utf16.count),
            &length,
            start.assumingMemoryBound(to: CChar.self).baseAddress,
            Int32(start.count),
            0xFFFD,
            nil,
            &status
        )
        if key.count > Self.maximumKeptCount { key = Array(repeating: 0, count: 1024) }
        keyCount = Int(swift_ucol_getSortKey(collator, utf16, length, &key, Int32(key.count)))
        if keyCount > key.count {
            key = Array(repeating: 0, count: keyCount)
            keyCount = Int(swift_ucol_getSortKey(collator, utf16, length, &key, Int32(key.count)))
        }
    }

    func compare(_ other: CollationKey) -> Int {
        let order = compareBytes(key, keyCount, other.key, other.keyCount)
        return order != 0 ? order : compareBytes(rest, rest.count, other.rest, other.rest.count)
    }

    private func compareBytes(_ left: [UInt8], _ leftCount: Int, _ right: [UInt8], _ rightCount: Int) -> Int {
        left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                Fleece.compareBytes(
                    UnsafeRawBufferPointer(rebasing: left.prefix(leftCount)),
                    UnsafeRawBufferPointer(rebasing: right.prefix(rightCount))
                )
            }
        }
    }
}
#endif
