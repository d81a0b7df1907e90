// Unsafe code: the bytes of the copy are changed before anything else refers to it. Every position is checked against the end of the data.

extension FleeceData {
    /// Joins data and a continuation of it, whose external pointers lead into the data (Storage format 1.5). In the result all pointers are
    /// ordinary ones, so its root, that of the continuation, is read like any other data.
    ///
    /// - Parameters:
    ///   - data: Complete Fleece data, or nothing.
    ///   - continuation: Fleece data whose positions are counted from its first byte.
    /// - Throws: The first violation that the ``Validator`` finds in the result.
    /// - Complexity: Linear in the sizes of both.
    public convenience init(_ data: [UInt8], continuedBy continuation: [UInt8]) throws(FleeceError) {
        let count = data.count + continuation.count
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 8)
        copy.copyBytes(from: data)
        UnsafeMutableRawBufferPointer(rebasing: copy[data.count...]).copyBytes(from: continuation)
        let bytes = UnsafeMutableRawBufferPointer(rebasing: copy[..<count])
        do throws(FleeceError) {
            guard data.count & 1 == 0, continuation.count >= 2, count <= Limits.maximumSize else {
                throw FleeceError(.badRoot, at: data.count)
            }
            ExternalPointers.unmark(in: bytes, start: data.count)
            try Validator.validate(UnsafeRawBufferPointer(bytes))
        } catch {
            copy.deallocate()
            throw error
        }
        self.init(owning: UnsafeRawBufferPointer(bytes))
    }
}

/// Finds the pointers of a continuation, and removes or sets the mark of those that lead into the data before it.
struct ExternalPointers {
    private let bytes: UnsafeMutableRawBufferPointer
    /// The position of the continuation.
    private let start: Int
    /// Whether the mark is set; otherwise it is removed, and external pointers become ordinary ones that lead to the same place.
    private let marks: Bool
    /// The positions of containers whose slots have not been visited.
    private var open: [Int] = []
    /// The containers and pointers to which pointers lead, so that none is visited twice, however many lead to it.
    private var seen: Set<Int> = []

    /// The bit of the first byte of a pointer that marks it as external.
    private static let mark: UInt8 = 0x40

    private init(_ bytes: UnsafeMutableRawBufferPointer, start: Int, marks: Bool) {
        (self.bytes, self.start, self.marks) = (bytes, start, marks)
    }

    /// Makes all external pointers ordinary ones. The continuation begins at `start`, and the data is located before it.
    static func unmark(in bytes: UnsafeMutableRawBufferPointer, start: Int) {
        var pointers = ExternalPointers(bytes, start: start, marks: false)
        pointers.visitAll()
    }

    /// Makes the pointers of valid data that lead from the continuation, which begins at `start`, into the data before it external ones.
    static func mark(in bytes: UnsafeMutableRawBufferPointer, start: Int) {
        var pointers = ExternalPointers(bytes, start: start, marks: true)
        pointers.visitAll()
    }

    private mutating func visitAll() {
        guard bytes.count >= start + 2, let base = bytes.baseAddress else { return }
        visit(bytes.count - 2, isWide: false)
        while let position = open.popLast() {
            let value = Value(base: UnsafeRawPointer(base), offset: UInt32(position), end: UInt32(bytes.count))
            let isDictionary = value.tag == 7
            guard let slots = SlotRange(value, slotsPerItem: isDictionary ? 2 : 1) else { continue }
            let width = slots.isWide ? 4 : 2
            for index in 0..<(slots.count * (isDictionary ? 2 : 1)) { visit(Int(slots.first) + index * width, isWide: slots.isWide) }
        }
    }

    /// Changes the mark of a pointer, and of the pointers to which it leads. Notes the container to which they lead, if it is part of the
    /// continuation.
    private mutating func visit(_ slot: Int, isWide: Bool) {
        var (pointer, isWide) = (slot, isWide)
        while bytes[pointer] >= 0x80, pointer + (isWide ? 4 : 2) <= bytes.count {
            let isExternal = bytes[pointer] & Self.mark != 0
            bytes[pointer] &= ~Self.mark
            let bits = bytes.loadUnaligned(fromByteOffset: pointer, as: UInt16.self).bigEndian & 0x3FFF
            var distance = Int(bits)
            if isWide { distance = distance << 16 | Int(bytes.loadUnaligned(fromByteOffset: pointer + 2, as: UInt16.self).bigEndian) }
            let target = pointer - 2 * distance
            if marks, target < start { bytes[pointer] |= Self.mark }
            guard distance > 0, !isExternal, target >= start, bytes[target] >= 0x60, seen.insert(target).inserted else { return }
            if bytes[target] < 0x80 { return open.append(target) }
            // A pointer to which another pointer leads is always wide.
            (pointer, isWide) = (target, true)
        }
    }
}
