public import Base

/// Owned Fleece bytes, which are valid as long as this object exists and never change.
public final class FleeceData: @unchecked Sendable {
    // `@unchecked Sendable` because pointers are not sendable. This is safe because the memory is only written in `init` and freed in `deinit`.
    /// The data, which must not be used after this object has been released.
    public let bytes: UnsafeRawBufferPointer

    /// Copies `bytes`, which may have any alignment.
    public init(copying bytes: UnsafeRawBufferPointer) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 8)
        copy.copyMemory(from: bytes)
        self.bytes = UnsafeRawBufferPointer(start: copy.baseAddress, count: bytes.count)
    }

    /// Takes over `bytes`, which were allocated with an alignment of at most 16, and deallocates them in the end.
    public init(owning bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Copies `bytes`.
    public convenience init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    /// Copies `bytes`.
    public init(_ bytes: ArraySlice<UInt8>) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 8)
        copy.copyBytes(from: bytes)
        self.bytes = UnsafeRawBufferPointer(start: copy.baseAddress, count: bytes.count)
    }

    /// Copies the bytes of all parts, one after the other.
    public init(joining parts: [FleeceData]) {
        let count = parts.reduce(0) { $0 + $1.bytes.count }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 8)
        var end = 0
        for part in parts {
            UnsafeMutableRawBufferPointer(rebasing: copy[end...]).copyMemory(from: part.bytes)
            end += part.bytes.count
        }
        bytes = UnsafeRawBufferPointer(start: copy.baseAddress, count: count)
    }

    /// Encodes a string as the root, as an ``Encoder`` does, which takes several times longer to make. Returns `nil` if the string is
    /// longer than 1,000 bytes.
    public init?(shortString string: String) {
        var string = string
        let copy = string.withUTF8 { utf8 -> UnsafeRawBufferPointer? in
            guard utf8.count <= 1000 else { return nil }
            let copy = UnsafeMutableRawPointer.allocate(byteCount: utf8.count + EncodedString.overhead + 2, alignment: 8)
            var count = EncodedString.write(UnsafeRawBufferPointer(utf8), to: copy)
            // A string of two bytes with its header is the root itself, a longer one is referred to.
            if count > 2 {
                copy.storeBytes(of: (0x8000 | UInt16(count / 2)).bigEndian, toByteOffset: count, as: UInt16.self)
                count += 2
            }
            return UnsafeRawBufferPointer(start: copy, count: count)
        }
        guard let copy else { return nil }
        bytes = copy
    }

    deinit { bytes.deallocate() }

    /// The root value. `nil` if the bytes contain none. It must not be used after this object is deinitialized.
    public var root: Value? { Value(root: bytes) }

    /// Calls `body` with the root value, which is valid during the call. Returns `nil` without calling `body` if the bytes contain none.
    public func withRoot<Result, Failure: Error>(_ body: (Value) throws(Failure) -> Result) throws(Failure) -> Result? {
        defer { withExtendedLifetime(self) {} }
        guard let root else { return nil }
        return try body(root)
    }

    /// A dictionary without keys, such as the body of a document without properties.
    public static let emptyDictionary = FleeceData([0x70, 0x00])
}

/// The encoding of a string without an ``Encoder``.
public enum EncodedString {
    /// The maximum number of bytes in addition to the text.
    public static let overhead = 12

    /// Writes a string (Storage format 1.4), followed by a zero byte if its size would be odd.
    ///
    /// - Parameter target: Memory for the text and ``overhead``.
    /// - Returns: The number of written bytes, which is even.
    @inlinable
    public static func write(_ utf8: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) -> Int {
        target.storeBytes(of: 0x40 | UInt8(min(utf8.count, 15)), as: UInt8.self)
        var count = 1
        if utf8.count >= 15 { count += Varint.write(UInt64(utf8.count), to: target + count) }
        if let start = utf8.baseAddress { (target + count).copyMemory(from: start, byteCount: utf8.count) }
        count += utf8.count
        if count & 1 != 0 {
            target.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
            count += 1
        }
        return count
    }
}
