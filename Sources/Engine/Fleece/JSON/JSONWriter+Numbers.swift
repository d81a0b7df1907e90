extension JSONWriter {
    /// Appends an integer in decimal.
    public mutating func append(_ number: Int64) {
        if number < 0 { append(byte: UInt8(ascii: "-")) }
        append(unsigned: number.magnitude)
    }

    /// Appends an unsigned integer in decimal.
    @inline(__always)
    public mutating func append(unsigned number: UInt64) {
        if number < 10 { return append(byte: 0x30 | UInt8(truncatingIfNeeded: number)) }
        appendDigits(number, count: Self.digitCount(number))
    }

    /// Appends a double as the shortest decimal that parses to the same number (Storage format 9.2).
    ///
    /// Infinity and NaN, which JSON does not support, are written as `null`.
    public mutating func append(_ number: Double) {
        guard number.isFinite else { return appendNull() }
        let magnitude = abs(number)
        if magnitude >= 1e-4, magnitude < 1e12, appendShortDecimal(number) { return }
        append(notation: number.description)
    }

    /// Appends a number of type `Float` as the shortest decimal that parses to the same `Float`.
    public mutating func append(_ number: Float) {
        guard number.isFinite else { return appendNull() }
        append(notation: number.description)
    }

    /// Appends the standard library's notation, which is the one of Storage format 9.2 for both types: it has the same limits for
    /// scientific notation, always a fraction, and exponents of two digits with a sign.
    private mutating func append(notation: String) {
        var notation = notation
        notation.withUTF8 { append(raw: UnsafeRawBufferPointer($0)) }
    }

    /// Appends a number with at most three decimal places. For other numbers, appends nothing and returns `false`.
    ///
    /// Below 10^15, different decimals of up to fifteen digits are different doubles, so the decimal found is the shortest.
    private mutating func appendShortDecimal(_ number: Double) -> Bool {
        let magnitude = abs(number)
        let scaled = (magnitude * 1000).rounded()
        guard scaled / 1000 == magnitude else { return false }
        let thousandths = UInt64(scaled)
        let whole = thousandths / 1000
        var fraction = thousandths % 1000
        if number < 0 { append(byte: UInt8(ascii: "-")) }
        append(unsigned: whole)
        append(byte: UInt8(ascii: "."))
        var places = 3
        while places > 1, fraction % 10 == 0 {
            fraction /= 10
            places -= 1
        }
        appendDigits(fraction, count: places)
        return true
    }

    /// Appends the lowest `digits` decimal digits of `number`.
    @inline(__always)
    private mutating func appendDigits(_ number: UInt64, count digits: Int) {
        reserve(digits)
        var rest = number
        var place = count &+ digits
        while place > count {
            place &-= 1
            let tenth = rest / 10
            out[place] = 0x30 | UInt8(truncatingIfNeeded: rest &- tenth &* 10)
            rest = tenth
        }
        count &+= digits
    }

    @inline(__always)
    private static func digitCount(_ number: UInt64) -> Int {
        var digits = 1
        var rest = number
        while rest >= 10_000 {
            rest /= 10_000
            digits &+= 4
        }
        if rest >= 1000 { return digits &+ 3 }
        if rest >= 100 { return digits &+ 2 }
        return rest >= 10 ? digits &+ 1 : digits
    }
}
