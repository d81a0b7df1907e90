import Base

extension Encoder {
    /// Begins an array, whose items are the values written until ``endArray()``.
    public mutating func beginArray() { push(Container(firstItem: itemCount, isDictionary: false)) }

    /// Begins a dictionary. A key must be written before each value until the dictionary is ended.
    public mutating func beginDictionary() { push(Container(firstItem: itemCount, isDictionary: true)) }

    /// Writes the key of the next value, as a number if the shared keys contain or accept it, otherwise as a string.
    @inline(__always)
    public mutating func writeKey(utf8 key: UnsafeRawBufferPointer) {
        if let number = sharedKeys?.number(of: key) {
            addInline(UInt16(truncatingIfNeeded: number))
        } else {
            write(utf8: key)
        }
    }

    /// Writes the key of the next value, as a number if the shared keys contain or accept it, otherwise as a string.
    public mutating func writeKey(_ key: String) { key.withUTF8Bytes { writeKey(utf8: $0) } }

    /// Writes the key of the next value as the number of a shared key. The number must be valid.
    public mutating func writeKey(shared number: Int) {
        addInline(UInt16(truncatingIfNeeded: number) & 0x07FF)
    }

    /// Replaces an item of the open array with the last written item, which is removed from the end.
    public mutating func moveLastItem(to index: Int) {
        guard depth > 0, case let place = containers[depth &- 1].firstItem + index, index >= 0, place < itemCount - 1
        else { return fail(.unbalanced) }
        itemCount &-= 1
        items[place] = items[itemCount]
    }

    /// Ends the array that was begun last. If that is a dictionary, `finish` throws.
    public mutating func endArray() { end(isDictionary: false) }

    /// Ends the dictionary. Its keys may have been written in any order. The caller must ensure that they are unique.
    public mutating func endDictionary() { end(isDictionary: true) }

    /// Ends the dictionary. Returns `false` if two of its keys are equal; `finish` throws in this case.
    public mutating func endDictionaryCheckingKeys() -> Bool {
        end(isDictionary: true, checksKeys: true)
    }

    @discardableResult
    private mutating func end(isDictionary: Bool, checksKeys: Bool = false) -> Bool {
        guard depth > 0, containers[depth &- 1].isDictionary == isDictionary else {
            fail(.unbalanced)
            return true
        }
        depth &-= 1
        let first = containers[depth].firstItem
        let slotCount = itemCount &- first
        if isDictionary, slotCount & 1 != 0 {
            fail(.unbalanced)
            return true
        }
        itemCount = first
        guard slotCount > 0 else {
            addInline(isDictionary ? 0x7000 : 0x6000)
            return true
        }
        var isUnique = true
        if isDictionary {
            sortPairs(first: first, count: slotCount &>> 1)
            if checksKeys { isUnique = hasUniqueKeys(first: first, slotCount: slotCount) }
            if !isUnique { fail(.duplicateKey) }
        }
        writeContainer(first: first, slotCount: slotCount, isDictionary: isDictionary)
        return isUnique
    }

    private mutating func writeContainer(first: Int, slotCount: Int, isDictionary: Bool) {
        let header = alignedPosition()
        let itemCount = isDictionary ? slotCount &>> 1 : slotCount
        reserve(slotCount &* 4 &+ 12)
        append(((isDictionary ? 0x7000 : 0x6000) | UInt16(truncatingIfNeeded: min(itemCount, 2047))).bigEndian)
        if itemCount >= 2047 {
            count &+= Varint.write(UInt64(itemCount &- 2047), to: out + count)
            _ = alignedPosition()
        }
        if containers[depth].isWide || isWide(first: first, slotCount: slotCount) {
            out.storeBytes(of: out.load(fromByteOffset: header, as: UInt8.self) | 0x08, toByteOffset: header, as: UInt8.self)
            for index in first..<(first &+ slotCount) {
                let item = items[index]
                append(item.isPointer ? Self.widePointer(from: count, to: item) : item.bits.bigEndian)
            }
        } else {
            for index in first..<(first &+ slotCount) {
                let item = items[index]
                append(item.isPointer ? Self.narrowPointer(from: count, to: item) : UInt16(truncatingIfNeeded: item.bits &>> 16).bigEndian)
            }
        }
        // The items of this container have been consumed; the pointer to it replaces the first one.
        add(Item(bits: UInt32(truncatingIfNeeded: header), isPointer: true))
    }

