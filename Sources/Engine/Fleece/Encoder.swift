// Writes Fleece, byte for byte like Couchbase Lite (Storage format 1.9).
//
// Unsafe memory is confined to the three buffers below and their growth: every write is preceded by `reserve`, every position is below
// `count`, and `deinit` frees what `init` and `grow` have allocated.

/// Encodes values to Fleece, one after another.
///
/// Call `begin…`, `write…` and `end…` in document order and then `finish`; after that the encoder can be reused. The calls do not throw:
/// the first error is retained and thrown by `finish`. The struct is noncopyable, so that accesses need no exclusivity checks; pass it
/// `inout`.
public struct Encoder: ~Copyable {
    var out: UnsafeMutableRawPointer
    var count = 0
    private var capacity: Int
    var containers: UnsafeMutablePointer<Container>
    var depth = 0
    private var containerCapacity = 16
    var items: UnsafeMutablePointer<Item>
    var itemCount = 0
    private var itemCapacity: Int
    var strings: StringTable
    /// Assigns numbers to the keys of dictionaries. `nil` writes all keys as strings.
    public var sharedKeys: MutableSharedKeys?
    private(set) var error: FleeceError?

    /// - Parameter sharedKeys: Assigns numbers to the keys of dictionaries. `nil` writes all keys as strings.
    public init(sharedKeys: MutableSharedKeys? = nil, capacity: Int = 512) {
        self.sharedKeys = sharedKeys
        self.capacity = max(64, capacity)
        out = .allocate(byteCount: self.capacity, alignment: 8)
        itemCapacity = 64
        items = .allocate(capacity: itemCapacity)
        containers = .allocate(capacity: containerCapacity)
        strings = StringTable()
    }

    deinit {
        out.deallocate()
        items.deallocate()
        containers.deallocate()
    }

    /// Discards everything written since the last `finish`.
    public mutating func reset() {
        count = 0
        depth = 0
        itemCount = 0
        error = nil
        strings.removeAll()
    }

    /// Ends the encoding and returns the bytes, which are valid until the next call.
    ///
    /// - Throws: The first ``FleeceError`` that occurred while writing, or `unbalanced`.
    public mutating func finish() throws(FleeceError) -> UnsafeRawBufferPointer {
        if let error {
            reset()
            throw error
        }
        guard depth == 0, itemCount == 1 else {
            reset()
            throw FleeceError(.unbalanced)
        }
        let root = items[0]
        let position = alignedPosition()
        if !root.isPointer, root.needsWideSlot {
            append(root.bits.bigEndian)
            append(UInt16(0x8002).bigEndian)
        } else if !root.isPointer {
            append(UInt16(truncatingIfNeeded: root.bits >> 16).bigEndian)
        } else if position - Int(root.bits) <= Limits.narrowReach {
            append(Self.narrowPointer(from: position, to: root))
        } else {
            append(Self.widePointer(from: position, to: root))
            append(UInt16(0x8002).bigEndian)
        }
        let length = count
        reset()
        guard length <= Limits.maximumSize else { throw FleeceError(.tooLarge) }
        return UnsafeRawBufferPointer(start: out, count: length)
    }

    /// Like ``finish()``, but returns a copy of the bytes in an object.
    public mutating func finishedData() throws(FleeceError) -> FleeceData {
        FleeceData(copying: try finish())
    }

    /// Like ``finish()``, but returns a copy of the bytes in an array.
    public mutating func finishedBytes() throws(FleeceError) -> [UInt8] { [UInt8](try finish()) }

    /// Records the first error, which `finish` throws.
    mutating func fail(_ reason: FleeceError.Reason) {
        if error == nil { error = FleeceError(reason) }
    }

    // MARK: Output

    /// Pads to an even offset and returns it. The next value starts there.
    @inline(__always)
    public mutating func alignedPosition() -> Int {
        if count & 1 != 0 {
            reserve(1)
            out.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
            count &+= 1
        }
        return count
    }

    @inline(__always)
    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        let size = MemoryLayout<Number>.size
        reserve(size)
        out.storeBytes(of: number, toByteOffset: count, as: Number.self)
        count &+= size
    }

    /// Ensures capacity for `size` more bytes and sixteen additional bytes, which allow storing short strings as whole words.
    @inline(__always)
    mutating func reserve(_ size: Int) {
        if count &+ size &+ 16 > capacity { grow(by: size) }
    }

    @inline(never)
    private mutating func grow(by size: Int) {
        if count + size > Limits.maximumSize {
            // The output is invalid after this error. Restarting at 0 limits the memory until `finish` throws.
            fail(.tooLarge)
            count = 0
            strings.removeAll()
        }
        let larger = max(capacity * 2, count + size + 16)
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
        buffer.copyMemory(from: out, byteCount: count)
        out.deallocate()
        out = buffer
        capacity = larger
    }

    // MARK: Items

    /// An item of a container: a small value itself, or the position of a larger one.
    struct Item {
        /// The bytes of the inline value, the first one in the highest bits; or a position in the output.
        let bits: UInt32
        let isPointer: Bool

        /// Whether this is an integer of two or three bytes stored in the slot itself, as in copies.
        var needsWideSlot: Bool { !isPointer && bits >> 28 == 1 && bits >> 24 & 0x07 != 0 }
    }

    struct Container {
        let firstItem: Int
        let isDictionary: Bool
        /// Whether the slots are known to be wide before the container ends.
        var isWide = false
    }

    @inline(__always)
    mutating func add(_ item: Item) {
        if itemCount == itemCapacity { growItems() }
        items[itemCount] = item
        itemCount &+= 1
    }

    @inline(__always)
    mutating func addInline(_ leadingBits: UInt16) {
        add(Item(bits: UInt32(leadingBits) << 16, isPointer: false))
    }

    /// Adds a pointer to the value that is written next.
    @inline(__always)
    mutating func addOutOfLine() {
        add(Item(bits: UInt32(truncatingIfNeeded: alignedPosition()), isPointer: true))
    }

    @inline(never)
    private mutating func growItems() {
        itemCapacity *= 2
        items.enlarge(to: itemCapacity, keeping: itemCount)
    }

    mutating func push(_ container: Container) {
        if depth == containerCapacity {
            containerCapacity *= 2
            containers.enlarge(to: containerCapacity, keeping: depth)
        }
        containers[depth] = container
        depth &+= 1
        // Prevents writing data that readers would reject.
        if depth > Limits.maximumDepth { fail(.tooDeep) }
    }

    static func narrowPointer(from position: Int, to item: Item) -> UInt16 {
        (0x8000 | UInt16(truncatingIfNeeded: (position &- Int(item.bits)) &>> 1)).bigEndian
    }

    static func widePointer(from position: Int, to item: Item) -> UInt32 {
        (0x8000_0000 | UInt32(truncatingIfNeeded: (position &- Int(item.bits)) &>> 1)).bigEndian
    }
}

extension UnsafeMutablePointer where Pointee: BitwiseCopyable {
    /// Moves the first `count` elements to a new buffer, and frees the old one.
    mutating func enlarge(to capacity: Int, keeping count: Int) {
        let larger = Self.allocate(capacity: capacity)
        larger.update(from: self, count: count)
        deallocate()
        self = larger
    }
}
