import Fleece

/// The text that a full-text index stores for a value: all scalars in the value without keys, those of a container before those of its
/// nested containers (Query 6.3, Storage format 5.3).
///
/// As in files of the original, a space precedes every value in a container, even if the value has no text or is a container. A NUL becomes
/// a space, because FTS4 ignores what follows it.
struct IndexedText {
    private(set) var bytes: [UInt8] = []

    /// Returns whether a string can be indexed as it is.
    static func isUnchanged(_ text: UnsafeRawBufferPointer) -> Bool { !text.contains(0) }

    /// Appends the text of a value. Returns `false` if the value has no text or is damaged.
    mutating func append(_ value: Value) -> Bool {
        var budget = ValueBudget(for: value)
        return append(value, depth: 0, &budget) && !bytes.isEmpty
    }

    private mutating func append(_ value: Value, depth: Int, _ budget: inout ValueBudget) -> Bool {
        guard depth <= Limits.maximumDepth, budget.consume() else { return false }
        switch QueryValue(value) {
        case .array(let array):
            for index in 0..<array.count {
                guard let item = array[index], appendItem(item, &budget) else { return false }
            }
            for index in 0..<array.count {
                guard let item = array[index] else { return false }
                if isContainer(item), !append(item, depth: depth + 1, &budget) { return false }
            }
        case .dictionary(let dictionary):
            guard budget.consume(dictionary.overlayCost) else { return false }
            let pairs = dictionary.pairs
            for (_, item) in pairs {
                guard appendItem(item, &budget) else { return false }
            }
            for (_, item) in pairs where isContainer(item) {
                guard append(item, depth: depth + 1, &budget) else { return false }
            }
        case .string(let text):
            guard budget.consume(bytes: text.count) else { return false }
            bytes.append(contentsOf: text.lazy.map { $0 == 0 ? UInt8(ascii: " ") : $0 })
        case .boolean(let flag): bytes.append(UInt8(ascii: flag ? "T" : "F"))
        case .integer(let number): bytes.append(contentsOf: String(number).utf8)
        case .unsigned(let number): bytes.append(contentsOf: String(number).utf8)
        case .double(let number): bytes.append(contentsOf: number.description.utf8)
        case .missing, .null, .data: break
        }
        return true
    }

    /// Appends a space, which the original writes for every value in a container, and the text of `item` unless it is a container.
    private mutating func appendItem(_ item: Value, _ budget: inout ValueBudget) -> Bool {
        bytes.append(UInt8(ascii: " "))
        return isContainer(item) || append(item, depth: 0, &budget)
    }

    private func isContainer(_ value: Value) -> Bool {
        switch value.type {
        case .array, .dictionary: true
        default: false
        }
    }
}
