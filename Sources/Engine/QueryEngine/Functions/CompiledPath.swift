import Base
import Fleece

/// A property path compiled for repeated evaluation, in one block of plain memory that must be released with `free`.
///
/// It is cached for one run of a statement (SQLite frees it when the statement is reset), during which the shared keys of the connection do
/// not change. The numbers of its keys are therefore looked up only once.
///
/// The block contains the number of steps, the steps, and the bytes of the keys.
struct CompiledPath {
    /// One step: a dictionary key or an array index.
    private struct PathElement {
        /// The offset of the key's bytes in the block.
        var keyStart: UInt32
        /// The length of the key in bytes; −1 for an index.
        var keyCount: Int32
        /// The number of the shared key, −1 if the key has none; for an index, the index itself.
        var number: Int32
    }

    private static let headerSize = 4

    let memory: UnsafeMutableRawPointer

    /// Wraps a path that an earlier call has cached.
    @inline(__always)
    init(_ memory: UnsafeMutableRawPointer) { self.memory = memory }

    /// Parses the encoded form (Query 1.4); returns `nil` if it is malformed or too long, or memory is exhausted.
    ///
    /// - Parameter keys: The shared keys of the values the path will be applied to; `nil` if they have none.
    init?(parsing text: UnsafeRawBufferPointer, keys: SharedKeys?) {
        var capacity = 1
        for byte in text where byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") { capacity += 1 }
        let stepsEnd = Self.headerSize + capacity * MemoryLayout<PathElement>.stride
        guard text.count <= Int(Int32.max) / 16, let memory = malloc(stepsEnd + text.count) else { return nil }
        self.memory = memory
        var writer = Writer(memory: memory, keysEnd: stepsEnd)
        guard writer.parse(text, keys: keys) else {
            free(memory)
            return nil
        }
        memory.storeBytes(of: writer.count, as: Int32.self)
    }

    /// Returns the value at the path inside `root`; `nil` if there is none.
    @inline(__always)
    func value(in root: Value) -> Value? {
        var value = root
        var step = memory + Self.headerSize
        for _ in 0..<memory.load(as: Int32.self) {
            guard let next = self.next(step.load(as: PathElement.self), of: value) else { return nil }
            value = next
            step += MemoryLayout<PathElement>.stride
        }
        return value
    }

    @inline(__always)
    private func next(_ step: PathElement, of value: Value) -> Value? {
        if step.keyCount >= 0 {
            guard let dictionary = value.dictionary else { return nil }
            if step.number >= 0 { return dictionary[sharedKey: Int(step.number)] }
            return dictionary[stringKey: key(of: step)]
        }
        guard let array = value.array else { return nil }
        return array[step.number >= 0 ? Int(step.number) : array.count &+ Int(step.number)]
    }

    /// Like ``value(in:)``, for a root that is either part of a document or a copy whose keys are all strings.
    func valueWithAnyKeys(in root: Value) -> Value? {
        var value = root
        var step = memory + Self.headerSize
        for _ in 0..<memory.load(as: Int32.self) {
            let current = step.load(as: PathElement.self)
            guard
                let next = self.next(current, of: value)
                    ?? (current.keyCount >= 0 ? value.dictionary?[stringKey: key(of: current)] : nil)
            else { return nil }
            value = next
            step += MemoryLayout<PathElement>.stride
        }
        return value
    }

    @inline(__always)
    private func key(of step: PathElement) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory + Int(step.keyStart), count: Int(step.keyCount))
    }

    private struct Writer {
        let memory: UnsafeMutableRawPointer
        var keysEnd: Int
        var count: Int32 = 0

        private mutating func append(_ step: PathElement) {
            let place = headerSize + Int(count) * MemoryLayout<PathElement>.stride
            memory.storeBytes(of: step, toByteOffset: place, as: PathElement.self)
            count += 1
        }

        mutating func parse(_ text: UnsafeRawBufferPointer, keys: SharedKeys?) -> Bool {
            var position = text.first == UInt8(ascii: ".") ? 1 : 0
            while position < text.count {
                if text[position] == UInt8(ascii: "[") {
                    guard parseIndex(text, &position) else { return false }
                } else {
                    guard parseKey(text, &position, keys) else { return false }
                }
                guard position < text.count else { break }
                // A dot at the end is ignored.
                if text[position] == UInt8(ascii: ".") {
                    position += 1
                    if position < text.count, text[position] == UInt8(ascii: "[") { return false }
                } else if text[position] != UInt8(ascii: "[") {
                    return false
                }
            }
            return true
        }

        private mutating func parseIndex(_ text: UnsafeRawBufferPointer, _ position: inout Int) -> Bool {
            position += 1
            let isNegative = position < text.count && text[position] == UInt8(ascii: "-")
            if isNegative { position += 1 }
            let start = position
            var index: Int32 = 0
            while position < text.count, case let digit = text[position] &- 0x30, digit <= 9 {
                let (tens, overflow) = index.multipliedReportingOverflow(by: 10)
                guard !overflow, tens <= Int32.max - 9 else { return false }
                index = tens + Int32(digit)
                position += 1
            }
            guard position > start, position < text.count, text[position] == UInt8(ascii: "]") else { return false }
            position += 1
            append(PathElement(keyStart: 0, keyCount: -1, number: isNegative ? -index : index))
            return true
        }

        private mutating func parseKey(_ text: UnsafeRawBufferPointer, _ position: inout Int, _ keys: SharedKeys?) -> Bool {
            let start = keysEnd
            while position < text.count, text[position] != UInt8(ascii: "."), text[position] != UInt8(ascii: "[") {
                if text[position] == UInt8(ascii: "\\") {
                    position += 1
                    guard position < text.count else { return false }
                }
                memory.storeBytes(of: text[position], toByteOffset: keysEnd, as: UInt8.self)
                keysEnd += 1
                position += 1
            }
            guard keysEnd > start else { return false }
            let key = UnsafeRawBufferPointer(start: memory + start, count: keysEnd - start)
            let number = keys?.number(of: key) ?? -1
            append(PathElement(keyStart: UInt32(start), keyCount: Int32(key.count), number: Int32(number)))
            return true
        }
    }
}
