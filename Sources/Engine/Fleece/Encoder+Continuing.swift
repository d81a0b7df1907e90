// Unsafe code: the data is copied into the encoder's output after its space was reserved, and read there only through `Value`, `SlotRange`
// and `Slot`, which check every position against its end.

import Base

/// Data that continues other data (Storage format 1.5). ``FleeceData/init(_:continuedBy:)`` reads it.
extension Encoder {
    /// Begins a continuation: ``writePointer(to:)`` can refer to values of the data, and short strings in it are not written again. Discards
    /// everything written before. Must be ended with ``finishContinuation(of:)``.
    ///
    /// - Parameters:
    ///   - data: Complete Fleece data, or nothing. If its length is odd, or if it is too large, the end throws.
    ///   - mark: The first bytes of the continuation, which count for its positions: an even number.
    ///   - sharesStrings: Whether short strings in the data are not written again, which takes a traversal of the data.
    public mutating func beginContinuation(of data: UnsafeRawBufferPointer, mark: [UInt8], sharesStrings: Bool) {
        reset()
        guard data.count & 1 == 0, mark.count & 1 == 0 else { return fail(.badRoot) }
        guard data.count + mark.count <= Limits.maximumSize else { return fail(.tooLarge) }
        append(data)
        if sharesStrings, let root = Value(root: UnsafeRawBufferPointer(start: out, count: count)) { noteStrings(from: root) }
        mark.withUnsafeBytes { append($0) }
    }

    /// Writes a pointer to a value that was written before, or that is part of the data to be continued.
    ///
    /// - Parameter position: The position of the value, counted from the start of the data. It must be even.
    public mutating func writePointer(to position: Int) {
        guard position >= 0, position & 1 == 0, position < count else { return fail(.badPointer) }
        add(Item(bits: UInt32(truncatingIfNeeded: position), isPointer: true))
    }

    /// Ends the encoding that ``beginContinuation(of:mark:sharesStrings:)`` has begun, and returns the bytes after the first `length` ones, those
    /// of the data. Pointers into the data are marked as external.
    ///
    /// - Throws: The first ``FleeceError`` that occurred while writing, or `unbalanced`.
    public mutating func finishContinuation(of length: Int) throws(FleeceError) -> [UInt8] {
        // The bytes are the output of this encoder, which nothing else reads.
        let bytes = UnsafeMutableRawBufferPointer(mutating: try finish())
        guard length <= bytes.count else { throw FleeceError(.badRoot) }
        ExternalPointers.mark(in: bytes, start: length)
        return [UInt8](bytes[length...])
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let address = bytes.baseAddress, !bytes.isEmpty else { return }
        reserve(bytes.count)
        (out + count).copyMemory(from: address, byteCount: bytes.count)
        count &+= bytes.count
    }

    /// Enters the strings of the data into the table of strings, as if this encoder had written the data. The traversal ends early in hostile
    /// data, in which containers overlap: strings that were not found are written again.
    private mutating func noteStrings(from root: Value) {
        var open = [root]
        var seen: Set<UInt32> = []
        var budget = ValueBudget(for: root)
        while let value = open.popLast() {
            let isDictionary = value.tag == 7
            guard value.tag >= 6, let slots = SlotRange(value, slotsPerItem: isDictionary ? 2 : 1) else { continue }
            let width: UInt32 = slots.isWide ? 4 : 2
            for index in 0..<UInt32(truncatingIfNeeded: slots.count * (isDictionary ? 2 : 1)) {
                guard budget.consume() else { return }
                let slot = Slot(base: value.base, position: slots.first + index * width, end: value.end, isWide: slots.isWide)
                guard slot.isPointer, let target = slot.value else { continue }
                switch target.tag {
                case 4: noteString(target)
                case 6, 7: if seen.insert(target.offset).inserted { open.append(target) }
                default: break
                }
            }
        }
    }

    private mutating func noteString(_ value: Value) {
        guard let bytes = value.payload, let start = bytes.baseAddress, (2...StringTable.maximumLength).contains(bytes.count) else {
            return
        }
        let position = Int(value.offset)
        let found = strings.position(of: KeyWords(start, count: bytes.count), length: bytes.count, else: position)
        // The encoder refers to the string that was written last.
        if found < position { strings.replace(position) }
    }
}
