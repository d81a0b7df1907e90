/// Compares values deeply by their JSON meaning, independent of how they are stored.
public struct ValueComparison {
    private let leftKeys: SharedKeys
    private let rightKeys: SharedKeys
    private var budget: ValueBudget

    /// Returns whether two values are equal: numbers by their exact value, whether integer or floating-point; dictionaries by the texts of
    /// their keys, in any order; null and `undefined` are equal. Data values are only equal to data values.
    ///
    /// Values that are damaged, nested too deeply or expand excessively are not equal to any value.
    ///
    /// - Complexity: Linear in the size of the smaller value's data.
    public static func areEqual(_ left: Value, _ leftKeys: SharedKeys = .empty, _ right: Value, _ rightKeys: SharedKeys = .empty) -> Bool {
        let smaller = left.end < right.end ? left : right
        var comparison = ValueComparison(leftKeys: leftKeys, rightKeys: rightKeys, budget: ValueBudget(for: smaller))
        return comparison.areEqual(left, right, depth: 0)
    }

    /// Returns whether two numbers are exactly equal: an integer beyond 2^53 is not equal to the nearest double.
    public static func areEqualNumbers(_ left: Value, _ right: Value) -> Bool {
        if let leftBits = left.integerBits {
            if let rightBits = right.integerBits { return leftBits == rightBits && (leftBits >= 0 || left.isUnsigned == right.isUnsigned) }
            return right.floatingPoint.map { isEqual($0, toInteger: left, bits: leftBits) } ?? false
        }
        guard let leftNumber = left.floatingPoint else { return false }
        if let rightBits = right.integerBits { return isEqual(leftNumber, toInteger: right, bits: rightBits) }
        guard let rightNumber = right.floatingPoint else { return false }
        // NaN only occurs in damaged data, and is null in JSON.
        return leftNumber == rightNumber || leftNumber.isNaN && rightNumber.isNaN
    }

    private static func isEqual(_ number: Double, toInteger integer: Value, bits: Int64) -> Bool {
        if integer.isUnsigned { return UInt64(exactly: number) == UInt64(bitPattern: bits) }
        return Int64(exactly: number) == bits
    }

    private mutating func areEqual(_ left: Value, _ right: Value, depth: Int) -> Bool {
        guard budget.consume(), depth <= Limits.maximumDepth else { return false }
        switch (left.type, right.type) {
        case (.null, .null), (.undefined, .null), (.null, .undefined), (.undefined, .undefined):
            return left.tag == 3 && right.tag == 3
        case (.boolean, .boolean):
            return left.boolean == right.boolean
        case (.number, .number):
            return Self.areEqualNumbers(left, right)
        case (.string, .string), (.data, .data):
            guard let leftBytes = left.payload, let rightBytes = right.payload else { return false }
            return budget.consume(bytes: leftBytes.count) && areEqual(leftBytes, rightBytes)
        case (.array, .array):
            guard let leftArray = left.array, let rightArray = right.array, leftArray.count == rightArray.count else { return false }
            for index in 0..<leftArray.count {
                guard let leftItem = leftArray[index], let rightItem = rightArray[index], areEqual(leftItem, rightItem, depth: depth + 1)
                else { return false }
            }
            return true
        case (.dictionary, .dictionary):
            guard let leftDictionary = left.dictionary, let rightDictionary = right.dictionary else { return false }
            return areEqual(leftDictionary, rightDictionary, depth: depth + 1)
        default:
            return false
        }
    }

    private mutating func areEqual(_ left: DictionaryValue, _ right: DictionaryValue, depth: Int) -> Bool {
        guard budget.consume(left.overlayCost), budget.consume(right.overlayCost) else { return false }
        if leftKeys === rightKeys, !left.hasParent, !right.hasParent, haveSameKeys(left, right) {
            for index in 0..<left.pairCount {
                guard let leftValue = left.slot(index * 2 + 1).value, let rightValue = right.slot(index * 2 + 1).value,
                    areEqual(leftValue, rightValue, depth: depth)
                else { return false }
            }
            return true
        }
        let pairs = left.pairs
        guard pairs.count == right.count else { return false }
        for (key, value) in pairs {
            guard let other = self.value(for: key, in: right), areEqual(value, other, depth: depth) else { return false }
        }
        return true
    }

    /// Returns the value in the right dictionary for a key of the left one.
    private func value(for key: DictionaryKey, in right: DictionaryValue) -> Value? {
        if case .shared(let number) = key {
            if leftKeys === rightKeys { return right[sharedKey: number] }
            guard number < leftKeys.count else { return nil }
        }
        return leftKeys.withText(of: key) { right.value(for: $0, sharedKeys: rightKeys) }
    }

    /// Returns whether the stored keys are pairwise equal. With the same shared keys, this is the usual case for equal dictionaries.
    private func haveSameKeys(_ left: DictionaryValue, _ right: DictionaryValue) -> Bool {
        guard left.pairCount == right.pairCount else { return false }
        for index in 0..<left.pairCount {
            switch (left.key(at: index), right.key(at: index)) {
            case (.shared(let leftNumber), .shared(let rightNumber)):
                if leftNumber != rightNumber { return false }
            case (.string(let leftBytes), .string(let rightBytes)):
                if !areEqual(leftBytes, rightBytes) { return false }
            default:
                return false
            }
        }
        return true
    }

    private func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        left.count == right.count && compareBytes(left, right) == 0
    }
}
