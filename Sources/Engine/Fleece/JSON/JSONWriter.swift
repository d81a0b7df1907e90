// Unsafe memory is confined to one growable buffer: every write is preceded by `reserve`, which ensures the requested capacity, and
// `deinit` frees what `init` and `grow` have allocated.

/// Writes JSON text to a buffer (Storage format 9.2).
///
/// It appends whole Fleece values, scalars and punctuation. The caller must write the commas between values that it appends separately.
public struct JSONWriter: ~Copyable {
    var out: UnsafeMutablePointer<UInt8>
    /// The number of bytes written.
    public internal(set) var count = 0
    private var capacity: Int

    /// Creates a writer without text.
    ///
    /// - Parameter capacity: The initial size of the buffer in bytes, at least 64. The buffer grows when it is full.
    public init(capacity: Int = 512) {
        self.capacity = max(capacity, 64)
        out = .allocate(capacity: self.capacity)
    }

    deinit { out.deallocate() }

    /// Discards the text and keeps the memory.
    public mutating func removeAll() { count = 0 }

    /// Discards everything after the first `count` bytes.
    public mutating func truncate(to count: Int) { self.count = min(self.count, max(count, 0)) }

    /// Calls `body` with the text written so far.
    public func withBytes<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: out, count: count))
    }

    /// The text written so far, as UTF-8.
    public var byteArray: [UInt8] { [UInt8](UnsafeBufferPointer(start: out, count: count)) }

    /// The text written so far.
    public var string: String {
        String(decoding: UnsafeBufferPointer(start: out, count: count), as: UTF8.self)
    }

    // MARK: Punctuation and literals

    /// Appends an ASCII character without escaping it.
    @inline(__always)
    public mutating func append(ascii character: Unicode.Scalar) {
        append(byte: UInt8(ascii: character))
    }

    /// Appends text that is valid JSON.
    public mutating func append(raw text: StaticString) {
        let length = text.utf8CodeUnitCount
        reserve(length)
        (out + count).update(from: text.utf8Start, count: length)
        count &+= length
    }

    /// Appends text that is valid JSON.
    public mutating func append(raw text: UnsafeRawBufferPointer) {
        guard let bytes = text.baseAddress else { return }
        reserve(text.count)
        UnsafeMutableRawPointer(out + count).copyMemory(from: bytes, byteCount: text.count)
        count &+= text.count
    }

    /// Appends `null`.
    public mutating func appendNull() { append(raw: "null") }

    /// Appends `true` or `false`.
    public mutating func append(_ boolean: Bool) {
        boolean ? append(raw: "true") : append(raw: "false")
    }

    // MARK: The buffer

    @inline(__always)
    mutating func append(byte: UInt8) {
        reserve(1)
        out[count] = byte
        count &+= 1
    }

    /// Ensures capacity for `size` more bytes.
    @inline(__always)
    mutating func reserve(_ size: Int) {
        if count &+ size > capacity { grow(by: size) }
    }

    @inline(never)
    private mutating func grow(by size: Int) {
        capacity = max(capacity * 2, count + size)
        out.enlarge(to: capacity, keeping: count)
    }
}
