import Foundation

extension [UInt8] {
    /// Returns whether these are the bytes of an argument. Does not copy them.
    func isEqual(to others: UnsafeRawBufferPointer) -> Bool {
        guard count == others.count else { return false }
        guard let start = others.baseAddress else { return true }
        return withUnsafeBytes { $0.baseAddress.map { memcmp($0, start, others.count) == 0 } ?? true }
    }
}
