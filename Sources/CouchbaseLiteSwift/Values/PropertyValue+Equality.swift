import ExactStrings

/// Equality by content (API 1.4). Neither side may be `stored`: see ``PropertyValue/resolved(in:)``.
extension PropertyValue {
    func isEqual(to other: PropertyValue) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.string(let left), .string(let right)): left.isExactly(right)
        case (.blob(let left), .blob(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)): left == right
        default: isEqualNumber(other)
        }
    }

    private func isEqualNumber(_ other: PropertyValue) -> Bool {
        guard isNumber, other.isNumber else { return false }
        switch (exactInteger, other.exactInteger) {
        case (let left?, let right?): return left == right
        case (nil, nil): return double == other.double
        default: return false
        }
    }

    private var isNumber: Bool {
        switch self {
        case .integer, .unsigned, .float, .double: true
        default: false
        }
    }

    /// The number as an integer, all of which fit in 128 bits; `nil` if it is not integral, or a larger floating-point number.
    private var exactInteger: Int128? {
        switch self {
        case .integer(let number): Int128(number)
        case .unsigned(let number): Int128(number)
        case .float(let number): Int128(exactly: number)
        case .double(let number): Int128(exactly: number)
        default: nil
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .null, .stored: hasher.combine(0)
        case .boolean(let boolean): hasher.combine(boolean)
        case .string(let string): hasher.combine(string)
        case .blob(let blob): hasher.combine(blob)
        case .array(let array): hasher.combine(array)
        case .dictionary(let dictionary): hasher.combine(dictionary)
        // Equal numbers of different types are equal as doubles, so they have equal hashes.
        case .integer, .unsigned, .float, .double: hasher.combine(double)
        }
    }
}
