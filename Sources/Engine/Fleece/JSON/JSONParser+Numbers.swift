extension JSONParser {
    /// Parses a number (Storage format 9.1): integers have 64 bits, all other numbers are doubles.
    mutating func parseNumber(into encoder: inout Encoder) throws(JSONFailure) {
        let first = cursor
        var place = first
        let isNegative = first.pointee == UInt8(ascii: "-")
        if isNegative { place += 1 }
        var mantissa: UInt64 = 0
        let integerStart = place
        place = scanDigits(place, into: &mantissa)
        let integerDigits = place - integerStart
        guard integerDigits > 0 else { throw digitMissing(at: place) }
        if integerDigits > 1, integerStart.pointee == UInt8(ascii: "0") { throw failure(.badNumber) }

        guard place < end, place.pointee == UInt8(ascii: ".") || place.pointee | 0x20 == UInt8(ascii: "e") else {
            return try writeInteger(mantissa, digits: integerDigits, isNegative: isNegative, upTo: place, into: &encoder)
        }
        var exponent = 0
        var digits = integerDigits
        if place.pointee == UInt8(ascii: ".") {
            place += 1
            let fractionStart = place
            place = scanDigits(place, into: &mantissa)
            exponent = fractionStart - place
            guard exponent < 0 else { throw digitMissing(at: place) }
            digits -= exponent
        }
        if place < end, place.pointee | 0x20 == UInt8(ascii: "e") { exponent &+= try scanExponent(&place) }
        cursor = place
        // Numbers of nineteen digits are below 2^64, so the mantissa is exact.
        let magnitude = digits <= 19 ? Decimal.double(mantissa: mantissa, exponent: exponent) : nil
        if let magnitude {
            encoder.write(isNegative ? -magnitude : magnitude)
        } else {
            encoder.write(try slowDouble(from: first))
        }
    }

    /// Parses digits. With more than nineteen digits the mantissa overflows; the caller counts the digits.
    @inline(__always)
    private func scanDigits(_ start: UnsafePointer<UInt8>, into mantissa: inout UInt64) -> UnsafePointer<UInt8> {
        var place = start
        while place < end {
            let digit = place.pointee &- 0x30
            guard digit < 10 else { break }
            mantissa = mantissa &* 10 &+ UInt64(digit)
            place += 1
        }
        return place
    }

    private func digitMissing(at place: UnsafePointer<UInt8>) -> JSONFailure {
        failure(place < end ? .badNumber : .unexpectedEnd, at: place)
    }

    private func scanExponent(_ place: inout UnsafePointer<UInt8>) throws(JSONFailure) -> Int {
        place += 1
        var isNegative = false
        if place < end, place.pointee == UInt8(ascii: "-") || place.pointee == UInt8(ascii: "+") {
            isNegative = place.pointee == UInt8(ascii: "-")
            place += 1
        }
        let digitsStart = place
        var exponent = 0
        while place < end {
            let digit = place.pointee &- 0x30
            guard digit < 10 else { break }
            // The limit is beyond the range of doubles, so a longer exponent need not be exact.
            exponent = min(exponent &* 10 &+ Int(digit), 1_000_000)
            place += 1
        }
        guard place > digitsStart else { throw digitMissing(at: place) }
        return isNegative ? -exponent : exponent
    }

    @inline(__always)
    private mutating func writeInteger(
        _ magnitude: UInt64,
        digits: Int,
        isNegative: Bool,
        upTo place: UnsafePointer<UInt8>,
        into encoder: inout Encoder
    ) throws(JSONFailure) {
        let first = cursor
        cursor = place
        if digits <= 19 {
            if !isNegative { return encoder.write(unsigned: magnitude) }
            if magnitude <= 1 << 63 { return encoder.write(Int64(truncatingIfNeeded: 0 &- magnitude)) }
        }
        if digits == 20, !isNegative, let exact = wholeNumber(first, place) { return encoder.write(unsigned: exact) }
        encoder.write(try slowDouble(from: first))
    }

    private func wholeNumber(_ first: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for byte in UnsafeBufferPointer(start: first, count: end - first) {
            let (product, overflows) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = product.addingReportingOverflow(UInt64(byte &- 0x30))
            if overflows || overflowsToo { return nil }
            number = sum
        }
        return number
    }

    /// Converts numbers with many digits or large exponents with the standard library, which ignores the locale.
    @inline(never)
    private func slowDouble(from first: UnsafePointer<UInt8>) throws(JSONFailure) -> Double {
        let text = String(decoding: UnsafeBufferPointer(start: first, count: cursor - first), as: UTF8.self)
        guard let number = Double(text) else { throw failure(.badNumber, at: first) }
        guard number.isFinite || allowsInfinity else { throw failure(.numberOutOfRange, at: first) }
        return number
    }
}

