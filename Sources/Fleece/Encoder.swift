// Writes Fleece, byte for byte as the original does (Storage format 1.9).
//
// Unsafe memory is confined to the three buffers below and their growth: every write goes through `reserve`, every
// position handed out is below `count`, and `deinit` frees what `init` and `grow` allocated.

/// Encodes one value after another into Fleece.
///
/// Call `begin…`, `write…` and `end…` in document order and `finish` at the end; the encoder can be used again after that.
/// The calls do not throw: the first error is kept and thrown by `finish`. A struct that cannot be copied, so that its
/// state needs no exclusivity checks; pass it `inout`.
package struct Encoder: ~Copyable {
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
    /// Numbers the keys of dictionaries; without it they are all written as strings.
    package var sharedKeys: MutableSharedKeys?
    private(set) var error: FleeceError?

    /// - Parameter sharedKeys: Numbers the keys of dictionaries; nil writes them all as strings.
    package init(sharedKeys: MutableSharedKeys? = nil, capacity: Int = 512) {
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

    /// Forgets everything written since the last `finish`.
    package mutating func reset() {
        count = 0
        depth = 0
        itemCount = 0
        error = nil
        strings.removeAll()
    }

    /// Ends the encoding and returns the bytes, which stay valid until the next call.
    ///
    /// - Throws: The first ``FleeceError`` met while writing, or `unbalanced`.
    package mutating func finish() throws(FleeceError) -> UnsafeRawBufferPointer {
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

    /// As ``finish()``, with the bytes in an object of their own.
    package mutating func finishedData() throws(FleeceError) -> FleeceData {
        FleeceData(copying: try finish())
    }

    /// As ``finish()``, with the bytes in an array of their own.
    package mutating func finishedBytes() throws(FleeceError) -> [UInt8] {
        [UInt8](try finish())
    }

    /// Keeps the first error, for `finish` to throw.
    mutating func fail(_ reason: FleeceError.Reason) {
        if error == nil { error = FleeceError(reason) }
    }

    // MARK: Output

    /// Pads to an even offset and returns it: where the next value begins.
    @inline(__always)
    mutating func alignedPosition() -> Int {
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

    /// Makes room for `size` more bytes, and sixteen beyond them so that short strings can be loaded as whole words.
    @inline(__always)
    mutating func reserve(_ size: Int) {
        if count &+ size &+ 16 > capacity { grow(by: size) }
    }

    @inline(never)
    private mutating func grow(by size: Int) {
        if count + size > Limits.maximumSize {
            // What is written so far is lost anyway: start over so that memory stays bounded until `finish` throws.
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

    /// Something a container holds: a small value itself, or where a larger one begins.
    struct Item {
        /// The inline value's bytes, the first one highest; or a position in the output.
        let bits: UInt32
        let isPointer: Bool

        /// Whether this is an integer of two or three bytes that lies in the slot itself, as in copies.
        var needsWideSlot: Bool { !isPointer && bits >> 28 == 1 && bits >> 24 & 0x07 != 0 }
    }

    struct Container {
        let firstItem: Int
        let isDictionary: Bool
        /// Whether it is known before its end that its slots are wide.
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

    /// Adds a pointer to what is going to be written next.
    @inline(__always)
    mutating func addOutOfLine() {
        add(Item(bits: UInt32(truncatingIfNeeded: alignedPosition()), isPointer: true))
    }

    @inline(never)
    private mutating func growItems() {
        let larger = UnsafeMutablePointer<Item>.allocate(capacity: itemCapacity * 2)
        larger.update(from: items, count: itemCount)
        items.deallocate()
        items = larger
        itemCapacity *= 2
    }

    mutating func push(_ container: Container) {
        if depth == containerCapacity {
            let larger = UnsafeMutablePointer<Container>.allocate(capacity: containerCapacity * 2)
            larger.update(from: containers, count: depth)
            containers.deallocate()
            containers = larger
            containerCapacity *= 2
        }
        containers[depth] = container
        depth &+= 1
        // Nothing is written that readers would refuse.
        if depth > Limits.maximumDepth { fail(.tooDeep) }
    }

    static func narrowPointer(from position: Int, to item: Item) -> UInt16 {
        (0x8000 | UInt16(truncatingIfNeeded: (position &- Int(item.bits)) &>> 1)).bigEndian
    }

    static func widePointer(from position: Int, to item: Item) -> UInt32 {
        (0x8000_0000 | UInt32(truncatingIfNeeded: (position &- Int(item.bits)) &>> 1)).bigEndian
    }
}
