import QueryLanguage

/// A string parsed as a number (Query 3.11, `tonumber`).
enum NumberText {
    case integer(Int64)
    case double(Double)
    /// The text spells a NaN.
    case notANumber

    /// Parses text as an integer if it is one, with or without surrounding white space. Otherwise it takes the prefix that C's `strtod`
    /// reads where the decimal sign is a point: `12abc` is 12, `0x10` is 16, and a text without digits is 0.
    init(_ utf8: UnsafeRawBufferPointer) {
        var text = utf8[...]
        while let first = text.first, first.isSpace { text.removeFirst() }
        while let last = text.last, last.isSpace { text.removeLast() }
        // The text is truncated, because more characters than this do not change the double.
        let characters = text.prefix(Self.longest).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        if let number = Int64(String(decoding: characters, as: UTF8.self)), text.count <= Self.longest {
            self = .integer(number)
            return
        }
        // `strtod` itself is not called, because it reads the decimal sign of the locale that the app has chosen.
        var scan = NumberScan(text: characters)
        let number = Double(String(decoding: characters[..<scan.end()], as: UTF8.self)) ?? 0
        self = number.isNaN ? .notANumber : .double(number)
    }

    private static let longest = 4096
}

/// Finds the end of a number at the beginning of a text in small letters, by the grammar of C's `strtod`.
private struct NumberScan {
    let text: [UInt8]
    private var position = 0

    init(text: [UInt8]) { self.text = text }

    /// Returns the index after the number; 0 if there is none.
    mutating func end() -> Int {
        skipSign()
        let rest = text[position...]
        if rest.starts(with: "inf".utf8) || rest.starts(with: "nan".utf8) { return position + 3 }
        let start = position
        if skip("0"), skip("x"), skipMantissa(isHexadecimal: true) {
            skipExponent("p")
            return position
        }
        position = start
        guard skipMantissa(isHexadecimal: false) else { return 0 }
        skipExponent("e")
        return position
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSign() {
        if !skip("-") { _ = skip("+") }
    }

    /// Skips digits, with or without a point among them. Returns `false` if there are none.
    private mutating func skipMantissa(isHexadecimal: Bool) -> Bool {
        let whole = skipDigits(isHexadecimal)
        let fraction = skip(".") ? skipDigits(isHexadecimal) : 0
        return whole + fraction > 0
    }

    /// Skips an exponent if it has digits.
    private mutating func skipExponent(_ mark: Unicode.Scalar) {
        let start = position
        guard skip(mark) else { return }
        skipSign()
        if skipDigits(false) == 0 { position = start }
    }

    /// Skips digits. Returns their number.
    private mutating func skipDigits(_ isHexadecimal: Bool) -> Int {
        let start = position
        while position < text.count,
            (0x30...0x39).contains(text[position]) || isHexadecimal && (0x61...0x66).contains(text[position])
        {
            position += 1
        }
        return position - start
    }
}
