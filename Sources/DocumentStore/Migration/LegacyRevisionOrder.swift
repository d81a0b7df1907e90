import Fleece

/// The collation `REVID` of 1.x: revision IDs by generation, then by digest (Storage format 6.2).
enum LegacyRevisionOrder {
    static let name = "REVID"

    /// Returns a negative number, 0 or a positive number. Texts that are not revision IDs are compared by their bytes, and are ordered
    /// before revision IDs.
    static func compare(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        switch (generation(of: first), generation(of: second)) {
        case (let left?, let right?):
            if left.number != right.number { return left.number < right.number ? -1 : 1 }
            return compareBytes(
                UnsafeRawBufferPointer(rebasing: first[left.digestStart...]),
                UnsafeRawBufferPointer(rebasing: second[right.digestStart...])
            )
        case (nil, nil): return compareBytes(first, second)
        case (nil, _): return -1
        case (_, nil): return 1
        }
    }

    private static func generation(of id: UnsafeRawBufferPointer) -> (number: UInt64, digestStart: Int)? {
        var number: UInt64 = 0
        for (index, byte) in id.prefix(21).enumerated() {
            if byte == UInt8(ascii: "-") { return index > 0 ? (number, index + 1) : nil }
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            if overflow || carry { return nil }
            number = sum
        }
        return nil
    }
}
