/// Owned Fleece bytes, which are valid as long as this object exists and never change.
package final class FleeceData: @unchecked Sendable {
    // `@unchecked Sendable` because pointers are not sendable. This is safe because the memory is only written in `init` and freed in `deinit`.
    package let bytes: UnsafeRawBufferPointer

    /// Copies `bytes`, which may have any alignment.
    package init(copying bytes: UnsafeRawBufferPointer) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 8)
        copy.copyMemory(from: bytes)
        self.bytes = UnsafeRawBufferPointer(start: copy.baseAddress, count: bytes.count)
    }

    /// Copies `bytes`.
    package convenience init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    /// Copies `bytes`.
    package init(_ bytes: ArraySlice<UInt8>) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 8)
        copy.copyBytes(from: bytes)
        self.bytes = UnsafeRawBufferPointer(start: copy.baseAddress, count: bytes.count)
    }

    /// Copies the bytes of all parts, one after the other.
    package init(joining parts: [FleeceData]) {
        let count = parts.reduce(0) { $0 + $1.bytes.count }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 8)
        var end = 0
        for part in parts {
            UnsafeMutableRawBufferPointer(rebasing: copy[end...]).copyMemory(from: part.bytes)
            end += part.bytes.count
        }
        bytes = UnsafeRawBufferPointer(start: copy.baseAddress, count: count)
    }

    deinit { bytes.deallocate() }

    /// The root value. `nil` if the bytes contain none. It must not be used after this object is deinitialized.
    package var root: Value? { Value(root: bytes) }

    /// Calls `body` with the root value, which is valid during the call. Returns `nil` without calling `body` if the bytes contain none.
    package func withRoot<Result, Failure: Error>(_ body: (Value) throws(Failure) -> Result) throws(Failure) -> Result? {
        defer { withExtendedLifetime(self) {} }
        guard let root else { return nil }
        return try body(root)
    }

    package static let emptyDictionary = FleeceData([0x70, 0x00])
}
