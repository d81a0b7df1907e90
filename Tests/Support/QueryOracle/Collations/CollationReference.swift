#if canImport(_FoundationICU)
import _FoundationICU

/// The order of texts under a collation: that of the sort keys that ICU makes for them.
final class CollationReference {
    private let collator: OpaquePointer

    /// - Parameter name: The name in SQL.
    init?(_ name: String) {
        var status = U_ZERO_ERROR
        let marks = Array(name.dropFirst("LCUnicode_".count).prefix(2))
        guard marks.count == 2, let collator = swift_ucol_open(String(name.dropFirst("LCUnicode_CD_".count)), &status) else { return nil }
        self.collator = collator
        status = U_ZERO_ERROR
        let ignoresCase = marks[0] == "C"
        swift_ucol_setStrength(collator, marks[1] == "D" ? UCOL_PRIMARY : ignoresCase ? UCOL_SECONDARY : UCOL_TERTIARY)
        if marks[1] == "D", !ignoresCase { swift_ucol_setAttribute(collator, UCOL_CASE_LEVEL, UCOL_ON, &status) }
        swift_ucol_setAttribute(collator, UCOL_NORMALIZATION_MODE, UCOL_ON, &status)
        guard status == U_ZERO_ERROR else { return nil }
    }

    deinit { swift_ucol_close(collator) }

    func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
        let (left, right) = (key(left), key(right))
        return left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }

    private func key(_ text: [UInt8]) -> [UInt8] {
        let utf16 = Array(String(decoding: text, as: UTF8.self).utf16)
        var key = [UInt8](repeating: 0, count: 64 + 64 * utf16.count)
        let count = swift_ucol_getSortKey(collator, utf16 + [0], Int32(utf16.count), &key, Int32(key.count))
        return Array(key.prefix(Int(count)))
    }

    /// All locales of which ICU knows an order of their own, among them some that sort in an unusual way.
    static let locales: [String] = {
        let variants = [
            "", "xx", "es@collation=traditional", "de@collation=phonebook", "zh@collation=stroke", "zh@collation=zhuyin",
            "sv@collation=traditional", "ja@collation=unihan", "si@collation=dictionary", "en-u-kn", "en-u-ka-shifted", "en-u-kb",
            "en-u-kc",
            "en@colCaseFirst=upper",
        ]
        return variants + (0..<swift_ucol_countAvailable()).compactMap { swift_ucol_getAvailable($0).map { String(cString: $0) } }
    }()
}
#else
import QueryEngine

/// On Apple systems, Foundation alone knows the order, so only its properties are checked.
final class CollationReference {
    private let compare: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int

    init?(_ name: String) {
        guard let compare = UnicodeCollation(name: name)?.makeComparison() else { return nil }
        self.compare = compare
    }

    func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left.withUnsafeBytes { left in right.withUnsafeBytes { compare(left, $0).signum() } }
    }

    static let locales = ["", "cs", "da", "de", "es", "hr", "hu", "ja", "sv", "th", "zh"]
}
#endif
