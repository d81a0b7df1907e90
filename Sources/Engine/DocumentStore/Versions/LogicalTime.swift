/// The times of versions: nanoseconds since 1970, whose low sixteen bits are replaced by a counter (Version vectors 2.2).
enum LogicalTime {
    /// The bits of the counter.
    static let counterMask: UInt64 = 0xFFFF

    /// The lowest time that is accepted from other databases.
    static let minimum: UInt64 = 1 << 40

    /// The highest time that is accepted from other databases.
    static let maximum = UInt64(Int64.max)

    /// Returns whether the binary form can hold the time: from 2⁶² on only times whose counter is zero fit (Version vectors 2.5).
    static func isStorable(_ time: UInt64) -> Bool { time < 1 << 62 || time <= maximum && time & counterMask == 0 }

    /// Returns the number that stands for a time, or for a difference of times in two's complement. Its lowest bit is whether the counter
    /// is not zero.
    static func code(_ time: UInt64) -> UInt64 {
        // The division of a difference that may be negative: its low bits are zero, so a shift is exact.
        time & counterMask == 0 ? UInt64(bitPattern: Int64(bitPattern: time) >> 15) : time << 1 | 1
    }

    /// Returns the time for a ``code(_:)``, or the difference in two's complement; `nil` if it has more than 64 bits.
    static func decode(_ code: UInt64) -> UInt64? {
        let code = Int64(bitPattern: code)
        guard code & 1 == 0 else { return UInt64(bitPattern: code >> 1) }
        let (time, overflows) = code.multipliedReportingOverflow(by: 1 << 15)
        return overflows ? nil : UInt64(bitPattern: time)
    }

    /// Parses one to sixteen hexadecimal digits; `nil` for any other text and for zero.
    static func parse(_ text: ArraySlice<UInt8>) -> UInt64? {
        guard (1...16).contains(text.count) else { return nil }
        var time: UInt64 = 0
        for digit in text {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = digit - UInt8(ascii: "A") + 10
            default: return nil
            }
            time = time << 4 | UInt64(value)
        }
        return time == 0 ? nil : time
    }
}
