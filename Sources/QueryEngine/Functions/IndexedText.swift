import Fleece

/// The text of a value that a full-text index holds: all scalars in it, depth first, without keys, between spaces
/// (Query 6.3, Storage format 5.3).
struct IndexedText {
    private(set) var bytes: [UInt8] = []

    /// Appends the text of a value. False when there is none in it, or it is damaged.
    mutating func append(_ value: Value) -> Bool {
        var budget = ValueBudget(for: value)
        return append(value, depth: 0, &budget) && !bytes.isEmpty
    }

    private mutating func append(_ value: Value, depth: Int, _ budget: inout ValueBudget) -> Bool {
        guard depth <= Limits.maximumDepth, budget.take() else { return false }
        switch QueryValue(value) {
        case .array(let array):
            for index in 0..<array.count {
                guard let item = array[index], append(item, depth: depth + 1, &budget) else { return false }
            }
        case .dictionary(let dictionary):
            guard budget.take(dictionary.overlayCost) else { return false }
            for (_, item) in dictionary.pairs where !append(item, depth: depth + 1, &budget) { return false }
        case .string(let text):
            guard budget.take(bytes: text.count) else { return false }
            append(word: text)
        case .boolean(let flag): append(word: (flag ? "T" : "F").utf8)
        case .integer(let number): append(word: String(number).utf8)
        case .unsigned(let number): append(word: String(number).utf8)
        case .double(let number): append(word: number.description.utf8)
        case .missing, .null, .data: break
        }
        return true
    }

    private mutating func append(word: some Sequence<UInt8>) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: " ")) }
        bytes.append(contentsOf: word)
    }
}