/// Exact conversion of decimal numbers with small exponents.
enum Decimal {
    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
    /// 5^27 is the largest power of five below 2^63.
    private static let powersOfFive: [UInt64] = (0...27).map { exponent in
        (0..<exponent).reduce(1) { power, _ in power * 5 }
    }

    /// Returns the double nearest to `mantissa` × 10^`exponent`, or `nil` if the exponent is not within ±27.
    @inline(__always)
    static func double(mantissa: UInt64, exponent: Int) -> Double? {
        // Both operands are exact doubles, so the single rounding of the operation is correct (Clinger).
        if mantissa <= 1 << 53, exponent >= -22, exponent <= 22 {
            return powersOfTen.withUnsafeBufferPointer { powers in
                exponent < 0 ? Double(mantissa) / powers[-exponent] : Double(mantissa) * powers[exponent]
            }
        }
        return exactDouble(mantissa: mantissa, exponent: exponent)
    }

    @inline(never)
    private static func exactDouble(mantissa: UInt64, exponent: Int) -> Double? {
        guard exponent >= -27, exponent <= 27 else { return nil }
        guard mantissa != 0 else { return 0 }
        let shift = mantissa.leadingZeroBitCount
        let top = mantissa &<< UInt64(shift)
        if exponent >= 0 {
            // mantissa · 5^e · 2^e, with an exact product of 128 bits.
            let product = top.multipliedFullWidth(by: powersOfFive[exponent])
            guard product.high != 0 else { return rounded(product.low, isInexact: false, power: exponent - shift) }
            let gap = product.high.leadingZeroBitCount
            let high = gap == 0 ? product.high : product.high &<< UInt64(gap) | product.low &>> UInt64(64 - gap)
            let rest = gap == 0 ? product.low : product.low &<< UInt64(gap)
            return rounded(high, isInexact: rest != 0, power: exponent - shift + 64 - gap)
        }
        // mantissa / 5^e / 2^e. The upper half of the dividend must be less than the divisor, because the quotient would overflow
        // otherwise.
        let divisor = powersOfFive[-exponent]
        let divisorShift = divisor.leadingZeroBitCount
        let normal = divisor &<< UInt64(divisorShift)
        let half = top &>> 1
        let (quotient, remainder) = normal.dividingFullWidth((half, top &<< 63))
        // mantissa/divisor = quotient · 2^(1 − 64 − shift + divisorShift)
        return rounded(quotient, isInexact: remainder != 0, power: 1 - 64 - shift + divisorShift + exponent)
    }

    /// Returns `bits` · 2^`power`, rounded to the nearest double, ties to even. `isInexact` means that the exact value is slightly larger.
    private static func rounded(_ bits: UInt64, isInexact: Bool, power: Int) -> Double {
        let gap = bits.leadingZeroBitCount
        let normal = bits &<< UInt64(gap)
        let kept = normal &>> 11
        let dropped = normal & 0x7FF
        let isAbove = dropped > 0x400 || dropped == 0x400 && (isInexact || kept & 1 == 1)
        let significand = Double(isAbove ? kept &+ 1 : kept)
        return significand * Double(sign: .plus, exponent: power - gap + 11, significand: 1)
    }
}
