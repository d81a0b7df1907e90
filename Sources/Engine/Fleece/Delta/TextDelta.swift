/// Edits of strings in deltas: `n=` copies bytes, `n-` skips them, `n+…|` inserts them (Storage format 10).
enum TextDelta {
    /// Applies an edit.
    ///
    /// - Returns: The new text, or `nil` if the edit is empty or malformed, does not consume `old` exactly, or results in invalid UTF-8.
    static func apply(_ edit: UnsafeRawBufferPointer, to old: UnsafeRawBufferPointer) -> [UInt8]? {
        guard edit.count > 0 else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(old.count + edit.count)
        var place = 0
        var consumed = 0
        while place < edit.count {
            guard let number = Self.number(in: edit, at: &place), place < edit.count else { return nil }
            let operation = edit[place]
            place += 1
            switch operation {
            case UInt8(ascii: "="), UInt8(ascii: "-"):
                guard number <= old.count - consumed else { return nil }
                if operation == UInt8(ascii: "=") { result.append(contentsOf: old[consumed..<consumed + number]) }
                consumed += number
            case UInt8(ascii: "+"):
                guard number < edit.count - place, edit[place + number] == UInt8(ascii: "|") else { return nil }
                result.append(contentsOf: edit[place..<place + number])
                place += number + 1
            default:
                return nil
            }
        }
        guard consumed == old.count, result.withUnsafeBytes(TextScan.isUTF8) else { return nil }
        return result
    }

    /// Parses a decimal number of at least one digit. Returns `nil` if it exceeds the maximum length of a value.
    private static func number(in edit: UnsafeRawBufferPointer, at place: inout Int) -> Int? {
        let first = place
        var number = 0
        while place < edit.count, edit[place] >= 0x30, edit[place] <= 0x39 {
            number = number * 10 + Int(edit[place] - 0x30)
            guard number <= Limits.maximumSize else { return nil }
            place += 1
        }
        return place > first ? number : nil
    }

    /// Returns the edit that changes `old` to `new`, or `nil` if one of them is not valid UTF-8. Characters are never split.
    ///
    /// It is the shortest edit if the texts have much in common. The search is limited: beyond the limits, everything between the common
    /// prefix and suffix is replaced.
    static func edit(from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer) -> [UInt8]? {
        guard TextScan.isUTF8(old), TextScan.isUTF8(new) else { return nil }
        let prefix = commonPrefix(old, new)
        let suffix = commonSuffix(old, new, limit: min(old.count, new.count) - prefix)
        let oldMiddle = Characters(old, prefix..<(old.count - suffix))
        let newMiddle = Characters(new, prefix..<(new.count - suffix))
        var script = EditScript(new: new)
        script.keep(prefix)
        for step in ShortestEdit.find(from: oldMiddle.codes, to: newMiddle.codes) {
            switch step {
            case .keep(let characters): script.keep(oldMiddle.byteCount(at: script.oldOffset - prefix, characters))
            case .delete(let characters): script.delete(oldMiddle.byteCount(at: script.oldOffset - prefix, characters))
            case .insert(let characters): script.insert(newMiddle.byteCount(at: script.newOffset - prefix, characters))
            }
        }
        script.keep(suffix)
        return script.finish()
    }

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    private static func commonPrefix(_ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer) -> Int {
        let limit = min(old.count, new.count)
        var length = 0
        while length < limit, old[length] == new[length] { length += 1 }
        while length > 0, length < old.count && isContinuation(old[length]) || length < new.count && isContinuation(new[length]) {
            length -= 1
        }
        return length
    }

    private static func commonSuffix(_ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer, limit: Int) -> Int {
        var length = 0
        while length < limit, old[old.count - 1 - length] == new[new.count - 1 - length] { length += 1 }
        while length > 0, isContinuation(old[old.count - length]) { length -= 1 }
        return length
    }
}

/// A part of a text as Unicode scalars, with their offsets.
private struct Characters {
    var codes: [UInt32] = []
    /// The byte offset of each character from the start of the part, followed by the part's length.
    private var offsets: [Int] = []

    /// Decodes the part, which must start and end at character boundaries.
    init(_ text: UnsafeRawBufferPointer, _ part: Range<Int>) {
        let bytes = UnsafeRawBufferPointer(rebasing: text[part])
        var offset = 0
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            codes.append(scalar.value)
            offsets.append(offset)
            offset += UTF8.width(scalar)
        }
        offsets.append(offset)
    }

    /// Returns the number of bytes of a number of characters that start at a byte offset.
    func byteCount(at offset: Int, _ characters: Int) -> Int {
        var low = 0
        var high = offsets.count
        while low < high {
            let middle = (low + high) / 2
            if offsets[middle] < offset { low = middle + 1 } else { high = middle }
        }
        return offsets[low + characters] - offset
    }
}

/// Builds the text of an edit.
private struct EditScript {
    let new: UnsafeRawBufferPointer
    var oldOffset = 0
    var newOffset = 0
    var output: [UInt8] = []
    var kept = 0
    var deleted = 0
    var inserted = 0
    /// Keeping fewer bytes than this between two changes needs a longer edit than replacing them.
    private static let shortestKept = 6

    mutating func keep(_ count: Int) {
        oldOffset += count
        newOffset += count
        kept += count
    }

    mutating func delete(_ count: Int) {
        beginChange()
        oldOffset += count
        deleted += count
    }

    mutating func insert(_ count: Int) {
        beginChange()
        newOffset += count
        inserted += count
    }

    private mutating func beginChange() {
        guard kept > 0 else { return }
        if deleted + inserted > 0, kept < Self.shortestKept {
            deleted += kept
            inserted += kept
            kept = 0
        } else {
            flush()
        }
    }

    /// Writes the pending change, and the bytes that are kept after it.
    private mutating func flush() {
        append(deleted, "-")
        if inserted > 0 {
            append(inserted, "+")
            let end = newOffset - kept
            output.append(contentsOf: new[(end - inserted)..<end])
            output.append(UInt8(ascii: "|"))
        }
        append(kept, "=")
        (deleted, inserted, kept) = (0, 0, 0)
    }

    private mutating func append(_ count: Int, _ operation: Unicode.Scalar) {
        guard count > 0 else { return }
        output.append(contentsOf: String(count).utf8)
        output.append(UInt8(ascii: operation))
    }

    mutating func finish() -> [UInt8] {
        flush()
        return output
    }
}
