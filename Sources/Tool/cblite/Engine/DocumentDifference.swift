import Base
import Fleece

/// A property with different values in two versions of a document.
struct PropertyDifference {
    let path: ValuePath
    /// The values as JSON; `nil` if there is none.
    let left: String?
    let right: String?
}

extension StoredDocument {
    /// Returns the innermost properties in which two documents differ. Arrays of different lengths are compared as a whole.
    func differences(from other: StoredDocument) throws -> [PropertyDifference] {
        try withProperties { left, leftKeys in
            try other.withProperties { right, rightKeys in
                if ValueComparison.areEqual(left, leftKeys, right, rightKeys) { return [] }
                var comparison = Comparison(leftKeys: leftKeys, rightKeys: rightKeys, budget: ValueBudget(for: left))
                try comparison.compare(left, right, ValuePath())
                return comparison.found
            }
        }
    }

    private struct Comparison {
        let leftKeys: SharedKeys
        let rightKeys: SharedKeys
        var budget: ValueBudget
        var found: [PropertyDifference] = []

        mutating func compare(_ left: Value?, _ right: Value?, _ path: ValuePath) throws {
            if let left, let right {
                guard !ValueComparison.areEqual(left, leftKeys, right, rightKeys) else { return }
                // Valid documents are not nested deeper, and do not expand.
                if budget.consume(), path.steps.count < Limits.maximumDepth {
                    if let left = left.dictionary, let right = right.dictionary { return try compareMembers(left, right, path) }
                    if let left = left.array, let right = right.array, left.count == right.count {
                        for index in 0..<left.count { try compare(left[index], right[index], path + .index(index)) }
                        return
                    }
                }
            }
            found.append(
                PropertyDifference(
                    path: path,
                    left: try left.map { try JSON.string($0, sharedKeys: leftKeys, form: .canonical) },
                    right: try right.map { try JSON.string($0, sharedKeys: rightKeys, form: .canonical) }
                )
            )
        }

        private mutating func compareMembers(_ left: DictionaryValue, _ right: DictionaryValue, _ path: ValuePath) throws {
            var names: Set<ExactString> = []
            for (key, _) in left.pairs { if let name = key.text(leftKeys) { names.insert(ExactString(name)) } }
            for (key, _) in right.pairs { if let name = key.text(rightKeys) { names.insert(ExactString(name)) } }
            for name in names.map(\.string).sorted(by: { $0.isOrderedBefore($1) }) {
                try compare(
                    left.value(for: name, sharedKeys: leftKeys),
                    right.value(for: name, sharedKeys: rightKeys),
                    path + .key(name)
                )
            }
        }
    }
}
