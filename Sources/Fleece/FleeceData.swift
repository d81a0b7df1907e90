/// Fleece bytes together with their ownership: they live as long as this object, and never change.
package final class FleeceData: @unchecked Sendable {
    // Unchecked because a pointer is not Sendable by itself: the memory is written in `init` only and freed in `deinit`.
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

    deinit {
        bytes.deallocate()
    }

    /// The root value; nil when the bytes have none. It must not be used after the last reference to this object is gone.
    package var root: Value? { Value(root: bytes) }

    /// Calls `body` with the root value, which stays valid meanwhile; returns nil, without a call, when the bytes have none.
    package func withRoot<Result, Failure: Error>(_ body: (Value) throws(Failure) -> Result) throws(Failure) -> Result? {
        defer { withExtendedLifetime(self) {} }
        guard let root else { return nil }
        return try body(root)
    }

    /// A dictionary without entries.
    package static let emptyDictionary = FleeceData([0x70, 0x00])
}
