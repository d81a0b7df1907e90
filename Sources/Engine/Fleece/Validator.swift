/// Validates untrusted Fleece data (Storage format 1.11).
public enum Validator {
    /// Validates everything that is reachable from the root.
    ///
    /// - Throws: ``FleeceError`` with the reason and offset of the first violation.
    /// - Complexity: Linear in the size of the data. A shared container is only visited again if it is reached at a greater depth.
    public static func validate(_ bytes: UnsafeRawBufferPointer) throws(FleeceError) {
        guard bytes.count >= 2, bytes.count & 1 == 0, bytes.count <= Limits.maximumSize else {
            throw FleeceError(.badRoot, at: bytes.count)
        }
        var checker = Checker(bytes: bytes)
        try checker.checkRoot()
    }
}

private struct Checker {
    let bytes: UnsafeRawBufferPointer
    /// The positions of valid containers, with the greatest depth at which they were validated.
    var seen: [Int: Int] = [:]

    mutating func checkRoot() throws(FleeceError) {
        let last = bytes.count - 2
        guard bytes[last] >= 0x80 else {
            guard last == 0 else { throw FleeceError(.badRoot, at: last) }
            return try checkValue(at: last, limit: bytes.count, depth: 0)
        }
        try checkSlot(at: last, isWide: false, depth: 0)
    }

    private func u16(_ position: Int) -> Int { Int(bytes[position]) << 8 | Int(bytes[position + 1]) }

    private func u32(_ position: Int) -> Int { u16(position) << 16 | u16(position + 2) }

    /// Validates the content of a slot: an inline value that fits into it, or a pointer and its target.
    private mutating func checkSlot(at position: Int, isWide: Bool, depth: Int) throws(FleeceError) {
        guard bytes[position] >= 0x80 else { return try checkValue(at: position, limit: position + (isWide ? 4 : 2), depth: depth) }
        let (target, limit) = try follow(position, isWide: isWide)
        try checkValue(at: target, limit: limit, depth: depth)
    }

    /// Returns the position to which a chain of pointers leads, and the limit before which the value there must end.
    private func follow(_ position: Int, isWide: Bool) throws(FleeceError) -> (target: Int, limit: Int) {
        var pointer = position
        var isWide = isWide
        for _ in 0..<Limits.maximumPointers {
            let bits = isWide ? u32(pointer) : u16(pointer)
            if isWide, bits & 0x4000_0000 != 0 { throw FleeceError(.badPointer, at: pointer) }
            let distance = 2 * (isWide ? bits & 0x3FFF_FFFF : bits & 0x7FFF)
            guard distance > 0, distance <= pointer else { throw FleeceError(.badPointer, at: pointer) }
            let target = pointer - distance
            guard bytes[target] >= 0x80 else { return (target, pointer) }
            guard target + 4 <= pointer else { throw FleeceError(.badPointer, at: target) }
            pointer = target
            isWide = true
        }
        throw FleeceError(.badPointer, at: pointer)
    }

    /// Validates the value at `position`, which must end at or before `limit`.
    private mutating func checkValue(at position: Int, limit: Int, depth: Int) throws(FleeceError) {
        let value = Value(base: bytes.baseAddress!, offset: UInt32(truncatingIfNeeded: position), end: UInt32(truncatingIfNeeded: limit))
        guard limit - position >= 2 else { throw FleeceError(.truncated, at: position) }
        let isWhole =
            switch value.type {
            case .null, .undefined, .boolean, .array, .dictionary: true
            case .number: value.isInteger ? value.integerBits != nil : value.floatingPoint != nil
            case .string, .data: value.payload != nil
            }
        guard isWhole else { throw FleeceError(.truncated, at: position) }
        if let text = value.stringBytes, !TextScan.isUTF8(text) { throw FleeceError(.badUTF8, at: position) }
        if value.type == .array || value.type == .dictionary { try checkContainer(value, depth: depth) }
    }

    private mutating func checkContainer(_ value: Value, depth: Int) throws(FleeceError) {
        guard depth < Limits.maximumDepth else { throw FleeceError(.tooDeep, at: value.position) }
        let isDictionary = value.type == .dictionary
        // Checked even for visited containers, because this pointer may be located before the container's end.
        guard let slots = SlotRange(value, slotsPerItem: isDictionary ? 2 : 1) else { throw FleeceError(.truncated, at: value.position) }
        if slots.count == 0 { return }
        if let checked = seen[value.position], checked >= depth { return }
        let width = slots.isWide ? 4 : 2
        var position = Int(slots.first)
        if isDictionary {
            for index in 0..<slots.count {
                try checkKey(at: position, isFirst: index == 0, isWide: slots.isWide)
                if index > 0 { try checkOrder(at: position, width: width, second: index == 1) }
                try checkSlot(at: position + width, isWide: slots.isWide, depth: depth + 1)
                position += 2 * width
            }
        } else {
            for _ in 0..<slots.count {
                try checkSlot(at: position, isWide: slots.isWide, depth: depth + 1)
                position += width
            }
        }
        seen[value.position] = depth
    }

    /// Validates a key: a string, the number of a shared key, or −2048, which links to a parent and must be first (Storage format 1.11,
    /// rule 5).
    private mutating func checkKey(at position: Int, isFirst: Bool, isWide: Bool) throws(FleeceError) {
        let bits = u16(position)
        if bits < 0x0800 { return }
        if bits == Int(DictionaryValue.parentKey) {
            let width = isWide ? 4 : 2
            guard isFirst, bytes[position + width] >= 0x80 else { throw FleeceError(.badKey, at: position) }
            let (target, _) = try follow(position + width, isWide: isWide)
            guard bytes[target] >> 4 == 7 else { throw FleeceError(.badKey, at: position) }
            return
        }
        // Only strings are allowed: containers must not be entered from here, because their depth would not be counted.
        guard bits >= 0x8000 || bits >> 12 == 4 else { throw FleeceError(.badKey, at: position) }
        if bits >= 0x8000 {
            let (target, _) = try follow(position, isWide: isWide)
            guard bytes[target] >> 4 == 4 else { throw FleeceError(.badKey, at: position) }
        }
        try checkSlot(at: position, isWide: isWide, depth: 0)
    }

    private func checkOrder(at position: Int, width: Int, second: Bool) throws(FleeceError) {
        let previous = position - 2 * width
        let left = u16(previous)
        let right = u16(position)
        if second, left == Int(DictionaryValue.parentKey) { return }
        let isOrdered: Bool
        if left < 0x0800 || right < 0x0800 {
            isOrdered = left < right
        } else if let leftText = keyText(at: previous, isWide: width == 4),
            let rightText = keyText(at: position, isWide: width == 4)
        {
            isOrdered = compareBytes(leftText, rightText) < 0
        } else {
            isOrdered = false
        }
        guard isOrdered else { throw FleeceError(.unsortedKeys, at: position) }
    }

    private func keyText(at position: Int, isWide: Bool) -> UnsafeRawBufferPointer? {
        let (start, end) = (UInt32(truncatingIfNeeded: position), UInt32(truncatingIfNeeded: bytes.count))
        return Slot(base: bytes.baseAddress!, position: start, end: end, isWide: isWide).value?.stringBytes
    }
}