    private func isWide(first: Int, slotCount: Int) -> Bool {
        var position = count
        for index in first..<(first &+ slotCount) {
            if items[index].isPointer, position &- Int(items[index].bits) > Limits.narrowReach { return true }
            position &+= 2
        }
        return false
    }

    // MARK: Order of keys

    /// Sorts the pairs by key: numbers first, then strings by their bytes (Storage format 1.6).
    private mutating func sortPairs(first: Int, count: Int) {
        guard count > 1 else { return }
        let pairs = UnsafeMutableRawPointer(items + first).assumingMemoryBound(to: Pair.self)
        if count > 24 {
            // Large dictionaries are rare, so copying them for the standard library's sort is acceptable.
            let sorted = UnsafeBufferPointer(start: pairs, count: count).sorted { isOrdered($0.key, $1.key) }
            for index in 0..<count { pairs[index] = sorted[index] }
            return
        }
        for index in 1..<count {
            let pair = pairs[index]
            var place = index
            while place > 0, isOrdered(pair.key, pairs[place &- 1].key) {
                pairs[place] = pairs[place &- 1]
                place &-= 1
            }
            pairs[place] = pair
        }
    }

    /// Returns whether no two adjacent sorted keys are equal.
    private func hasUniqueKeys(first: Int, slotCount: Int) -> Bool {
        var index = first &+ 2
        while index < first &+ slotCount {
            let left = items[index &- 2]
            let right = items[index]
            if left.isPointer == right.isPointer {
                if left.bits == right.bits { return false }
                // Equal strings can be stored at different positions if they are long or far apart.
                if left.isPointer, haveEqualStart(left, right), !isOrdered(left, right) { return false }
            }
            index &+= 2
        }
        return true
    }

    /// Compares the lengths of short strings and the first byte, which distinguishes most keys.
    private func haveEqualStart(_ left: Item, _ right: Item) -> Bool {
        out.loadUnaligned(fromByteOffset: Int(left.bits), as: UInt16.self)
            == out.loadUnaligned(fromByteOffset: Int(right.bits), as: UInt16.self)
    }

    private struct Pair {
        let key: Item
        let value: Item
    }

    private func isOrdered(_ left: Item, _ right: Item) -> Bool {
        let leftIsNumber = Self.isNumber(left)
        let rightIsNumber = Self.isNumber(right)
        if leftIsNumber, rightIsNumber { return Self.number(left) < Self.number(right) }
        if leftIsNumber != rightIsNumber { return leftIsNumber }
        return withKeyBytes(left) { leftBytes in
            withKeyBytes(right) { compareBytes(leftBytes, $0) < 0 }
        }
    }

    private static func isNumber(_ item: Item) -> Bool { !item.isPointer && item.bits < 0x1000_0000 }

    private static func number(_ item: Item) -> Int32 { Int32(bitPattern: item.bits << 4) >> 20 }

    private func withKeyBytes<Result>(_ item: Item, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if item.isPointer {
            let key = Value(base: UnsafeRawPointer(out), offset: item.bits, end: UInt32(truncatingIfNeeded: count))
            return body(key.stringBytes ?? UnsafeRawBufferPointer(start: nil, count: 0))
        }
        let length = Int(item.bits >> 24 & 0x0F)
        let byte = UInt8(truncatingIfNeeded: item.bits >> 16)
        return withUnsafeBytes(of: byte) { body(UnsafeRawBufferPointer(rebasing: $0[0..<min(length, 1)])) }
    }
}
