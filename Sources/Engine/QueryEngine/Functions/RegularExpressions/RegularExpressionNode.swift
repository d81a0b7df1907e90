/// A node of the syntax tree of a regular expression.
indirect enum RegularExpressionNode {
    case empty
    case character(UInt32)
    case set(CodePointSet)
    case sequence([RegularExpressionNode])
    case alternatives([RegularExpressionNode])
    /// A capturing group with its number, starting at 1.
    case group(Int, RegularExpressionNode)
    case repetition(RegularExpressionNode, atLeast: Int, atMost: Int?, isGreedy: Bool)
    /// `^`, the start of the text.
    case start
    /// `$`, the end of the text.
    case end
    /// `\b`, or `\B` when negated.
    case wordBoundary(isNegated: Bool)
    /// A back-reference such as `\1`.
    case backReference(Int)
    /// `(?=…)`, or `(?!…)` when negated.
    case lookAhead(RegularExpressionNode, isNegated: Bool)

    /// Whether the node can match the empty string.
    var canBeEmpty: Bool {
        switch self {
        case .character, .set: false
        case .empty, .start, .end, .wordBoundary, .backReference, .lookAhead: true
        case .sequence(let parts): parts.allSatisfy(\.canBeEmpty)
        case .alternatives(let parts): parts.contains(where: \.canBeEmpty)
        case .group(_, let part): part.canBeEmpty
        case .repetition(let part, let least, _, _): least == 0 || part.canBeEmpty
        }
    }
}

/// A set of code points: a bit mask for ASCII, ranges for all others.
struct CodePointSet {
    /// The members in ASCII.
    struct ASCII {
        fileprivate var low: UInt64 = 0
        fileprivate var high: UInt64 = 0

        /// Returns whether a code below 128 is a member.
        @inline(__always)
        func contains(_ code: UInt32) -> Bool { (code < 64 ? low >> UInt64(code) : high >> UInt64(code & 63)) & 1 != 0 }
    }

    private(set) var ascii = ASCII()
    /// Sorted and disjoint once the set is initialized.
    private var ranges: [ClosedRange<UInt32>] = []

    init(_ members: [ClosedRange<UInt32>], isNegated: Bool = false) {
        var merged: [ClosedRange<UInt32>] = []
        for range in members.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound &+ 1 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        for range in isNegated ? Self.complement(of: merged) : merged {
            for code in range.prefix(while: { $0 < 128 }) {
                if code < 64 { ascii.low |= 1 << UInt64(code) } else { ascii.high |= 1 << UInt64(code - 64) }
            }
            if range.upperBound >= 128 { ranges.append(max(range.lowerBound, 128)...range.upperBound) }
        }
    }

    private static func complement(of ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var result: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lowerBound > next { result.append(next...(range.lowerBound - 1)) }
            next = range.upperBound + 1
        }
        if next <= 0x10FFFF { result.append(next...0x10FFFF) }
        return result
    }

    /// Returns whether a non-ASCII code point is a member.
    func containsRare(_ code: UInt32) -> Bool {
        var (first, end) = (0, ranges.count)
        while first < end {
            let middle = (first + end) / 2
            if ranges[middle].upperBound < code { first = middle + 1 } else { end = middle }
        }
        return first < ranges.count && ranges[first].contains(code)
    }

    /// Whether there are non-ASCII members.
    var hasRare: Bool { !ranges.isEmpty }
}

extension CodePointSet {
    static let digits: [ClosedRange<UInt32>] = [0x30...0x39]
    static let word: [ClosedRange<UInt32>] = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
    static let space: [ClosedRange<UInt32>] = [0x09...0x0D, 0x20...0x20]
    /// The code points that `.` does not match.
    static let lineEnds: [ClosedRange<UInt32>] = [0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029]

    /// Returns the code points that are not in `ranges`.
    static func others(than ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] { complement(of: ranges) }

    /// The named classes of the C++ standard library, such as `[:alpha:]`.
    static let named: [String: [ClosedRange<UInt32>]] = [
        "alpha": [0x41...0x5A, 0x61...0x7A], "digit": digits, "d": digits,
        "alnum": [0x30...0x39, 0x41...0x5A, 0x61...0x7A], "w": word, "upper": [0x41...0x5A], "lower": [0x61...0x7A],
        "space": space, "s": space, "blank": [0x09...0x09, 0x20...0x20],
        "punct": [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E],
        "xdigit": [0x30...0x39, 0x41...0x46, 0x61...0x66], "cntrl": [0x00...0x1F, 0x7F...0x7F], "print": [0x20...0x7E],
        "graph": [0x21...0x7E],
    ]
}
